// The upper limit on PostgreSQL: a bare Hono handler that parses the body and group-commits rows of
// the same number and size as plazo's first submission. One statement reads all waiting requests,
// and another writes them.
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import pg from 'pg'

const [
  ,
  ,
  connectionString = '',
  orderBytes = '1',
  journalBytes = '1',
  outboxBytes = '1',
  effects = '2',
] = process.argv

const client = new pg.Client({ connectionString })
await client.connect()
await client.query(`
  create table if not exists bare_orders (order_ref uuid primary key, revision integer not null, snapshot bytea not null)
    with (fillfactor = 70);
  create table if not exists bare_journal (order_ref uuid, seq integer, at bigint not null, event text not null,
    from_state text not null, to_state text not null, input bytea, primary key (order_ref, seq));
  create table if not exists bare_outbox (order_ref uuid, id bigint generated always as identity, revision integer not null,
    lane text not null, queue text not null, merchant text not null, work bytea, state text not null, due_at bigint not null,
    primary key (order_ref, id));
  create index if not exists bare_due on bare_outbox (queue, merchant, due_at, id) where state = 'pending'`)

const READ = {
  name: 'read',
  text: 'select order_ref, revision, snapshot from bare_orders where order_ref = any($1::uuid[])',
}
const WRITE = {
  name: 'write',
  text: `
    with given as (select * from unnest($1::uuid[], $2::integer[]) as g (order_ref, revision)),
      stepped as (
        update bare_orders o set revision = g.revision + 1, snapshot = $3 from given g
        where o.order_ref = g.order_ref and o.revision = g.revision),
      journaled as (
        insert into bare_journal
        select order_ref, revision + 1, $6, 'person.submitted', 'identifying unassessed none',
          'verifyingPhone unassessed none', $4 from given)
    insert into bare_outbox (order_ref, revision, lane, queue, merchant, work, state, due_at)
    select order_ref, revision + 1, 'lane' || n, 'work', '', $5, 'delivered', $6
    from given cross join generate_series(1, $7) n`,
}

const snapshot = Buffer.alloc(Number(orderBytes), 'x')
const line = Buffer.alloc(Number(journalBytes), 'x')
const work = Buffer.alloc(Number(outboxBytes), 'x')

type Waiter = {
  readonly uuid: string
  readonly resolve: () => void
  readonly reject: (cause: unknown) => void
}
let waiting: Waiter[] = []
let isCommitting = false

const commitAll = async (): Promise<void> => {
  isCommitting = true
  while (waiting.length > 0) {
    const together = waiting
    waiting = []
    try {
      const { rows } = await client.query({ ...READ, values: [together.map(({ uuid }) => uuid)] })
      const refs = rows.map(({ order_ref }) => order_ref)
      const revisions = rows.map(({ revision }) => revision)
      await client.query({
        ...WRITE,
        values: [refs, revisions, snapshot, line, work, Date.now(), Number(effects)],
      })
      for (const { resolve } of together) resolve()
    } catch (cause) {
      for (const { reject } of together) reject(cause)
    }
  }
  isCommitting = false
}

const app = new Hono()
  .post('/place', async (c) => {
    const uuids = (await c.req.json()) as readonly string[]
    await client.query('insert into bare_orders select unnest($1::uuid[]), 1, $2', [
      uuids,
      snapshot,
    ])
    return c.json({})
  })
  .post('/api/v1/checkout/:uuid/identification', async (c) => {
    await c.req.json()
    const uuid = c.req.param('uuid')
    await new Promise<void>((resolve, reject) => {
      if (waiting.push({ uuid, resolve, reject }) === 1 && !isCommitting) setImmediate(commitAll)
    })
    return c.json({ action: 'require_validate_otp' })
  })

const server = createAdaptorServer({ fetch: app.fetch })
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`)
})
