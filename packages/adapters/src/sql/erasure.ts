// Erases a shopper in both SQL stores. The rest of the order is encrypted under a new data key, which
// overwrites the old one. Everything else that the old key encrypted is removed. A decision on the
// former order is refused, because the order's version has changed.
import {
  encodePlaced,
  encodeSnapshot,
  encodeState,
  type Order,
  type OrderNotFound,
  orderNotFound,
  type ShopperErasure,
  type Step,
  type StillPending,
  type Unavailable,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { AAD_PLACED, aadForSnapshot, encrypt } from '../encryption/cipher.ts'
import { parsePlaced, parseSnapshot } from './decode-order-row.ts'
import { ask, type Dialect, KEY, type KeyRow, openValue, type Statements } from './dialect.ts'
import type { Bind } from './order-conditions.ts'

type Row = KeyRow & {
  readonly revision: number
  readonly snapshot: Buffer
  readonly placed: Buffer
  readonly is_erased: boolean | number
}

type ErasureDialect = Dialect & {
  /** The table that holds the snapshots, and its column with the order's number. */
  readonly snapshots: readonly [table: string, orderId: string]
  /** Makes the line that was inserted last the last one of its order. */
  readonly linkLine: (orderId: number) => Statements<void>
  /** Destroys copies of the old key. */
  readonly destroyCopies: TE.TaskEither<Unavailable, void>
}

type Erased<Err> = E.Either<Err | OrderNotFound | StillPending, 'erased' | 'already_erased'>

export const createErasure = (dialect: ErasureDialect): ShopperErasure => {
  const { schema, snapshots } = dialect

  const orderOf = (orderRef: string, { revision, snapshot, placed, ...key }: Row): Order => ({
    placed: parsePlaced(openValue(dialect, orderRef, key, AAD_PLACED, placed)),
    revision,
    ...parseSnapshot(openValue(dialect, orderRef, key, aadForSnapshot(revision), snapshot)),
  })

  /** Returns whether there was any. */
  function* removeData(orderId: number): Statements<boolean> {
    const page = { orderId, from: null, count: Number.MAX_SAFE_INTEGER }
    const deliveries = `order_id = ${orderId} and queue <> 'work' and resend_of is null`
    // Inserts of records check the data key, but lock no row of the order. So none may run before
    // the key is replaced.
    yield* ask(() => dialect.lockTable('records'))
    const records = yield* ask(
      () => `delete from ${schema}records where order_id = ${orderId} returning 1`,
    )
    const inputs = yield* ask(
      (bind) => `
        update ${schema}journal as j set input = null
        where input is not null and ${dialect.isInPage(page, bind)} returning 1`,
    )
    const reports = yield* ask(
      () => `
        update ${schema}attempts set report = null where report is not null
          and order_id = ${orderId} returning 1`,
    )
    const contents = yield* ask(
      () => `
        update ${schema}outbox set work = null, message = null
        where ${deliveries} and (work is not null or message is not null) returning 1`,
    )
    return [records, inputs, reports, contents].some((removed) => removed.length > 0)
  }

  function* writeStep(orderId: number, { order, journal }: Step): Statements<void> {
    const { placed, revision, context } = order
    const { dataKey, encryptedKey } = dialect.sealer.cipher.createKey(placed.orderRef)
    const { keyId, tag, ciphertext } = encryptedKey
    const snapshot = encrypt(dataKey, aadForSnapshot(revision), encodeSnapshot(order))
    const update = (table: string, key: string, changes: object) =>
      ask((bind) => {
        const set = Object.entries(changes).map(([column, value]) => `${column} = ${bind(value)}`)
        return `update ${schema}${table} set ${set.join(', ')} where ${key} = ${bind(orderId)}`
      })
    yield* update('data_keys', 'order_id', { key_id: keyId, tag, ciphertext })
    yield* update('placements', 'order_id', {
      placed: encrypt(dataKey, AAD_PLACED, encodePlaced(placed)),
      payload: null,
    })
    yield* ask(
      (bind) => `
        update ${schema}orders set version = version + 1, revision = ${bind(revision)}, person = null, changed_at = ${bind(context.updatedAt)}
        where id = ${bind(orderId)}`,
    )
    yield* update(...snapshots, { snapshot })
    yield* ask(() => `update ${schema}key_changes set count = count + 1`)
    for (const { seq, at, event, detail, from, to } of journal) {
      const values = [orderId, seq, at, event, detail, encodeState(from), encodeState(to)]
      yield* ask(
        (bind) => `
          insert into ${schema}journal (order_id, seq, at, event, detail, from_state, to_state)
          values (${values.map(bind).join(', ')})`,
      )
      yield* dialect.linkLine(orderId)
    }
  }

  function* erase<Err>(
    orderRef: string,
    decide: (order: Order) => E.Either<Err, Step>,
  ): Statements<Erased<Err>> {
    const isOrder = (bind: Bind) => `order_ref = ${bind(dialect.toOrderRef(orderRef))}`
    // In a statement of its own, so that the next one reads what other writers have committed.
    yield* ask(
      (bind) => `select 1 from ${schema}orders where ${isOrder(bind)} ${dialect.forUpdate}`,
    )
    const [row] = yield* ask<Row>(
      (bind) => `
        select o.revision, s.snapshot, p.placed, p.payload is null as is_erased, ${KEY}
        from ${schema}orders o join ${schema}placements p on p.order_id = o.id
        join ${schema}${snapshots[0]} s on s.${snapshots[1]} = o.id join ${schema}data_keys k on k.order_id = o.id
        where o.${isOrder(bind)}`,
    )
    if (row === undefined) return E.left(orderNotFound)
    const decided = decide(orderOf(orderRef, row))
    if (E.isLeft(decided)) return decided
    const pending = yield* ask<{ readonly lane: string }>(
      (bind) => `
        select distinct lane from ${schema}outbox
        where order_id = ${bind(row.order_id)} and state in ('queued', 'pending', 'stuck') order by lane`,
    )
    if (pending.length > 0)
      return E.left({ _tag: 'StillPending', lanes: pending.map(({ lane }) => lane) })
    // An order may continue after its shopper was erased, and then hold new personal data.
    const hasData = yield* removeData(row.order_id)
    if (row.is_erased && !hasData) return E.right('already_erased')
    yield* writeStep(row.order_id, decided.right)
    return E.right(row.is_erased ? 'already_erased' : 'erased')
  }

  return {
    erase: (orderRef, decide) =>
      TE.tap(
        dialect.transaction(() => erase(orderRef, decide)),
        () => dialect.destroyCopies,
      ),
  }
}
