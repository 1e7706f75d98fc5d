// Opens a database as an earlier version left it.
import { openPostgres } from '@plazo/adapters/postgres'
import { given, NOON, openShop } from '@plazo/core/testing/contracts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ask } from '../support/ask-postgres.ts'
import { emptyDatabase, type FreshDatabase } from '../support/postgres-database.ts'
import { KEYRING } from '../support/postgres-home.ts'

let database: FreshDatabase
beforeEach(async () => {
  database = await emptyDatabase()
})
afterEach(() => database.drop())

const open = () => openPostgres(database.url, { keyring: KEYRING, realNow: () => NOON })

// The earlier version recorded attempts when they began, and one index per merchant held all its deliveries.
const AS_BEFORE = `
  drop index plazo.outbox_ended_of_merchant, plazo.outbox_ended;
  create index outbox_of_merchant on plazo.outbox (queue, id) where class <> 'work' and resend_of is null;
  insert into plazo.attempts (order_ref, delivery_id, n, cause, started_at)
    select order_ref, id, attempt, started_by, started_at from plazo.outbox where state = 'claimed' and class <> 'work';
  drop table plazo.key_changes;
  alter table plazo.outbox drop column attempt, drop column started_at, drop column started_by,
    drop column account, drop column share;
  update plazo.schema_version set version = 1`

// A server of that version, running at the same time, has claimed the pending deliveries and died.
const CLAIMED_AS_BEFORE = `
  update plazo.outbox set state = 'claimed', token = 'x', lease_until = 0, attempts = attempts + 1
    where state = 'pending' and class <> 'work';
  insert into plazo.attempts (order_ref, delivery_id, n, cause, started_at)
    select order_ref, id, attempts, 'schedule', due_at from plazo.outbox where token = 'x'`

it('claims of a server of the previous version that died are reclaimed', async () => {
  const { store, close } = await open()
  const shop = openShop(store)
  await shop.submit(await shop.place())
  const [failed] = await shop.claim({ work: 0 })
  if (failed === undefined) throw new Error('No event is due.')
  await shop.settle(failed, null, { type: 'again', dueAt: NOON })
  await ask(database.url, CLAIMED_AS_BEFORE)
  expect(await shop.claim({ work: 0 })).toMatchObject([{ key: failed.key, attempt: 3 }])
  expect((await given(store.deliveries.find('demo', failed.key))).attempts).toMatchObject([
    { n: 1, outcome: expect.any(String) },
    { n: 2, outcome: 'lost' },
    { n: 3, outcome: null },
  ])
  await close()
})

it('an attempt in flight stays in flight across the migration, and is lost when its lease expires', async () => {
  const before = await open()
  const shop = openShop(before.store)
  await shop.submit(await shop.place())
  const [failed] = await shop.claim({ work: 0 })
  if (failed === undefined) throw new Error('No event is due.')
  await shop.settle(failed, null, { type: 'again', dueAt: NOON })
  expect(await shop.claim({ work: 0, lease: 0 })).toMatchObject([{ attempt: 2 }])
  const seen = await given(before.store.deliveries.find('demo', failed.key))
  await before.close()
  await ask(database.url, AS_BEFORE)

  const { store, close } = await open()
  expect(await given(store.deliveries.find('demo', failed.key))).toEqual(seen)
  expect(seen.attempts).toMatchObject([{ n: 1 }, { n: 2, outcome: null }])
  expect(await openShop(store).claim({ work: 0 })).toMatchObject([{ key: failed.key, attempt: 3 }])
  expect((await given(store.deliveries.find('demo', failed.key))).attempts).toMatchObject([
    { n: 1 },
    { n: 2, outcome: 'lost' },
    { n: 3, outcome: null },
  ])
  await close()
})

it('a long reference that was held unhashed is still held', async () => {
  const before = await open()
  const shop = openShop(before.store)
  const [short, long] = ['A-1', 'A'.repeat(5_000)]
  const refs = [await shop.place(undefined, short), await shop.place(undefined, long)]
  for (const orderRef of refs) await shop.lead(orderRef)
  await before.close()
  await ask(
    database.url,
    `
    update plazo.held_references set reference = '${JSON.stringify(long)}' where order_ref = '${refs[1]}';
    drop table plazo.key_changes;
    alter table plazo.outbox drop column account, drop column share;
    update plazo.schema_version set version = 3`,
  )

  const { store, close } = await open()
  for (const [n, reference] of [short, long].entries())
    expect((await given(store.findHolder('demo', reference))).placed.orderRef).toBe(refs[n])
  await close()
})
