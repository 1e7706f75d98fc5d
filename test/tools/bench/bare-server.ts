// The limit of a first submission: a bare Hono handler on the same libraries, which parses the body
// and group-commits rows of the same number and size. `node bare-server.ts <database url> <bytes of
// the order> <of its line> <of its effect>`
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import pg from 'pg'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'

const [url = '', ...sizes] = process.argv.slice(2)
const [order, line, effect] = sizes.map((size) => Buffer.alloc(Number(size), 'x'))

type Bare = {
  readonly place: (uuids: readonly string[]) => Promise<unknown>
  readonly submit: (uuids: readonly string[]) => Promise<unknown>
}

const openSqlite = (): Bare => {
  const db = openDatabase(url.slice('sqlite:'.length))
  db.exec(`
    create table bare_orders (id integer primary key, uuid text unique, revision integer, snapshot blob);
    create table bare_journal (id integer primary key, order_id integer, at integer, input blob);
    create index bare_lines on bare_journal (order_id, id);
    create table bare_jobs (id integer primary key, order_id integer, due_at integer, work blob);
    create index bare_due on bare_jobs (due_at, id)`)
  const insert = db.prepare('insert into bare_orders (uuid, revision, snapshot) values (?, 1, ?)')
  const select = db.prepare<[string], number>('select id from bare_orders where uuid = ?').pluck()
  const update = db.prepare(
    'update bare_orders set revision = revision + 1, snapshot = ? where id = ?',
  )
  const addLine = db.prepare('insert into bare_journal (order_id, at, input) values (?, ?, ?)')
  const addJob = db.prepare('insert into bare_jobs (order_id, due_at, work) values (?, ?, ?)')
  const place = db.transaction((uuids: readonly string[]) => {
    for (const uuid of uuids) insert.run(uuid, order)
  })
  const submit = db.transaction((uuids: readonly string[]) => {
    for (const uuid of uuids) {
      const id = select.get(uuid)
      update.run(order, id)
      addLine.run(id, Date.now(), line)
      addJob.run(id, Date.now(), effect)
    }
  })
  return { place: async (uuids) => place(uuids), submit: async (uuids) => submit.immediate(uuids) }
}

const openPostgres = async (): Promise<Bare> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    create table bare_orders (uuid uuid primary key, revision integer, snapshot bytea) with (fillfactor = 70);
    create table bare_journal (uuid uuid, seq integer, at bigint, input bytea, primary key (uuid, seq));
    create table bare_jobs (uuid uuid, id bigint generated always as identity, due_at bigint, work bytea, primary key (uuid, id));
    create index bare_due on bare_jobs (due_at, id)`)
  const read = 'select uuid, revision, snapshot from bare_orders where uuid = any($1::uuid[])'
  const write = `
    with submitted as (
        update bare_orders set revision = revision + 1, snapshot = $2 where uuid = any($1::uuid[])
        returning uuid, revision),
      lines as (insert into bare_journal select uuid, revision, $5, $3 from submitted)
    insert into bare_jobs (uuid, due_at, work) select uuid, $5, $4 from submitted`
  return {
    place: (uuids) =>
      client.query('insert into bare_orders select unnest($1::uuid[]), 1, $2', [uuids, order]),
    submit: async (uuids) => {
      await client.query({ name: 'read', text: read, values: [uuids] })
      const values = [uuids, order, line, effect, Date.now()]
      await client.query({ name: 'write', text: write, values })
    },
  }
}

const bare = url.startsWith('sqlite:') ? openSqlite() : await openPostgres()

let waiting: { readonly uuid: string; readonly resolve: () => void }[] = []
let isCommitting = false
const commitAll = async (): Promise<void> => {
  isCommitting = true
  while (waiting.length > 0) {
    const together = waiting
    waiting = []
    await bare.submit(together.map(({ uuid }) => uuid))
    for (const { resolve } of together) resolve()
  }
  isCommitting = false
}

const app = new Hono()
  .post('/place', async (c) => {
    await bare.place(await c.req.json())
    return c.json({})
  })
  .post('/api/v1/checkout/:uuid/identification', async (c) => {
    await c.req.json()
    const uuid = c.req.param('uuid')
    await new Promise<void>((resolve) => {
      if (waiting.push({ uuid, resolve }) === 1 && !isCommitting) setImmediate(commitAll)
    })
    return c.json({ action: 'require_validate_otp' })
  })

const server = createAdaptorServer({ fetch: app.fetch })
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`)
})
