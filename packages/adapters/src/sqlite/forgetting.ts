// Erases a shopper in SQLite. The rest of the order is encrypted under a new data key, which overwrites the old one. Everything
// else that the old key encrypted is removed. Then the write-ahead log is emptied, because it holds the earlier pages.
import {
  encodePlaced,
  type Order,
  type OrderNotFound,
  type ShopperErasure,
  type Step,
  type StillPending,
  type Unavailable,
  unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { ownLane } from '../rows/beside.ts'
import { PLACED, placeOfSnapshot } from '../rows/places.ts'
import { seal } from '../sealing/sealer.ts'
import type { Timers } from '../system/timers.ts'
import type { Database } from './database.ts'
import { WANTED } from './delivery-rows.ts'
import { UNFINISHED } from './due.ts'
import { appendingLines, LINES, readingJournalEnd } from './journal.ts'
import { type KnownOrder, orderRows, UPDATE_ORDER } from './order-rows.ts'
import { orderWrite } from './order-writes.ts'
import type { Vault } from './vault.ts'

const TRIES = 50
const BETWEEN = 100

const unknown: OrderNotFound = { _tag: 'OrderNotFound' }

type Checkpoint = readonly { readonly busy: number }[]

export const sqliteForgetting = (db: Database, vault: Vault, timers: Pick<Timers, 'after'>): ShopperErasure => {
  const hasPayload = db
    .prepare<[number], number>('select payload is not null from placements where order_id = ?')
    .pluck()
  const pending = db
    .prepare<[number, number], string>(`
      select lane from outbox where order_id = ? and ${UNFINISHED}
      union select lane from outbox where order_id = ? and state = 'stuck' order by lane`)
    .pluck()
  // An order may continue after its shopper was erased, and then hold new personal data.
  const hasMore = db
    .prepare<[number, number, number], number>(`
      ${LINES} select exists (select 1 from journal where id in (select id from lines) and input is not null)
        or exists (select 1 from outbox where order_id = ? and ${WANTED} and (work is not null or message is not null))
        or exists (select 1 from attempts where response is not null
          and delivery_id in (select id from outbox where order_id = ? and ${WANTED}))`)
    .pluck()
  const journalEnd = readingJournalEnd(db)
  const updateOrder = db.prepare(UPDATE_ORDER)
  const updatePlacement = db.prepare('update placements set placed = ?, payload = null where order_id = ?')
  const append = appendingLines(db)
  const removals = [
    `${LINES} update journal set input = null where id in (select id from lines)`,
    `update attempts set response = null where delivery_id in (select id from outbox where order_id = ? and ${WANTED})`,
    `update outbox set work = null, message = null where order_id = ? and ${WANTED}`,
    'delete from sandbox_cards where order_id = ?',
    'delete from sandbox_messages where order_id = ?',
  ].map((sql) => db.prepare(sql))
  const rows = orderRows(db, vault)

  const leave = ({ id }: KnownOrder, step: Step): void => {
    const { placed } = step.order
    const { dataKey, keep } = vault.draw(placed.orderRef)
    keep(id)
    const { revision, snapshot, holds, lines } = orderWrite(step)
    updatePlacement.run(seal(dataKey, PLACED, encodePlaced(placed)), id)
    for (const removal of removals) removal.run(id)
    const end = journalEnd.get(id)
    if (end === undefined) throw new Error('The order is not there.')
    const lastLine = append(id, end, lines, [])
    updateOrder.run(revision, seal(dataKey, placeOfSnapshot(revision), snapshot), holds, lastLine, id)
  }

  type Done<Err> = E.Either<Err | OrderNotFound | StillPending, 'forgotten' | 'again'>

  const forget = <Err>(orderRef: string, decide: (order: Order) => E.Either<Err, Step>): Done<Err> => {
    const found = rows.read(orderRef)
    if (found === undefined) return E.left(unknown)
    const isAgain = hasPayload.get(found.id) !== 1
    if (isAgain && hasMore.get(found.id, found.id, found.id) !== 1) return E.right('again')
    const decided = decide(found.order)
    if (E.isLeft(decided)) return decided
    const lanes = new Set(pending.all(found.id, found.id).map(ownLane))
    if (lanes.size > 0) return E.left({ _tag: 'StillPending', lanes: [...lanes] })
    leave(found, decided.right)
    return E.right(isAgain ? 'again' : 'forgotten')
  }

  // A server's read delays this only for a moment. A repeated erasure empties the log too.
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
          // Overwrites all freed content, including pages that would otherwise not be written.
          db.pragma('secure_delete = ON')
          db.transaction(() => {
            done = forget(orderRef, decide)
          }).immediate()
          if (E.isLeft(done)) return done
          const emptied = await emptyLog()
          return E.isLeft(emptied) ? emptied : done
        } catch (cause) {
          return unavailable(cause)
        }
      },
  }
}
