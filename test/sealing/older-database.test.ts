// Opening a database from before encryption must encrypt it: nothing may be lost, and nothing may stay in plain text.
import { newKeyring } from '@plazo/adapters/sealing'
import { type Home, openSqlite } from '@plazo/adapters/sqlite'
import { aMerchant, CODE, given, NOON, openShop } from '@plazo/core/testing/contracts'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase } from '../../packages/adapters/src/sqlite/database.ts'
import { MIGRATIONS } from '../../packages/adapters/src/sqlite/migrations.ts'
import { openVault } from '../../packages/adapters/src/sqlite/open-vault.ts'
import { inTemporaryFolder } from '../contract/temporary-folder.ts'
import { rawBytes, tracesIn } from './traces.ts'

/** The last version that stored everything as text. */
const PLAIN_VERSION = 3
const ORDERS = 45
const SECRETS = ['0123456789abcdef0123456789abcdef', 'f'.repeat(32)]
const SAID = [
  'Ana María',
  '12345678Z',
  '600123456',
  'Calle Mayor',
  `is ${CODE}`,
  'una cama',
  'de su clienta',
  ...SECRETS,
]

const keyring = newKeyring()
let sealedPath: string
let path: string
let remove: () => void
beforeEach(() => {
  const folder = inTemporaryFolder('plazo.db')
  path = folder.path
  sealedPath = `${path}.sealed`
  remove = folder.remove
})
afterEach(() => remove())

type Row = Readonly<Record<string, unknown>>

const wanted = { merchantRef: 'demo', orderRef: null, state: null, before: null, limit: 1000 }

const fill = async (): Promise<readonly string[]> => {
  const home = openSqlite(sealedPath, { keyring })
  const shop = openShop(home.store)
  await given(home.merchants.add(aMerchant()))
  await given(home.merchants.rotateSecret('demo', 'f'.repeat(32), NOON))
  const refs: string[] = []
  for (let count = 0; count < ORDERS; count++) {
    const orderRef = await shop.place()
    refs.push(orderRef)
    await shop.submit(orderRef)
    const message = {
      key: `${orderRef}:2:sms`,
      orderRef,
      at: NOON,
      to: '600123456',
      text: `Code is ${CODE}`,
      code: CODE,
    }
    await given(home.shelf.addMessage(message))
    await shop.submit(orderRef, { validation_code: CODE })
  }
  const [delivery] = (await shop.claim({ work: 0 })).filter(({ work }) => work.kind === 'event')
  if (delivery === undefined) throw new Error('No event is due.')
  const report = { durationMillis: 5, status: 500, error: 'unaccepted_status', response: 'un pedido de su clienta' }
  await shop.settle(delivery, null, { type: 'again', dueAt: NOON + 1 }, report)
  const stuck = await shop.claimOne(refs[0] ?? '', 'screening')
  await given(
    home.store.settle(
      stuck,
      { type: 'ended', as: 'delivered' },
      () => ({ _tag: 'Left', left: { message: 'Ana María' } }),
      null,
    ),
  )
  await given(home.store.deliveries.resend('demo', delivery.key, NOON))
  // A second delivery is in flight.
  await shop.claim({ work: 0, deliveries: 1 })
  await home.close()
  return refs
}

/** Writes the same rows as that version stored them. */
const writeAsBefore = (): void => {
  const from = openDatabase(sealedPath)
  const vault = openVault(from, sealedPath, keyring)
  const to = new Sqlite(path)
  for (const migration of MIGRATIONS.slice(0, PLAIN_VERSION)) to.exec(migration)
  to.pragma(`user_version = ${PLAIN_VERSION}`)
  const rowsOf = (table: string): readonly Row[] => from.prepare<[], Row>(`select * from ${table}`).all()
  const write = (table: string, row: Row): void => {
    const names = Object.keys(row)
    to.prepare(`insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`).run(
      ...Object.values(row),
    )
  }
  const opened = (orderId: unknown, place: string, value: unknown): unknown =>
    Buffer.isBuffer(value) ? vault.open(Number(orderId), place, value) : value
  const orderOf = new Map(rowsOf('orders').map(({ id, order_ref }) => [String(order_ref), id]))
  const deliveries = new Map(rowsOf('outbox').map(({ id, order_id }) => [id, order_id]))

  for (const { last_line: _, ...row } of rowsOf('orders'))
    write('orders', { ...row, snapshot: opened(row.id, `snapshot ${row.revision}`, row.snapshot) })
  for (const { order_id, placed } of rowsOf('placements'))
    write('placements', {
      order_id,
      placed: opened(order_id, 'placed', placed),
      payload: '{"order":{"customer":"una cama"}}',
    })
  for (const { id: _, previous: __, ...row } of rowsOf('journal'))
    write('journal', { ...row, input: opened(row.order_id, `input ${row.seq}`, row.input) })
  for (const { event: _, account: __, share: ___, attempt: n, started_at, started_by: cause, ...row } of rowsOf(
    'outbox',
  )) {
    // That version recorded an attempt when it began.
    if (row.state === 'claimed' && row.class !== 'work')
      write('attempts', { delivery_id: row.resend_of ?? row.id, n, cause, started_at })
    const lane = String(row.lane).replace(/^beside /, '')
    const work = opened(row.order_id, `work ${row.revision}:${lane}`, row.work)
    write('outbox', { ...row, work, message: opened(row.order_id, `message ${row.id}`, row.message) })
  }
  for (const row of rowsOf('attempts')) {
    const place = `response ${row.delivery_id}.${row.n}`
    write('attempts', { ...row, response: opened(deliveries.get(row.delivery_id), place, row.response) })
  }
  for (const { id, key, at, message } of rowsOf('sandbox_messages')) {
    const orderId = orderOf.get(String(key).split(':')[0] ?? '')
    const { to: recipient, text, code } = JSON.parse(String(opened(orderId, `message ${key}`, message)))
    write('sandbox_messages', { id, key, at, recipient, text, code })
  }
  for (const row of rowsOf('merchants')) write('merchants', { ...row, signature_secret: SECRETS[1] })
  for (const row of rowsOf('retired_secrets')) write('retired_secrets', { ...row, secret: SECRETS[0] })
  to.close()
  from.close()
}

const seenIn = async (home: Home, refs: readonly string[]) => ({
  orders: await Promise.all(refs.map((orderRef) => given(home.store.read(orderRef)))),
  journals: await Promise.all(refs.map((orderRef) => given(home.store.journal(orderRef)))),
  messages: await Promise.all(refs.map((orderRef) => given(home.shelf.messages(orderRef)))),
  deliveries: await given(home.store.deliveries.list(wanted)),
  stuck: await given(home.store.stuck()),
  secrets: await given(home.merchants.liveSecrets('demo', NOON)),
})

it('opening an older database keeps its contents, and leaves no plain text in any page', async () => {
  const refs = await fill()
  const sealed = openSqlite(sealedPath, { keyring })
  const before = await seenIn(sealed, refs)
  await sealed.close()
  writeAsBefore()
  expect(tracesIn(rawBytes(path), SAID)).toEqual(SAID)

  const home = openSqlite(path, { keyring: newKeyring() })
  expect(await seenIn(home, refs)).toEqual(before)
  expect(before.deliveries.flatMap(({ attempts }) => attempts.map(({ outcome }) => outcome))).toContain(null)
  expect(before.stuck).toMatchObject([{ message: 'Ana María' }])
  expect(before.deliveries.flatMap(({ attempts }) => attempts.map(({ response }) => response))).toContain(
    'un pedido de su clienta',
  )
  const claimed = await openShop(home.store).claim({ perMerchant: 1000, deliveries: 1000, work: 1000 })
  expect(claimed.filter(({ work }) => work.kind === 'screening' && work.person.nin === '12345678Z')).toHaveLength(
    ORDERS - 1,
  )
  expect(tracesIn(rawBytes(path), SAID)).toEqual([])
  await home.close()
  expect(tracesIn(rawBytes(path), SAID)).toEqual([])
})
