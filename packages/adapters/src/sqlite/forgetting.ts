// A shopper is forgotten in SQLite: what is left of the order is sealed under a new data key, the old one is overwritten,
// and everything else that it had sealed is removed. Then the write-ahead log, which holds the pages of before, is emptied.
import type { Forgetting, Order, OrderUnknown, Step, StillPending, Unavailable } from '@plazo/core'
import { heldReference } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { stateText } from '../rows/state-text.ts'
import type { Timers } from '../system/timers.ts'
import type { Database } from './database.ts'
import { UNFINISHED } from './due.ts'
import { type OrderRow, orderRows } from './order-rows.ts'
import type { Vault } from './vault.ts'

const TRIES = 50
const BETWEEN = 100

const unknown: OrderUnknown = { _tag: 'OrderUnknown' }

type Checkpoint = readonly { readonly busy: number }[]

export const sqliteForgetting = (db: Database, vault: Vault, timers: Pick<Timers, 'after'>): Forgetting => {
  const hasPayload = db
    .prepare<[number], number>('select payload is not null from placements where order_id = ?')
    .pluck()
  const pending = db
    .prepare<[number, number], string>(`
      select lane from outbox where order_id = ? and ${UNFINISHED}
      union select lane from outbox where order_id = ? and state = 'stuck' order by lane`)
    .pluck()
  const updateOrder = db.prepare('update orders set revision = ?, snapshot = ?, held_reference = ? where id = ?')
  const updatePlacement = db.prepare('update placements set placed = ?, payload = null where order_id = ?')
  const insertLine = db.prepare(
    'insert into journal (order_id, seq, at, event, detail, from_state, to_state) values (?, ?, ?, ?, ?, ?, ?)',
  )
  const removals = [
    'update journal set input = null where order_id = ?',
    'update attempts set response = null where delivery_id in (select id from outbox where order_id = ?)',
    'update outbox set work = null, message = null where order_id = ?',
    'delete from sandbox_cards where order_id = ?',
    'delete from sandbox_messages where order_id = ?',
  ].map((sql) => db.prepare(sql))
  const rows = orderRows(db, vault)

  const leave = ({ id, order_ref }: OrderRow, { order, journal }: Step): void => {
    const { dataKey, keep } = vault.draw(order_ref)
    keep(id)
    updateOrder.run(order.revision, rows.snapshotOf(order, dataKey), heldReference(order), id)
    updatePlacement.run(rows.placedOf(order.placed, dataKey), id)
    rows.rememberPlacement(id, order.placed)
    for (const removal of removals) removal.run(id)
    for (const { seq, at, event, detail, from, to } of journal)
      insertLine.run(id, seq, at, event, detail, stateText(from), stateText(to))
  }

  type Done<Err> = E.Either<Err | OrderUnknown | StillPending, 'forgotten' | 'again'>

  const forget = <Err>(orderRef: string, decide: (order: Order) => E.Either<Err, Step>): Done<Err> => {
    const row = rows.byRef(orderRef)
    if (row === undefined) return E.left(unknown)
    if (hasPayload.get(row.id) !== 1) return E.right('again')
    const decided = decide(rows.orderOf(row))
    if (E.isLeft(decided)) return decided
    const lanes = pending.all(row.id, row.id)
    if (lanes.length > 0) return E.left({ _tag: 'StillPending', lanes })
    leave(row, decided.right)
    return E.right('forgotten')
  }

  // A server's read holds it up for a moment at most; whoever asks again empties it too.
  const emptyLog = async (): Promise<E.Either<Unavailable, void>> => {
    for (let tried = 1; ; tried++) {
      const [result] = db.pragma('wal_checkpoint(truncate)') as Checkpoint
      if (result?.busy === 0) return E.right(undefined)
      if (tried === TRIES)
        return E.left({
          _tag: 'Unavailable',
          message: 'The shopper is forgotten, but the write-ahead log is read and cannot be emptied now. Forget again.',
        })
      await new Promise<void>((resolve) => timers.after(BETWEEN, resolve))
    }
  }

  return {
    forget:
      <Err>(orderRef: string, decide: (order: Order) => E.Either<Err, Step>) =>
      async () => {
        let done: Done<Err> = E.left(unknown)
        try {
          // What is freed is overwritten, pages that nothing else would write included.
          db.pragma('secure_delete = ON')
          db.transaction(() => {
            done = forget(orderRef, decide)
          }).immediate()
          if (E.isLeft(done)) return done
          const emptied = await emptyLog()
          return E.isLeft(emptied) ? emptied : done
        } catch (cause) {
          return E.left({ _tag: 'Unavailable', message: cause instanceof Error ? cause.message : String(cause) })
        }
      },
  }
}
