// Reads all that a database has of its orders, decrypted, so that a run can be reconciled against it. One
// text reads both databases. Each row is found through its order, as plazo finds it.
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Keyring } from '@plazo/adapters/internal/encryption'
import { keyFilePath } from '@plazo/adapters/internal/sqlite'
import {
  AAD_ORDER_PAYLOAD,
  AAD_PLACED,
  aadForInput,
  aadForPayload,
  aadForSnapshot,
  createCipher,
  type EncryptedDataKey,
} from '../../../packages/adapters/src/encryption/cipher.ts'
import { openConnection } from '../../../packages/adapters/src/postgres/connection/connection.ts'
import { openCipher } from '../../../packages/adapters/src/sqlite/encryption/master-keys.ts'
import {
  type Database,
  openDatabase,
} from '../../../packages/adapters/src/sqlite/schema/database.ts'
import { createSealer, type Sealer } from '../../../packages/adapters/src/store/seal.ts'

export type Line = {
  readonly seq: number
  readonly at: number
  readonly event: string
  readonly detail: string | null
  readonly from: string
  readonly to: string
  readonly input: string | null
}

export type StoredRow = {
  readonly id: number
  readonly orderRef: string
  readonly revision: number
  readonly placed: string
  readonly snapshot: string
  readonly payload: string
}

export type OutboxRow = {
  readonly orderId: number
  readonly revision: number
  readonly lane: string
  readonly queue: string
  readonly work: string
  readonly state: string
}

export type DatabaseSnapshot = {
  readonly orders: readonly StoredRow[]
  readonly lines: (orderId: number) => readonly Line[]
  readonly outbox: readonly OutboxRow[]
  readonly messages: readonly { readonly key: string; readonly code: string }[]
  readonly cardOwners: number
  /** `ok`, or what is wrong with the rows. */
  readonly integrity: string
}

type Query = <Row>(sql: string) => Promise<readonly Row[]>

type OrderKey = EncryptedDataKey & { readonly orderId: number; readonly orderRef: string }

type Row = OrderKey &
  Readonly<Record<'revision' | 'seq' | 'at', number>> & {
    readonly [column in 'placed' | 'snapshot' | 'payload' | 'content']: Buffer
  }

type SnapshotParts = {
  readonly query: Query
  readonly sealer: Pick<Sealer, 'open'>
  readonly schema: '' | 'plazo.'
  /** The table of the snapshots, and its column with the order's number. */
  readonly snapshots: string
  /** A statement that returns a row for each error, with what is wrong. */
  readonly broken: string
}

const readSnapshot = async (parts: SnapshotParts): Promise<DatabaseSnapshot> => {
  const { query, schema, snapshots, broken } = parts
  const open = ({ orderRef, ...key }: OrderKey, place: string, value: Buffer): string =>
    parts.sealer.open(orderRef, key, place, value)
  const ofOrder = (columns: string, table: string, order: string): Promise<readonly never[]> =>
    query<never>(`
      select o.id as "orderId", o.order_ref as "orderRef", k.key_id as "keyId", k.tag, k.ciphertext, ${columns}
      from ${table} t join ${schema}orders o on o.id = t.order_id join ${schema}data_keys k on k.order_id = o.id
      order by ${order}`)

  const orders: readonly Row[] = await query<Row>(`
    select o.id as "orderId", o.order_ref as "orderRef", k.key_id as "keyId", k.tag, k.ciphertext,
      o.revision, p.placed, p.payload, s.snapshot
    from ${schema}orders o join ${schema}placements p on p.order_id = o.id
    join ${schema}data_keys k on k.order_id = o.id join ${schema}${snapshots} = o.id order by o.id`)
  const lines: readonly (OrderKey & Omit<Line, 'input'> & { readonly input: Buffer | null })[] =
    await ofOrder(
      't.seq, t.at, t.event, t.detail, t.from_state as "from", t.to_state as "to", t.input',
      `${schema}journal`,
      'o.id, t.seq',
    )
  const outbox: readonly (OrderKey & Omit<OutboxRow, 'work'> & { readonly work: Buffer })[] =
    await ofOrder('t.revision, t.lane, t.queue, t.work, t.state', `${schema}outbox`, 't.id')
  const records: readonly Row[] = await ofOrder(
    't.at, t.content',
    `(select * from ${schema}records where kind = 'message')`,
    't.id',
  )
  const messages = records.map(
    (row) =>
      JSON.parse(open(row, `record message ${row.at}`, row.content)) as {
        key: string
        code: string
      },
  )
  const [cards] = await query<{ readonly owners: number }>(
    `select count(distinct substr(key, 1, 64)) as owners from ${schema}records where kind = 'card'`,
  )
  const faults = await query<{ readonly what: string }>(broken)
  const linesOf = Map.groupBy(lines, ({ orderId }) => orderId)
  return {
    orders: orders.map((row) => ({
      id: row.orderId,
      orderRef: row.orderRef,
      revision: row.revision,
      placed: open(row, AAD_PLACED, row.placed),
      snapshot: open(row, aadForSnapshot(row.revision), row.snapshot),
      payload: open(row, AAD_ORDER_PAYLOAD, row.payload),
    })),
    lines: (orderId) =>
      (linesOf.get(orderId) ?? []).map((row) => {
        const { seq, at, event, detail, from, to } = row
        const input = row.input && open(row, aadForInput(seq), row.input)
        return { seq, at, event, detail, from, to, input }
      }),
    outbox: outbox.map((row) => ({
      ...row,
      work: row.work.toString().startsWith('{')
        ? row.work.toString()
        : open(row, aadForPayload(row.revision, row.lane), row.work),
    })),
    // A message that was added again after a crash counts once, as it is listed.
    messages: [...new Map(messages.map(({ key, code }) => [key, { key, code }])).values()],
    cardOwners: cards?.owners ?? 0,
    integrity: faults.length === 0 ? 'ok' : faults.map(({ what }) => what).join('; '),
  }
}

const BROKEN_CHAIN = `
  select 'order ' || o.id || ' does not know its last line' as what
  from orders o left join journal j on j.id = o.last_line where j.order_id is not o.id or j.seq is not o.revision
  union all
  select 'line ' || j.id || ' does not know the line before it'
  from journal j left join journal p on p.id = j.previous
  where iif(j.seq = 1, j.previous is not null, p.order_id is not j.order_id or p.seq is not j.seq - 1)
  union all
  select integrity_check from pragma_integrity_check where integrity_check <> 'ok'`

const BROKEN_COUNTS = `
  select 'a delivery of order ' || b.order_id || ' counts ' || b.attempts || ' attempts, and has ' || count(a.n) as what
  from plazo.outbox b left join plazo.attempts a on a.order_id = b.order_id and a.job = b.n
  where b.queue <> 'work' and b.resend_of is null group by b.order_id, b.n having b.attempts <> count(a.n)
  union all
  select 'the schema was made twice' from plazo.schema_version having count(*) <> 1`

/** `keyring` null: the keys of the file beside the database. */
export const sqliteSnapshot = (db: Database, keyring: Keyring | null): Promise<DatabaseSnapshot> =>
  readSnapshot({
    query: async <Row>(sql: string) => db.prepare<[], Row>(sql).all(),
    sealer: createSealer(openCipher(db, keyring)),
    ...{ schema: '', snapshots: 'orders s on s.id', broken: BROKEN_CHAIN },
  })

export const sqliteFileSnapshot = async (path: string): Promise<DatabaseSnapshot> => {
  const db = openDatabase(path)
  try {
    return await sqliteSnapshot(db, null)
  } finally {
    db.close()
  }
}

/** Nothing may be in flight. */
export const postgresSnapshot = async (
  url: string,
  keyring: Keyring,
): Promise<DatabaseSnapshot> => {
  const connection = openConnection(url, { connections: 1 })
  const sealer = createSealer(createCipher(keyring))
  try {
    return await connection.transaction(async (send) => {
      const query: Query = (text) => send({ name: '', text })
      await query('set transaction isolation level repeatable read')
      return readSnapshot({
        ...{ query, sealer, schema: 'plazo.' },
        ...{ snapshots: 'snapshots s on s.order_id', broken: BROKEN_COUNTS },
      })
    })
  } finally {
    await connection.close()
  }
}

/**
 * Reads a copy of the file that a kill left behind, so that the restarted server's recovery is not done
 * for it. Call it only while no server runs on the file.
 */
export const copiedSnapshot = async (file: string): Promise<DatabaseSnapshot> => {
  const folder = join(dirname(file), 'looked-at')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const copy = join(folder, 'plazo.db')
  copyFileSync(file, copy)
  copyFileSync(keyFilePath(file), keyFilePath(copy))
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`)
  return sqliteFileSnapshot(copy)
}
