import { memoryRecords, memoryStore } from '@plazo/adapters/memory'
import { CODE, openShop, SECOND, type StoreShop, unwrap } from '@plazo/core/testing/contracts'
import { describe, expect, it } from 'vitest'
import { createSandboxMessages } from './sandbox-messages.ts'

/** A sandbox whose time passes while somebody waits. `during`: what happens in the meantime. */
const aSandbox = (during: () => void = () => {}) => {
  const shop: StoreShop = openShop(memoryStore({ realNow: () => shop.now() }))
  const records = memoryRecords()
  let waited = 0
  const timers = {
    monotonicNow: () => waited,
    after: (millis: number, call: () => void) => {
      waited += millis
      during()
      queueMicrotask(call)
      return { cancel: () => {} }
    },
  }
  const send = (orderRef: string) =>
    unwrap(
      records.add({
        kind: 'message',
        orderRef,
        merchantRef: null,
        at: shop.now(),
        value: { key: `${orderRef}:sms`, to: '6', text: CODE, code: CODE },
      }),
    )
  const messagesOf = createSandboxMessages({
    store: shop.store,
    records,
    clock: { now: shop.now },
    timers,
  })
  return {
    shop,
    send,
    waited: () => waited,
    codes: async (ref: string) => (await unwrap(messagesOf(ref))).map(({ code }) => code),
  }
}

describe('the messages of an order', () => {
  it('are waited for while a code is on its way', async () => {
    let ref = ''
    let looks = 0
    const { shop, send, codes } = aSandbox(() => {
      looks += 1
      if (looks === 3) void send(ref)
    })
    ref = await shop.place()
    await shop.submit(ref)
    expect(await codes(ref)).toEqual([CODE])
    expect(looks).toBe(3)
  })

  it('are not waited for longer than a second', async () => {
    const { shop, codes, waited } = aSandbox()
    const ref = await shop.place()
    await shop.submit(ref)
    expect(await codes(ref)).toEqual([])
    expect(waited()).toBe(SECOND)
  })

  it('are returned immediately if no code is being sent: none was issued, or it was sent, used or voided', async () => {
    const { shop, send, codes, waited } = aSandbox()
    const [fresh, withCode, used, late] = [
      await shop.place(),
      await shop.place(),
      await shop.place(),
      await shop.place(),
    ]
    await shop.submit(withCode)
    await send(withCode)
    await shop.submit(used)
    await shop.submit(used, { validation_code: CODE })
    await shop.submit(late)
    for (const [ref, expected] of [
      [fresh, []],
      [withCode, [CODE]],
      [used, []],
      ['nobody', []],
    ] as const)
      expect(await codes(ref)).toEqual(expected)
    shop.advance(300 * SECOND)
    expect(await codes(late)).toEqual([])
    expect(waited()).toBe(0)
  })
})
