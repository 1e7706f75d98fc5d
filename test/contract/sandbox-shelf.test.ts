// What the sandbox's deciders remember, in memory and in SQLite alike.
import { memorySandboxShelf } from '@plazo/adapters/memory'
import type { SandboxShelf } from '@plazo/adapters/sandbox'
import { openSqlite } from '@plazo/adapters/sqlite'
import { given, NOON, openShop } from '@plazo/core/testing/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

type Opened = { readonly shelf: SandboxShelf; readonly close: () => Promise<void> }

// What is sealed needs an order to be sealed under.
const inSqlite = async (): Promise<Opened> => {
  const home = openSqlite(':memory:')
  const shop = openShop(home.store)
  for (const orderRef of ['order', 'order-1', 'order-10']) {
    const { order, ...rest } = shop.placing()
    await given(home.store.place({ ...rest, order: { ...order, placed: { ...order.placed, orderRef } } }, '{}'))
  }
  return home
}

const shelves: readonly (readonly [string, () => Promise<Opened>])[] = [
  ['in memory', async () => ({ shelf: memorySandboxShelf(), close: async () => {} })],
  ['in SQLite', inSqlite],
]

describe.each(shelves)("the sandbox's shelf %s", (_, open) => {
  let shelf: SandboxShelf
  let close: () => Promise<void>
  beforeEach(async () => {
    ;({ shelf, close } = await open())
  })
  afterEach(() => close())

  const aMessage = (orderRef: string, revision: number) => ({
    key: `${orderRef}:${revision}:sms`,
    orderRef,
    at: NOON + revision,
    to: '600123456',
    text: `Código ${revision}`,
    code: '24680',
  })

  it("lists an order's messages, oldest first, and no other's", async () => {
    const [first, second] = [aMessage('order-1', 10), aMessage('order-1', 2)]
    for (const message of [first, aMessage('order-10', 2), second, aMessage('order', 2)])
      await given(shelf.addMessage(message))
    expect(await given(shelf.messages('order-1'))).toEqual([first, second])
    expect(await given(shelf.messages('nobody'))).toEqual([])
  })

  it('keeps a message once, as it was added first', async () => {
    await given(shelf.addMessage(aMessage('order', 2)))
    await given(shelf.addMessage({ ...aMessage('order', 2), at: NOON + 9 }))
    expect(await given(shelf.messages('order'))).toEqual([aMessage('order', 2)])
  })

  it("lists an owner's cards in the order they were last kept, each once", async () => {
    const card = { token: 'c1', brand: 'visa', lastFour: '1111', expiry: '07/26', maskedPan: '411111******1111' }
    for (const token of ['c1', 'c2', 'c1']) await given(shelf.keepCard('order', 'ana', { ...card, token }))
    expect(await given(shelf.cards('ana'))).toEqual([{ ...card, token: 'c2' }, card])
    expect(await given(shelf.cards('eva'))).toEqual([])
  })

  it('knows how far the clock has been moved in all, whoever moved it', async () => {
    expect(await given(shelf.clockOffset())).toBe(0)
    const moved = await Promise.all([given(shelf.moveClock(60_000)), given(shelf.moveClock(30_000))])
    expect(Math.max(...moved)).toBe(90_000)
    expect(await given(shelf.clockOffset())).toBe(90_000)
  })
})
