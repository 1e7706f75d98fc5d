// What each list, filter, search and count reads, on both databases: index entries, so few that a
// page answers at once while a million orders are stored, and never a whole table. `pnpm bench
// console` measures the time.
import { openSqlite } from '@plazo/adapters/sqlite'
import {
  type FullStore,
  LOOKED_AT_MAX,
  type OrderFilter,
  personKey,
  type Records,
} from '@plazo/core/internal'
import { NOON, unwrap } from '@plazo/core/internal/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'
import { failuresSql, manyOrder, placeMany, SHOPS } from '../../harness/many-orders.ts'
import { queryPostgres } from '../../harness/postgres.ts'
import { openPostgresTestStorage } from '../../harness/postgres-storage.ts'
import {
  type RecordReads,
  recordPostgresReads,
  recordSqliteReads,
} from '../../harness/statement-reads.ts'

// More than a page may look at.
const ORDERS = LOOKED_AT_MAX + 2_000
const PAGE = 50

/** `most`: the rows and index entries that it reads at most. */
type Case = readonly [
  name: string,
  call: (store: FullStore, hash: Records['hash']) => Promise<unknown>,
  most: number,
]

// Each listed order has rows in up to five tables, and a page looks one order further.
const OF_PAGE = 6 * (PAGE + 1)
// Orders that do not match are compared too, and what an index names is counted first.
const FITTING = OF_PAGE + 1_000

const search = (
  name: string,
  filter: OrderFilter,
  most: number,
  from: number | null = null,
): Case => [`a list ${name}`, ({ orders }) => unwrap(orders.search(filter, from, PAGE)), most]

const find = (name: string, value: string, isWhole = false): Case =>
  search(name, { text: { value, isWhole } }, FITTING)

const [shop = ''] = SHOPS
const { order } = manyOrder(5_000, ORDERS, NOON)
const { placed, context } = order

const DAY = 86_400_000
const LOOKED_AT = LOOKED_AT_MAX + OF_PAGE
const CAPACITY = { deliveries: 9, notGood: 9, internal: 9 }
/** Tables with a row for a server or a shop. */
const SMALL = /^(?:lease|key_changes|endpoints): /

const CASES: readonly Case[] = [
  search('of all orders', {}, OF_PAGE),
  search('of a merchant', { merchantRef: shop }, OF_PAGE),
  search('of those reviewing', { checkout: 'reviewing' }, OF_PAGE),
  search('of those confirmed, a later page', { checkout: 'confirmed' }, OF_PAGE, ORDERS / 2),
  search(
    'of those placed within a day',
    { placedFrom: NOON - 30 * DAY, placedTo: NOON - 29 * DAY },
    OF_PAGE + 150,
  ),
  search('of a merchant’s failing', { isFailing: true, merchantRef: shop }, FITTING),
  // All orders are of one person.
  [
    'a list of a person’s',
    ({ orders }, hash) =>
      unwrap(orders.search({ person: hash(personKey(order) ?? '') }, null, PAGE)),
    OF_PAGE,
  ],
  find('by the beginning of a reference', context.references.first.slice(0, -1).toLowerCase()),
  find('by the second reference', context.references.second),
  find('by the beginning of a uuid', placed.orderRef.slice(0, 6)),
  find('by a text that nothing has', 'nothing'),
  search('by a text that all have', { text: { value: 'R-', isWhole: false } }, LOOKED_AT),
  // No index fits these, so they stop after 10,000 entries.
  search(
    'of a common state that change later',
    { checkout: 'confirmed', changedFrom: NOON + 1_000 * DAY },
    LOOKED_AT,
  ),
  [
    'the count of all',
    ({ orders }) => unwrap(orders.count({ changedFrom: NOON + DAY })),
    LOOKED_AT_MAX + 1,
  ],
  [
    'those on hold of a merchant',
    ({ orders }) => unwrap(orders.waiting('review', shop, null, PAGE)),
    OF_PAGE,
  ],
  ['the counts of the bar', ({ orders }) => unwrap(orders.countWaiting(null, 10)), 4 * 11],
  [
    'the failing endpoints',
    ({ endpoints }) => unwrap(endpoints.list({ merchantRef: null, isFailing: true, limit: 100 })),
    SHOPS.length * 2,
  ],
  ['the deliveries that wait', ({ endpoints }) => unwrap(endpoints.waiting(shop, 'ipn')), 100],
  [
    'a claim before anything is due',
    ({ claim }) => unwrap(claim(() => ({ at: NOON, perAccount: null, capacity: CAPACITY }))),
    OF_PAGE,
  ],
  [
    'a look for old deliveries',
    ({ retention }) => unwrap(retention.dropDeliveries({ before: 0, after: 0, rows: 100 })),
    OF_PAGE,
  ],
  ['what was given up', ({ deliveries }) => unwrap(deliveries.exhausted(PAGE)), 0],
]

type Opened = {
  readonly store: FullStore
  readonly hash: Records['hash']
  readonly record: RecordReads
  readonly close: () => Promise<void>
}

const openSqliteOrders = async (): Promise<Opened> => {
  const database = openDatabase(':memory:')
  const { store, records, close } = openSqlite(':memory:', { database })
  await placeMany(store, ORDERS, NOON)
  database.exec(failuresSql('', NOON))
  return { store, hash: records.hash, record: recordSqliteReads(database), close }
}

const openPostgresOrders = async (): Promise<Opened> => {
  const { store, records, url, close } = await openPostgresTestStorage()
  await placeMany(store, ORDERS, NOON)
  await queryPostgres(url, failuresSql('plazo.', NOON))
  await queryPostgres(url, 'vacuum analyze')
  const reads = await recordPostgresReads(url)
  return {
    store,
    hash: records.hash,
    record: reads.record,
    close: async () => {
      await reads.close()
      await close()
    },
  }
}

describe.each([
  ['SQLite', openSqliteOrders],
  ['PostgreSQL', openPostgresOrders],
])(`with ${ORDERS} orders on %s`, (_, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  }, 120_000)
  afterAll(() => opened.close())

  it.each(CASES)(
    '%s reads few rows, and no table from its beginning',
    async (_name, call, most) => {
      const { statements, rows, scans } = await opened.record(() => call(opened.store, opened.hash))
      expect(scans.filter((scan) => !SMALL.test(scan))).toEqual([])
      expect(statements).toBeGreaterThan(0)
      expect(rows).toBeLessThanOrEqual(most)
    },
  )
})
