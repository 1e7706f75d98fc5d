// A claim and the lists read as much behind 20,000 finished deliveries as without them. It counts rows,
// never time, so that the result does not depend on the machine.
import { aMerchant, HOUR, listedDeliveries, openShop } from '@plazo/core/internal/testing'
import { afterAll, expect, it } from 'vitest'
import { queryPostgres } from '../../../harness/postgres.ts'
import { openPostgresTestStorage } from '../../../harness/postgres-storage.ts'
import { recordPostgresReads } from '../../../harness/statement-reads.ts'

const home = await openPostgresTestStorage()
const { record, close } = await recordPostgresReads(home.url)
afterAll(async () => {
  await close()
  await home.close()
})
const shop = openShop(home.store)
for (const ref of ['a', 'b', 'c']) await shop.submit(await shop.place(aMerchant(ref)))
// Each was due and tried once, as a real delivery is.
await queryPostgres(
  home.url,
  `with made as materialized (select gen_random_uuid() as order_ref from generate_series(1, 20000)),
   placed as (
     insert into plazo.orders (order_ref, merchant_ref, revision, checkout, placed_at, changed_at)
     select order_ref, 'a', 2, 'confirmed', 0, 0 from made returning id),
   keys as (
     insert into plazo.data_keys (order_id, key_id, tag, ciphertext) select id, 'none', id, ''::bytea from placed),
   sent as (
     insert into plazo.outbox (
       order_id, n, revision, lane, queue, merchant, account, event, work, state, due_at, attempts, revoked, made_at)
     select id, 1, 2, 'action', 'event', 'a', 'a', 'identification_action', '{}'::bytea, 'delivered', id, 1, false, id
     from placed returning order_id)
   insert into plazo.attempts (order_id, job, n, cause, started_at, outcome)
   select order_id, 1, 1, 'schedule', 0, 'accepted' from sent`,
)

const list = (state: 'delivered' | 'pending' | null) => () =>
  listedDeliveries(home.store, { merchantRef: 'a', state, limit: 100 })

it.each<readonly [what: string, run: () => Promise<unknown>]>([
  ['a claim of what is due', () => shop.claim({ at: shop.now() + HOUR })],
  [
    'a look for old deliveries',
    home.store.retention.dropDeliveries({ before: 0, after: 0, rows: 100 }),
  ],
  ['a list of the newest', list(null)],
  ['a list of the newest that are delivered', list('delivered')],
  ['a list of the newest that are pending', list('pending')],
])('%s scans no others', async (_, run) => {
  const { rows, scans } = await record(run)
  expect(rows).toBeLessThan(600)
  expect(scans.filter((scan) => /^(orders|outbox|attempts):/.test(scan))).toEqual([])
})
