import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import type { Order } from '../../order/order.ts'
import type { OrderStore } from '../../ports/order-store.ts'
import { orderNotFound, type Unavailable } from '../../ports/store-errors.ts'
import { aMerchant } from '../../testing/contracts/shop.ts'
import { TERMS } from '../../testing/harness/order-fixture.ts'
import type { Host } from '../host.ts'
import { placeOrder } from './place-order.ts'

const DAY = 86_400_000
const UNKNOWN: Unavailable = { _tag: 'Unavailable', code: 'outcome_unknown', message: '' }

const texts: string[] = []
const hash = (text: string): string => {
  if (!texts.includes(text)) texts.push(text)
  return `${texts.indexOf(text)}`.padStart(32, '0')
}

const bodyOf = (total: number) => ({
  order: {
    merchant: { id: 'demo', return_url: 'https://shop.test/thanks' },
    cart: { currency: 'EUR', order_total_with_tax: total, items: [{ total_with_tax: total }] },
  },
})

/** The store answers `failure`, if it is given, and writes the order if `writes`. */
const openShop = (failure?: Unavailable, writes = true) => {
  const orders = new Map<string, Order>()
  let now = DAY
  const store: Pick<OrderStore, 'place' | 'read'> = {
    read: (ref) => TE.fromEither(E.fromNullable(orderNotFound)(orders.get(ref))),
    place: ({ order }) => {
      if (writes) orders.set(order.placed.orderRef, order)
      return failure === undefined ? TE.right(undefined) : TE.left(failure)
    },
  }
  const ids = { random: () => ({ code: '12345', token: 't' }) }
  const host = { store, ids, clock: { now: () => now }, terms: TERMS } as unknown as Host
  const place = (total: number) =>
    placeOrder(host, () => null)(aMerchant(), bodyOf(total), { key: 'a', hash })()
  const advance = (millis: number) => {
    now += millis
  }
  return { orders, place, advance }
}

it('a commit whose outcome is unknown is looked up', async () => {
  const written = openShop(UNKNOWN)
  expect(await written.place(9_900)).toEqual(E.right([...written.orders.keys()][0]))
  expect(await openShop(UNKNOWN, false).place(9_900)).toEqual(E.left(UNKNOWN))
})

it('a key has one order in any 24 hours, over many days', async () => {
  const { orders, place, advance } = openShop()
  for (let day = 1; day <= 5; day += 1) {
    const placed = await place(9_900 + day)
    advance(DAY - 1)
    expect(await place(9_900 + day)).toEqual(placed)
    expect(await place(9_900)).toMatchObject({ left: { _tag: 'Refused' } })
    advance(1)
    expect(orders.size).toBe(day)
  }
})
