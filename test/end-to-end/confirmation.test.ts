// An order is confirmed only through the IPN or the merchant’s PUT. These tests show what the PUT
// accepts and refuses. Contract §5.
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { servedShop } from './served-shop.ts'
import { addressesAt, agreement, checkoutOf, requestsAt, surnames } from './stages.ts'

const { receiver, shop, stages } = await servedShop()

const ipns = (name: string) => requestsAt(receiver, `/${name}/ipn`)

/** Runs `act` while the IPN is in flight. The IPN is answered only afterwards. */
const actDuringIpn = (name: string, act: () => Promise<void>, status: number) => {
  const { ipn, merchant } = addressesAt(receiver, name)
  receiver.answer(ipn, (_, response: ServerResponse) => {
    void act().then(() => {
      response.writeHead(status)
      response.end()
    })
    return null
  })
  return { merchant }
}

describe('a PUT of the merchant', () => {
  it('succeeds while the IPN is in flight, even twice, and the IPN’s answer decides', async () => {
    const name = 'put-during'
    const statuses: number[] = []
    let ref = ''
    const order = actDuringIpn(
      name,
      async () => {
        for (const state of ['confirmed', 'confirmed', 'on_hold'])
          statuses.push((await shop.put(ref, { state })).status)
        expect(await shop.wait(ref)).toEqual({ action: 'wait_for_confirmation' })
      },
      200,
    )
    ref = await stages.screened({}, order)
    await shop.submit(ref)
    await shop.advance(0)
    expect(statuses).toEqual([200, 200, 409])
    expect(await checkoutOf(shop, ref)).toBe('confirmed')
    expect(ipns(name)).toHaveLength(1)
  })

  it('alone confirms an order without a notify_url, and a repeated PUT is also 200', async () => {
    const ref = await stages.settled({}, { merchant: { notify_url: '' } })
    expect(await shop.wait(ref)).toEqual({ action: 'wait_for_confirmation' })
    expect((await shop.put(ref, { state: 'on_hold' })).status).toBe(409)
    const answer = await shop.put(ref, { state: 'confirmed' })
    expect(answer.status).toBe(200)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    const before = await shop.history(ref)
    expect((await shop.put(ref, { state: 'confirmed' })).status).toBe(200)
    expect(await shop.history(ref)).toEqual(before)
  })

  it('with a state that is not due is 409 and changes nothing', async () => {
    const refs = [
      await shop.place(),
      await stages.identified(),
      await stages.screened(),
      (await stages.revealed(agreement('fp1'))).ref,
      await stages.settled(surnames('denial event')),
    ]
    for (const ref of refs) {
      await shop.advance(0)
      const before = await shop.history(ref)
      for (const state of ['confirmed', 'on_hold']) {
        const answer = await shop.put(ref, { state })
        expect(answer.status).toBe(409)
        expect(await answer.json()).toEqual({ errors: [expect.stringMatching(/\S/)] })
      }
      expect(await shop.history(ref)).toEqual(before)
    }
    const confirmed = await stages.settled()
    expect((await shop.put(confirmed, { state: 'on_hold' })).status).toBe(409)
  })

  it('without a state, or with an empty one, only sets references, in any state', async () => {
    const ref = await shop.place()
    const answer = await shop.put(ref, {
      state: '',
      merchant_reference: { order_ref_1: 'early-1' },
    })
    expect(answer.status).toBe(200)
    expect(await shop.order(ref)).toMatchObject({ order_ref_1: 'early-1', order_ref_2: '' })
    await shop.put(ref, { merchant_reference: { order_ref_2: 'early-2' } })
    expect(await shop.order(ref)).toMatchObject({ order_ref_1: 'early-1', order_ref_2: 'early-2' })
    expect((await shop.put(ref, {})).status).toBe(200)
    expect(await checkoutOf(shop, ref)).toBe('identifying')
  })
})
