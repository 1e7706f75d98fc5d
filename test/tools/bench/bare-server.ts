// The upper limit on SQLite: a bare Hono handler on the same libraries. It parses the body,
// group-commits rows of the same number and size as plazo's first submission, and does nothing
// else.
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'

const [
  ,
  ,
  path = ':memory:',
  orderBytes = '1',
  journalBytes = '1',
  outboxBytes = '1',
  effects = '2',
] = process.argv

const db = openDatabase(path)
const insertOrder = db.prepare(
  `insert into orders (order_ref, merchant_ref, revision, snapshot, job_count, checkout, placed_at, changed_at)
   values (?, 'demo', 1, ?, 0, 'identification', 0, 0)`,
)
const updateOrder = db.prepare(
  'update orders set revision = revision + 1, snapshot = ? where order_ref = ?',
)
const idOf = db.prepare<[string], number>('select id from orders where order_ref = ?').pluck()
const insertLine = db.prepare(
  `insert into journal (order_id, seq, at, event, from_state, to_state, input, previous) values (?, 2, ?, 'person.submitted', 'identifying unassessed none', 'verifyingPhone unassessed none', ?, 1)`,
)
const insertEffect = db.prepare(
  `insert into outbox (order_id, n, revision, lane, queue, merchant, account, attempts, tries, revoked, work, state, due_at, made_at)
   values (?, ?, 2, ?, 'work', '', '', 0, 0, 0, ?, 'delivered', ?, 0)`,
)
const begin = db.prepare('begin immediate')
const commit = db.prepare('commit')

const snapshot = Buffer.alloc(Number(orderBytes), 'x')
const line = Buffer.alloc(Number(journalBytes), 'x')
const work = Buffer.alloc(Number(outboxBytes), 'x')

type Waiter = { readonly uuid: string; readonly resolve: () => void }
let waiting: Waiter[] = []

const commitAll = (): void => {
  const together = waiting
  waiting = []
  begin.run()
  for (const { uuid } of together) {
    const id = idOf.get(uuid) ?? 0
    updateOrder.run(snapshot, uuid)
    insertLine.run(id, Date.now(), line)
    for (let effect = 0; effect < Number(effects); effect++)
      insertEffect.run(id, effect + 1, `lane${effect}`, work, Date.now())
  }
  commit.run()
  for (const { resolve } of together) resolve()
}

const app = new Hono()
  .post('/place', async (c) => {
    const uuids = (await c.req.json()) as readonly string[]
    db.transaction(() => {
      for (const uuid of uuids) insertOrder.run(uuid, snapshot)
    })()
    return c.json({})
  })
  .post('/api/v1/checkout/:uuid/identification', async (c) => {
    await c.req.json()
    const uuid = c.req.param('uuid')
    await new Promise<void>((resolve) => {
      if (waiting.push({ uuid, resolve }) === 1) setImmediate(commitAll)
    })
    return c.json({ action: 'require_validate_otp' })
  })

const server = createAdaptorServer({ fetch: app.fetch })
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`)
})
