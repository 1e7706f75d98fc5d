// Erases a shopper's data in PostgreSQL. The rest of the order is encrypted under a new data key,
// which replaces the old one. Everything else that the old key encrypted is removed. A step that a
// server decided on the old order is not written.
import type { Order, Step } from '@plazo/core'
import {
  encodePlaced,
  type OrderNotFound,
  orderNotFound,
  type ShopperErasure,
  type StillPending,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { AAD_PLACED, aadForSnapshot, encrypt } from '../encryption/cipher.ts'
import { parsePlaced, parseSnapshot } from '../sql/decode-order-row.ts'
import { toOrderWrite } from '../sql/order-writes.ts'
import { type Connection, type Query, statement } from './connection/connection.ts'
import type { DataKeys, KeyColumns } from './encryption/data-keys.ts'
import { isUuid } from './sql/values.ts'
import { runOrUnavailable } from './unavailable.ts'
import { encryptSnapshot, toLineRows } from './write-rows.ts'

type Row = KeyColumns & {
  readonly revision: number
  readonly snapshot: Buffer
  readonly placed: Buffer
  readonly is_erased: boolean
}

// Every writer of an order locks this row first. They then find that the order they decided on has
// changed.
const LOCK = statement('erasure-lock')`
  update plazo.orders set version = version + 1 where order_ref = $1 returning id`

const READ = statement('erasure-read')`
  select o.revision, s.snapshot, p.placed, p.payload is null as is_erased, k.key_id, k.tag, k.ciphertext
  from plazo.orders o
  join plazo.snapshots s on s.order_id = o.id
  join plazo.placements p on p.order_id = o.id
  join plazo.data_keys k on k.order_id = o.id
  where o.id = $1`

const PENDING = statement('erasure-pending')`
  select distinct coalesce(b.lane, r.lane) as lane
  from plazo.outbox b left join plazo.outbox r on r.order_id = b.order_id and r.id = b.resend_of
  where b.order_id = $1 and b.state in ('queued', 'pending', 'claimed', 'stuck') order by lane`

// Finds data that an order has stored since its shopper's data was erased: an order may go on after
// that.
const HAS_NEW_DATA = statement('erasure-new-data')`
  select exists (select 1 from plazo.journal where order_id = $1 and input is not null)
    or exists (select 1 from plazo.attempts where order_id = $1 and report is not null)
    or exists (select 1 from plazo.outbox where order_id = $1 and (work is not null or message is not null)) as is_there`

const REPLACE_KEY = statement('erasure-replace-key')`
  with counted_change as (update plazo.key_changes set count = count + 1)
  update plazo.data_keys set key_id = $2, tag = $3, ciphertext = $4 where order_id = $1`

const UPDATE_ORDER = statement('erasure-update-order')`
  with updated_order as (update plazo.orders
    set revision = $2, changed_at = $5 where id = $1),
  updated_snapshot as (update plazo.snapshots set snapshot = $3 where order_id = $1)
  update plazo.placements set placed = $4, payload = null where order_id = $1`

const DELETE_DATA = statement('erasure-delete-data')`
  with inputs as (update plazo.journal set input = null where order_id = $1 and input is not null),
  reports as (update plazo.attempts set report = null where order_id = $1 and report is not null)
  update plazo.outbox set work = null, message = null where order_id = $1`

// Inserts of records check the data key that they are encrypted under, but lock no row of the order.
// So none may run between the new key and the end of the transaction.
const LOCK_RECORDS = statement(
  'erasure-lock-records',
)`lock table plazo.records in share row exclusive mode`
const DELETE_RECORDS = statement(
  'erasure-delete-records',
)`delete from plazo.records where order_id = $1`

const INSERT_LINE = statement('erasure-insert-line')`
  insert into plazo.journal (order_id, seq, at, event, detail, from_state, to_state)
  values ($1, $2, $3, $4, $5, $6, $7)`

/** Call it in the transaction that replaces the order's key, after that. */
export const deleteRecords = async (query: Query, orderId: number): Promise<void> => {
  await query(LOCK_RECORDS)
  await query(DELETE_RECORDS, orderId)
}

export const postgresErasure = (
  { transaction }: Connection,
  dataKeys: DataKeys,
): ShopperErasure => {
  const orderOf = (orderRef: string, { revision, snapshot, placed, ...key }: Row): Order => ({
    placed: parsePlaced(dataKeys.decrypt(orderRef, key, AAD_PLACED, placed)),
    revision,
    ...parseSnapshot(dataKeys.decrypt(orderRef, key, aadForSnapshot(revision), snapshot)),
  })

  const eraseData = async (query: Query, orderId: number, step: Step): Promise<() => void> => {
    const { order } = step
    const { orderRef } = order.placed
    const { dataKey, encryptedKey } = dataKeys.cipher.createKey(orderRef)
    await query(REPLACE_KEY, orderId, encryptedKey.keyId, encryptedKey.tag, encryptedKey.ciphertext)
    const placed = encrypt(dataKey, AAD_PLACED, encodePlaced(order.placed))
    const { revision, context } = order
    const write = toOrderWrite(step, null)
    const snapshot = encryptSnapshot(write, dataKey)
    await query(UPDATE_ORDER, orderId, revision, snapshot, placed, context.updatedAt)
    await query(DELETE_DATA, orderId)
    await deleteRecords(query, orderId)
    for (const { seq, at, event, detail, from_state, to_state } of toLineRows(write, dataKey))
      await query(INSERT_LINE, orderId, seq, at, event, detail, from_state, to_state)
    return () => dataKeys.cacheKey(orderRef, dataKey)
  }

  return {
    erase: <Err>(orderRef: string, decide: (order: Order) => E.Either<Err, Step>) => {
      type Erased = E.Either<Err | OrderNotFound | StillPending, 'erased' | 'already_erased'>
      return runOrUnavailable(async (): Promise<Erased> => {
        if (!isUuid(orderRef)) return E.left(orderNotFound)
        let afterCommit = (): void => {}
        const done = await transaction(async (query): Promise<Erased> => {
          const [locked] = await query<{ readonly id: number }>(LOCK, orderRef)
          if (locked === undefined) return E.left(orderNotFound)
          const { id } = locked
          const [row] = await query<Row>(READ, id)
          if (row === undefined) throw new Error('Rows of the order are missing.')
          const [more] = row.is_erased
            ? await query<{ readonly is_there: boolean }>(HAS_NEW_DATA, id)
            : []
          if (more?.is_there === false) return E.right('already_erased')
          const decided = decide(orderOf(orderRef, row))
          if (E.isLeft(decided)) return decided
          const pending = await query<{ readonly lane: string }>(PENDING, id)
          if (pending.length > 0)
            return E.left({ _tag: 'StillPending', lanes: pending.map(({ lane }) => lane) })
          afterCommit = await eraseData(query, id, decided.right)
          return E.right(row.is_erased ? 'already_erased' : 'erased')
        })
        afterCommit()
        return done
      })
    },
  }
}
