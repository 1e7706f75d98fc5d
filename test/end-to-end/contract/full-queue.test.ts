// A full queue refuses new requests, but never the results of finished jobs. Refusing a result
// would make plazo call the merchant again.
import { openSqlite } from '@plazo/adapters/sqlite'
import { type FullStore, unchanged } from '@plazo/core/internal'
import { finishedAs, openShop } from '@plazo/core/testing/contracts'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPostgresTestStorage } from '../../harness/postgres-storage.ts'

type OpenedStore = { readonly store: FullStore; readonly close: () => Promise<void> }

const OPENED: Readonly<Record<string, () => Promise<OpenedStore>>> = {
  SQLite: async () => openSqlite(':memory:', { capacity: 1 }),
  PostgreSQL: () => openPostgresTestStorage({ capacity: 1 }),
}

const FULL = E.left({
  _tag: 'Unavailable',
  code: 'queue_full',
  message: expect.any(String),
  waiting: expect.any(Number),
})

describe.each(Object.keys(OPENED))('the queue of the %s store, when it is full,', (name) => {
  let store: FullStore
  let close: () => Promise<void>
  beforeEach(async () => {
    const opened = await OPENED[name]?.()
    if (opened === undefined) throw new Error('No store.')
    store = opened.store
    close = opened.close
  })
  afterEach(() => close())

  const stepOrder = (orderRef: string) =>
    store.step(orderRef, (order) => E.right({ step: unchanged(order), answer: 'stepped' }))()

  it('refuses steps and new orders', async () => {
    const shop = openShop(store)
    const orderRef = await shop.place()
    const steps = await Promise.all([stepOrder(orderRef), stepOrder(orderRef)])
    expect(steps).toEqual([E.right('stepped'), FULL])
    const placed = await Promise.all(
      [1, 2, 3].map(() => store.place(shop.preparePlacing(), '{}')()),
    )
    expect(placed.filter(E.isLeft)).toContainEqual(FULL)
  })

  it('accepts the claim, the release and the completion of a job', async () => {
    const shop = openShop(store)
    const orderRef = await shop.placeAndSubmit()
    const other = await shop.place()
    const whileFull = async <A>(call: () => Promise<A>): Promise<A> => {
      const [stepped, result] = await Promise.all([stepOrder(other), call()])
      expect(stepped).toEqual(E.right('stepped'))
      return result
    }
    const claimSms = () => whileFull(() => shop.claimOne(orderRef, 'sms'))
    const claimed = await claimSms()
    const released = await whileFull(store.release([claimed], 'not_started'))
    expect(released).toEqual(E.right(undefined))
    const sms = await claimSms()
    expect(sms.key).toBe(claimed.key)
    const completed = await whileFull(
      store.complete(sms, {
        result: finishedAs(),
        decide: (order) => E.right({ step: unchanged(order), answer: { statusOverride: null } }),
      }),
    )
    expect(completed).toEqual(E.right('delivered'))
  })
})
