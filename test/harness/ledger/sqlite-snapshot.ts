// Reads the database file that a kill left behind. It reads a copy, so that the restarted server's
// recovery is not done for it, and reads through SQLite, so that the write-ahead log counts.
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { keyFilePath } from '@plazo/adapters/internal/sqlite'
import {
  type Database,
  openDatabase,
} from '../../../packages/adapters/src/sqlite/schema/database.ts'
import { type OpenSealed, sealedValuesOf } from '../sealed-values.ts'

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
  readonly message: string | null
}

type Encrypted<Row, Column extends keyof Row> = Omit<Row, Column> & {
  readonly [column in Column]: Buffer | Extract<Row[column], null>
}

export type DatabaseSnapshot = {
  readonly orders: () => readonly StoredRow[]
  readonly lines: (orderId: number) => readonly Line[]
  readonly outbox: () => readonly OutboxRow[]
  readonly messages: () => readonly { readonly key: string; readonly code: string }[]
  readonly cardOwners: () => number
  /** `ok`, an error that SQLite finds, or a journal with missing lines. */
  readonly integrity: () => string
  readonly close: () => void
}

export const openSqliteSnapshot = (path: string): DatabaseSnapshot => {
  const db = openDatabase(path)
  return sqliteSnapshot(db, sealedValuesOf(db, null))
}

/** A message that was added again after a crash counts once, as it is listed. */
export const messagesOf = (
  contents: readonly string[],
): ReturnType<DatabaseSnapshot['messages']> => {
  const all = contents.map((content) => JSON.parse(content) as { key: string; code: string })
  return [...new Map(all.map(({ key, code }) => [key, { key, code }])).values()]
}

export const sqliteSnapshot = (db: Database, open: OpenSealed): DatabaseSnapshot => {
  const orders = db.prepare<[], Encrypted<StoredRow, 'placed' | 'snapshot' | 'payload'>>(
    'select orders.id, order_ref as orderRef, revision, placed, snapshot, payload from orders join placements on order_id = orders.id order by orders.id',
  )
  // Every row is found through its order and not through another row, as plazo finds it.
  const allLines = db.prepare<[], Encrypted<Line, 'input'> & { orderId: number }>(
    'select order_id as orderId, seq, at, event, detail, from_state as "from", to_state as "to", input from journal order by seq',
  )
  let lines: ReadonlyMap<
    number,
    readonly (Encrypted<Line, 'input'> & { orderId: number })[]
  > | null = null
  const brokenChain = db
    .prepare<[], string>(`
      select 'order ' || o.id || ' does not know its last line'
      from orders o left join journal j on j.id = o.last_line where j.order_id is not o.id or j.seq is not o.revision
      union all
      select 'line ' || j.id || ' does not know the line before it'
      from journal j left join journal p on p.id = j.previous
      where iif(j.seq = 1, j.previous is not null, p.order_id is not j.order_id or p.seq is not j.seq - 1)`)
    .pluck()
  const outbox = db.prepare<[], Encrypted<OutboxRow, 'work'>>(
    'select order_id as orderId, revision, lane, queue, work, state, message from outbox order by id',
  )
  const messages = db.prepare<[], { orderId: number; at: number; content: Buffer }>(
    `select order_id as orderId, at, content from records where kind = 'message' order by id`,
  )
  const cardOwners = db
    .prepare<[], number>(
      `select count(distinct substr(key, 1, 64)) from records where kind = 'card'`,
    )
    .pluck()
  return {
    orders: () =>
      orders.all().map(({ placed, snapshot, payload, ...row }) => ({
        ...row,
        placed: open(row.id, 'placed', placed),
        snapshot: open(row.id, `snapshot ${row.revision}`, snapshot),
        payload: open(row.id, 'payload', payload),
      })),
    lines: (orderId) => {
      lines ??= Map.groupBy(allLines.all(), (line) => line.orderId)
      return (lines.get(orderId) ?? []).map(({ orderId: _, ...line }) => ({
        ...line,
        input: line.input && open(orderId, `input ${line.seq}`, line.input),
      }))
    },
    outbox: () =>
      outbox.all().map(({ work, ...row }) => ({
        ...row,
        work: Buffer.isBuffer(work)
          ? open(row.orderId, `work ${row.revision}:${row.lane}`, work)
          : work,
      })),
    messages: () =>
      messagesOf(
        messages
          .all()
          .map(({ orderId, at, content }) => open(orderId, `record message ${at}`, content)),
      ),
    cardOwners: () => cardOwners.get() ?? 0,
    integrity: () => brokenChain.get() ?? String(db.pragma('integrity_check', { simple: true })),
    close: () => db.close(),
  }
}

/** Reads a copy of the file. Call it only while no server runs on the file. */
export const inspectCopy = <A>(file: string, look: (snapshot: DatabaseSnapshot) => A): A => {
  const folder = join(dirname(file), 'looked-at')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const copy = join(folder, 'plazo.db')
  copyFileSync(file, copy)
  copyFileSync(keyFilePath(file), keyFilePath(copy))
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`)
  const snapshot = openSqliteSnapshot(copy)
  try {
    return look(snapshot)
  } finally {
    snapshot.close()
  }
}
