// During a key rotation, a server may lack a key that another already uses. These tests show how it treats orders that it
// cannot decrypt.
import { openPostgres } from '@plazo/adapters/postgres'
import { openSqlite } from '@plazo/adapters/sqlite'
import type { FullStore, Job } from '@plazo/core'
import { MINUTE, openShop, type StoreShop, unwrap } from '@plazo/core/testing/contracts'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freshDatabase } from '../../harness/postgres-database.ts'
import { aKeyNamed, keyringOf } from '../../harness/secret-keys.ts'
import { temporaryPath } from '../../harness/temporary-path.ts'

const [OLD, NEW] = [aKeyNamed('old'), aKeyNamed('new')]

type Home = { readonly store: FullStore; readonly close: () => Promise<void> }
type Database = { readonly open: (keys: string) => Promise<Home>; readonly drop: () => Promise<void> }

// Domain time stands still in these tests, so real time does too: jobs are due to the millisecond.
const realNow = () => 0

const sqlite = async (): Promise<Database> => {
  const { path, remove } = temporaryPath('plazo.db')
  return {
    open: async (keys) => openSqlite(path, { keyring: keyringOf(keys), realNow }),
    drop: async () => remove(),
  }
}

const postgres = async (): Promise<Database> => {
  const { url, drop } = await freshDatabase()
  return { open: (keys) => openPostgres(url, { keyring: keyringOf(keys), connections: 2, realNow }), drop }
}

describe.each([
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
])('of two servers on %s, one that lacks the other’s key', (_, open) => {
  let database: Database
  let homes: readonly Home[]
  let older: StoreShop
  let newer: StoreShop
  beforeEach(async () => {
    database = await open()
    const before = await database.open(OLD)
    const after = await database.open(`${NEW},${OLD}`)
    homes = [before, after]
    older = openShop(before.store)
    newer = openShop(after.store)
  })
  afterEach(async () => {
    for (const home of homes) await home.close()
    await database.drop()
  })

  /** An order with a code to send and an event to deliver. */
  const submitOrder = async (at: StoreShop): Promise<string> => {
    const step = older.preparePlacing()
    await unwrap(at.store.place(step, '{"order":{}}'))
    await at.submit(step.order.placed.orderRef)
    return step.order.placed.orderRef
  }

  const trouble = E.left({
    _tag: 'Unavailable',
    code: 'key_missing',
    message: expect.stringContaining('has no key "new"'),
  })
  const one = { deliveries: 1, internal: 1, perMerchant: 1 }
  const claimJobs = ({ store, now }: StoreShop) =>
    store.claim(() => ({ at: now(), lease: MINUTE, perMerchant: 1, capacity: { internal: 1, deliveries: 1 } }))()
  const summaryOf = (entries: readonly Job[]) => entries.map(({ orderRef, lane, attempt }) => [orderRef, lane, attempt])

  it('runs the jobs it can decrypt, releases the others as if they were never claimed, and reports it', async () => {
    const theirs = await submitOrder(newer)
    const ours = await submitOrder(older)
    expect(summaryOf(await older.claim()).toSorted()).toEqual([
      [ours, 'action', 1],
      [ours, 'sms', 1],
    ])
    expect(summaryOf(await newer.claim()).toSorted()).toEqual([
      [theirs, 'action', 1],
      [theirs, 'sms', 1],
    ])
    expect(await claimJobs(older)).toEqual(trouble)
  })

  it('skips jobs it cannot decrypt for the duration of a lease, and then reports them again', async () => {
    const theirs = await submitOrder(newer)
    const ours = await submitOrder(older)
    let wakes = 0
    older.store.onCommitted(() => {
      wakes += 1
    })
    // These jobs are due first, and use all of the capacity.
    for (const round of [1, 2]) {
      expect([round, await claimJobs(older)]).toEqual([round, E.right([])])
      expect([round, await claimJobs(older)]).toEqual([round, trouble])
      older.advance(round === 1 ? MINUTE : 0)
    }
    const wakesBefore = wakes
    expect(summaryOf(await older.claim(one)).map(([orderRef]) => orderRef)).toEqual([ours, ours])
    expect(await older.claim(one)).toEqual([])
    expect(wakes).toBe(wakesBefore)
    expect(summaryOf(await newer.claim()).toSorted()).toEqual([
      [theirs, 'action', 1],
      [theirs, 'sms', 1],
    ])
  })
})
