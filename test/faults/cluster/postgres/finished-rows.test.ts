import { aMerchant, HOUR, listedDeliveries, openShop } from '@plazo/core/testing/contracts'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  DUE,
  DUE_OF,
  NEXT_DUE,
  READ,
  WORK,
} from '../../../../packages/adapters/src/postgres/base.ts'
import { COMMIT } from '../../../../packages/adapters/src/postgres/sql/commit.sql.ts'
import { openPostgresTestStorage } from '../../../harness/postgres-storage.ts'
import { recordPostgresReads } from '../../../harness/statement-reads.ts'
import {
  addFinished,
  explainRead,
  listTablesScanned,
  pretendEmpty,
  vacuum,
} from './finished-rows.ts'

const FINISHED = 20_000

const home = await openPostgresTestStorage()
afterAll(() => home.close())
await pretendEmpty(home.url)
const walked: string[] = []
for (const statement of [COMMIT, READ, WORK, DUE, DUE_OF, NEXT_DUE])
  walked.push(...(await listTablesScanned(home.url, statement)))
const shop = openShop(home.store)
for (const ref of ['a', 'b', 'c'])
  for (let n = 0; n < 3; n++) await shop.submit(await shop.place(aMerchant(ref)))
const explainDue = async () => ({
  'of all merchants': await explainRead(home.url, DUE, [0, 0, 0, shop.now() + HOUR, 500]),
  'of one': await explainRead(home.url, DUE_OF, ['event', 'a', 0, 0, 0, 500]),
  'of none': await explainRead(home.url, NEXT_DUE, [0, [], []]),
})
const before = await explainDue()
await addFinished(home.url, 'a', FINISHED)
const behind = await explainDue()
await vacuum(home.url)
const tidied = await explainDue()

describe.each(['of all merchants', 'of one', 'of none'] as const)(
  'a look for due jobs with many finished deliveries behind it (%s)',
  (which) => {
    it('scans no finished rows', () => {
      for (const { rows } of [before[which], behind[which], tidied[which]])
        expect(rows).toBeLessThan(500)
    })

    it('reads about as many pages as without them, once dead rows are vacuumed', () => {
      expect(before[which].pages).toBeGreaterThan(0)
      expect(tidied[which].pages).toBeLessThan(2 * before[which].pages)
    })
  },
)

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

it('statements that read and write find their orders’ rows by index, even if the planner assumes empty tables', () => {
  expect(walked).toEqual([])
})
