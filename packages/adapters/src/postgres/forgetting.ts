// Erases a shopper's data in PostgreSQL. The rest of the order is encrypted under a new data key, which replaces the old one.
// Everything else that the old key encrypted is removed. A step that a server decided on the old order is not written.
import type { Order, OrderNotFound, ShopperErasure, Step, StillPending } from '@plazo/core'
import { encodePlaced } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { BESIDE } from '../rows/beside.ts'
import { placedFrom, snapshotFrom } from '../rows/kept-order.ts'
import { PLACED, placeOfSnapshot } from '../rows/places.ts'
import { seal } from '../sealing/sealer.ts'
import { type Connection, isUuid, type Statement, trying } from './connection.ts'
import { useKey } from './master-keys.ts'
import { linesOf, snapshotOf } from './rows-of-step.ts'
import type { KeyColumns, Vault } from './vault.ts'

type Row = KeyColumns & {
  readonly revision: number
  readonly snapshot: Buffer
  readonly placed: Buffer
  readonly is_forgotten: boolean
}

// Every writer of an order locks this row first. They then find that the order they decided on has changed.
const LOCK: Statement = {
  name: 'forget-lock',
  text: 'update plazo.orders set version = version + 1 where order_ref = $1 returning revision',
}

// Inserts into these tables check the data key that they are encrypted under, but lock no row of the order.
const LOCK_SHELF: Statement = {
  name: 'sandbox-lock',
  text: 'lock table plazo.sandbox_messages, plazo.sandbox_cards in share row exclusive mode',
}

const READ: Statement = {
  name: 'forget-read',
  text: `
    select o.revision, s.snapshot, p.placed, p.payload is null as is_forgotten, k.key_id, k.tag, k.sealed
    from plazo.orders o
    join plazo.snapshots s on s.order_ref = o.order_ref
    join plazo.placements p on p.order_ref = o.order_ref
    join plazo.data_keys k on k.order_ref = o.order_ref
    where o.order_ref = $1`,
}

const PENDING: Statement = {
  name: 'forget-pending',
  text: `
    select distinct case when starts_with(lane, $2) then substr(lane, length($2) + 1) else lane end as lane
    from plazo.outbox where order_ref = $1 and state in ('queued', 'pending', 'claimed', 'stuck') order by lane`,
}

// Finds data that an order has stored since its shopper's data was erased: an order may go on after that.
const MORE: Statement = {
  name: 'forget-more',
  text: `
    select exists (select 1 from plazo.journal where order_ref = $1 and input is not null)
      or exists (select 1 from plazo.attempts where order_ref = $1 and response is not null)
      or exists (select 1 from plazo.outbox where order_ref = $1 and (work is not null or message is not null)) as is_there`,
}

const KEEP_KEY: Statement = {
  name: 'forget-key',
  text: `
    with counted as (update plazo.key_changes set count = count + 1)
    update plazo.data_keys set key_id = $2, tag = $3, sealed = $4 where order_ref = $1`,
}

const LEAVE: Statement = {
  name: 'forget-leave',
  text: `
    with moved as (update plazo.orders set revision = $2, has_journal = true where order_ref = $1),
    left_as as (update plazo.snapshots set snapshot = $3 where order_ref = $1)
    update plazo.placements set placed = $4, payload = null where order_ref = $1`,
}

const REMOVE: Statement = {
  name: 'forget-remove',
  text: `
    with inputs as (update plazo.journal set input = null where order_ref = $1 and input is not null),
    responses as (update plazo.attempts set response = null where order_ref = $1 and response is not null),
    works as (update plazo.outbox set work = null, message = null where order_ref = $1),
    cards as (delete from plazo.sandbox_cards where order_ref = $1)
    delete from plazo.sandbox_messages where order_ref = $1`,
}

const TELL: Statement = {
  name: 'forget-tell',
  text: `
    insert into plazo.journal (order_ref, seq, at, event, detail, from_state, to_state)
    values ($1, $2, $3, $4, $5, $6, $7)`,
}

const unknown: OrderNotFound = { _tag: 'OrderNotFound' }

export const postgresForgetting = ({ transaction }: Connection, vault: Vault): ShopperErasure => {
  const orderOf = (orderRef: string, { revision, snapshot, placed, ...columns }: Row): Order => {
    const key = vault.keyFrom(orderRef, columns)
    return {
      placed: placedFrom(vault.open(key, PLACED, placed)),
      revision,
      ...snapshotFrom(vault.open(key, placeOfSnapshot(revision), snapshot)),
    }
  }

  const leave = async (query: Connection['query'], orderRef: string, step: Step): Promise<() => void> => {
    const { dataKey, sealed } = vault.draw(orderRef)
    const { order } = step
    await query(KEEP_KEY, orderRef, sealed.keyId, sealed.tag, sealed.sealed)
    const placed = seal(dataKey, PLACED, encodePlaced(order.placed))
    await query(LEAVE, orderRef, order.revision, snapshotOf(order, dataKey), placed)
    await query(REMOVE, orderRef)
    for (const { seq, at, event, detail, from_state, to_state } of linesOf(step, dataKey))
      await query(TELL, orderRef, seq, at, event, detail, from_state, to_state)
    await useKey({ query }, vault.sealer)
    return () => vault.remember(orderRef, dataKey)
  }

  return {
    forget: <Err>(orderRef: string, decide: (order: Order) => E.Either<Err, Step>) =>
      trying(async (): Promise<E.Either<Err | OrderNotFound | StillPending, 'forgotten' | 'again'>> => {
        if (!isUuid(orderRef)) return E.left(unknown)
        let committed = (): void => {}
        const done = await transaction(
          async (query): Promise<E.Either<Err | OrderNotFound | StillPending, 'forgotten' | 'again'>> => {
            if ((await query(LOCK, orderRef)).length === 0) return E.left(unknown)
            await query(LOCK_SHELF)
            const [row] = await query<Row>(READ, orderRef)
            if (row === undefined) throw new Error('Rows of the order are missing.')
            const [more] = row.is_forgotten ? await query<{ readonly is_there: boolean }>(MORE, orderRef) : []
            if (more?.is_there === false) return E.right('again')
            const decided = decide(orderOf(orderRef, row))
            if (E.isLeft(decided)) return decided
            const pending = await query<{ readonly lane: string }>(PENDING, orderRef, BESIDE)
            if (pending.length > 0) return E.left({ _tag: 'StillPending', lanes: pending.map(({ lane }) => lane) })
            committed = await leave(query, orderRef, decided.right)
            return E.right(row.is_forgotten ? 'again' : 'forgotten')
          },
        )
        committed()
        return done
      }),
  }
}
