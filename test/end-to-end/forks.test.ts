// A developer forks an order: the fork is an order of its own that goes on from there, and the
// original stays as it is. Sandbox rules, Forks.
import { describe, expect, it } from 'vitest'
import { servedShop } from './served-shop.ts'
import { addressesAt, agreement, surnames } from './stages.ts'

const { receiver, shop, stages } = await servedShop()

type Fork = {
  readonly order_ref: string
  readonly order_ref_1: string
  readonly forked_from: { readonly order_ref: string; readonly event: number }
}

const fork = async (orderRef: string, body: object): Promise<Fork> => {
  const answer = await shop.asMerchant('POST', `/sandbox/orders/${orderRef}/forks`, body)
  expect(answer.status).toBe(201)
  return (await answer.json()) as Fork
}

const seqOf = async (orderRef: string, event: string): Promise<number> =>
  (await shop.history(orderRef)).find((line) => line.event === event)?.seq ?? 0

/** The paths of the requests that the merchant received about the order. */
const heardOf = (orderRef: string): readonly string[] =>
  receiver.received.filter(({ body }) => body.includes(orderRef)).map(({ path }) => path)

const lines = async (orderRef: string) =>
  (await shop.history(orderRef)).map(({ seq, event, from, to }) => ({ seq, event, from, to }))

describe('a fork', () => {
  it('is a new order with the same past, which is marked', async () => {
    const original = await stages.settled({}, { merchant_reference: { order_ref_1: 'F-1' } })
    const at = await seqOf(original, 'screening.resolved')
    const forked = await fork(original, { at })
    expect(forked).toEqual({
      order_ref: expect.not.stringMatching(original),
      order_ref_1: `F-1-fork-${forked.order_ref.slice(0, 8)}`,
      forked_from: { order_ref: original, event: at },
    })
    const [past, marker] = [
      await lines(forked.order_ref),
      (await shop.history(forked.order_ref))[at],
    ]
    expect(past.slice(0, at)).toEqual((await lines(original)).slice(0, at))
    expect(marker).toMatchObject({
      event: 'order.forked',
      detail: `from ${original} at event ${at}`,
    })
    expect(await shop.order(forked.order_ref)).toMatchObject({
      state: { checkout: 'screened' },
      merchant: 'demo',
    })
    expect((await shop.order(original)).state.checkout).toBe('confirmed')
  })

  it('goes on to its own end, with a payment of its own, and calls nobody', async () => {
    const { merchant } = addressesAt(receiver, 'muted')
    const original = await stages.paid({}, { merchant })
    const { order_ref } = await fork(original, { at: await seqOf(original, 'screening.resolved') })
    const action = await shop.submit(order_ref, agreement('fp1', 1))
    expect(action.action).toBe('require_payment')
    expect(action.iframe_url).toContain(order_ref)
    await shop.pay(action.iframe_url)
    await shop.advance(1)
    expect((await shop.order(order_ref)).state).toMatchObject({
      checkout: 'confirmed',
      risk: 'low_risk',
    })
    expect(heardOf(order_ref)).toEqual([])
  })

  it('calls the merchant’s own URLs if it is asked to', async () => {
    const { merchant } = addressesAt(receiver, 'heard')
    const original = await stages.settled({}, { merchant })
    const { order_ref } = await fork(original, {
      at: await seqOf(original, 'screening.resolved'),
      deliver: true,
    })
    await shop.submit(order_ref)
    await shop.advance(1)
    expect(heardOf(order_ref)).toContain('/heard/ipn')
  })

  it('asks the sink to cancel, which agrees', async () => {
    const { merchant } = addressesAt(receiver, 'asked')
    const original = await stages.settled(surnames('cancellation event'), { merchant })
    const at = await seqOf(original, 'ipn.accepted')
    await shop.advance(60)
    const { order_ref } = await fork(original, { at })
    await shop.advance(60)
    expect((await shop.order(order_ref)).state.cancellation).toBe('cancelled')
    expect(heardOf(order_ref)).toEqual([])
  })
})

describe('a fork is refused', () => {
  it.each([{}, { at: -1 }, { at: '1' }, { at: 1, apply: 2 }, { at: 1, deliver: 'yes' }])(
    'with %j',
    async (body) => {
      const original = await shop.place()
      expect(
        (await shop.asMerchant('POST', `/sandbox/orders/${original}/forks`, body)).status,
      ).toBe(400)
    },
  )
})
