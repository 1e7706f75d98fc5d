import { aMerchant, HOUR, listedDeliveries, openShop } from '@plazo/core/testing/contracts'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { READ } from '../../../../packages/adapters/src/postgres/order-reader.ts'
import { PLACE } from '../../../../packages/adapters/src/postgres/sql/place-orders.sql.ts'
import { WRITE } from '../../../../packages/adapters/src/postgres/sql/write-orders.sql.ts'
import { queryPostgres } from '../../../harness/postgres.ts'
import { openPostgresTestStorage } from '../../../harness/postgres-storage.ts'
import { recordPostgresReads } from '../../../harness/statement-reads.ts'
import {
  addFinished,
  type ClaimPlan,
  explainClaim,
  listTablesScanned,
  pretendEmpty,
  vacuum,
} from './finished-rows.ts'

// `pnpm bench claims` measures a claim with a million.
const FINISHED = 20_000
const MODES = ['force_custom_plan', 'force_generic_plan'] as const

type Plans = { readonly [mode in (typeof MODES)[number]]: ClaimPlan }

const home = await openPostgresTestStorage()
afterAll(() => home.close())
await pretendEmpty(home.url)
const walked: string[] = []
for (const statement of [PLACE, READ, WRITE])
  walked.push(...(await listTablesScanned(home.url, statement)))
const shop = openShop(home.store)
for (const ref of ['a', 'b', 'c'])
  for (let n = 0; n < 3; n++) await shop.submit(await shop.place(aMerchant(ref)))
const at = shop.now() + HOUR
const explain = async (): Promise<Plans> => ({
  force_custom_plan: await explainClaim(home.url, at, 'force_custom_plan'),
  force_generic_plan: await explainClaim(home.url, at, 'force_generic_plan'),
})
const before = await explain()
await addFinished(home.url, 'a', FINISHED)
const behind = await explain()
await vacuum(home.url)
const tidied = await explain()

describe.each(MODES)('a claim with many finished deliveries behind it (%s)', (mode) => {
  it('claims as many as before', () => {
    expect(before[mode].claimCount).toBeGreaterThan(10)
    expect([behind[mode].claimCount, tidied[mode].claimCount]).toEqual([
      before[mode].claimCount,
      before[mode].claimCount,
    ])
  })

  it('finds them through indexes, and scans no finished rows', () => {
    for (const { accesses: ways, rows } of [before[mode], behind[mode], tidied[mode]]) {
      expect(ways.filter((way) => !/^Index (Only )?Scan/.test(way))).toEqual([])
      expect(rows).toBeLessThan(500)
    }
  })

  it('reads about as many pages as without them, once dead rows are vacuumed', () => {
    expect(before[mode].pages).toBeGreaterThan(0)
    expect(tidied[mode].pages).toBeLessThan(2 * before[mode].pages)
  })
})

it('a claim reads of each merchant at most as many rows as it has capacity for, no matter how many its account may have in flight', async () => {
  const overrides = await openPostgresTestStorage()
  onTestFinished(overrides.close)
  const shop = openShop(overrides.store)
  const refs = ['a', 'b', 'c']
  for (const ref of refs)
    for (let n = 0; n < 12; n++) await shop.submit(await shop.place(aMerchant(ref)))
  await queryPostgres(
    overrides.url,
    `insert into plazo.endpoints (merchant, kind, is_good)
    select merchant, 'event', true from unnest(array['a', 'b', 'c']) merchant`,
  )
  const claim = async (mode: (typeof MODES)[number], perAccount: number) => {
    const room = { deliveries: 9, notGood: 9, work: 0, perAccount }
    const { claimCount, rows } = await explainClaim(overrides.url, shop.now() + HOUR, mode, room)
    return { claimCount, rows }
  }
  for (const mode of MODES) {
    expect((await claim(mode, 3)).claimCount).toBe(9)
    const unlimited = await claim(mode, 64)
    expect(unlimited.claimCount).toBe(9)
    expect(unlimited.rows).toBeLessThanOrEqual(9 * refs.length)
  }
})

it('a claim for good merchants steps over the others', async () => {
  const home = await openPostgresTestStorage()
  onTestFinished(home.close)
  const shop = openShop(home.store)
  const place = async (ref: string) => shop.submit(await shop.place(aMerchant(ref)))
  for (let n = 10; n < 50; n++) await place(`m${n}`)
  await queryPostgres(
    home.url,
    `insert into plazo.endpoints (merchant, kind, is_good)
    select merchant, 'event', merchant in ('m20', 'm40') from (select distinct merchant from plazo.outbox where queue = 'event') m`,
  )
  for (const mode of MODES) {
    const explain = (notGood: number) =>
      explainClaim(home.url, shop.now() + HOUR, mode, {
        deliveries: 9,
        work: 0,
        perAccount: 3,
        notGood,
      })
    const [all, good] = [await explain(9), await explain(0)]
    expect(all.rows).toBeGreaterThanOrEqual(40)
    expect([all.claimCount, good.claimCount]).toEqual([9, 2])
    expect(good.rows).toBeLessThan(10)
  }
})

describe('of many finished deliveries', () => {
  it('those that are old are looked at without scanning the others', async () => {
    const { record, close } = await recordPostgresReads(home.url)
    onTestFinished(close)
    const drop = home.store.retention.dropDeliveries({ before: 0, after: 0, rows: 100 })
    expect((await record(drop)).rows).toBeLessThan(500)
  })

  it.each([null, 'delivered', 'pending'] as const)(
    'a merchant’s newest are listed without scanning the others (%s)',
    async (state) => {
      const { record, close } = await recordPostgresReads(home.url)
      onTestFinished(close)
      const list = () => listedDeliveries(home.store, { merchantRef: 'a', state, limit: 100 })
      expect((await record(list)).rows).toBeLessThan(600)
    },
  )
})

it('statements that place, read and write find their orders’ rows by index, even if the planner assumes empty tables', () => {
  expect(walked).toEqual([])
})
