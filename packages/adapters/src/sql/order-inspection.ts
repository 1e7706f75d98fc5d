// Reads in both SQL stores what pages and commands show of an order beyond its state: its journal, the
// body that its merchant placed, what its deliveries send, and the jobs that are not finished or stuck.
import {
  decodeState,
  effectKey,
  type FullStore,
  type JournalLine,
  type MerchantRequest,
  type OrderNotFound,
  orderNotFound,
  type PublicJournalLine,
  type UnfinishedJob,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { identity } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  AAD_ORDER_PAYLOAD,
  aadForInput,
  aadForPayload,
  aadForStuckMessage,
} from '../encryption/cipher.ts'
import { IS_DELIVERY } from './deliveries.ts'
import { type Dialect, KEY, type KeyRow, openValue, orderIdOf } from './dialect.ts'

type LineRow = Omit<JournalLine, 'from' | 'to' | 'input'> & {
  readonly from_state: string
  readonly to_state: string
}

type EffectRow = KeyRow & { readonly revision: number; readonly lane: string }

type StuckRow = EffectRow & {
  readonly n: number
  readonly orderRef: string
  readonly message: Buffer | string
}

const LINE = 'j.seq, j.at, j.event, j.detail, j.from_state, j.to_state'

const toLine = ({ seq, at, event, detail, from_state, to_state }: LineRow): PublicJournalLine => ({
  seq,
  at,
  event,
  detail,
  from: decodeState(from_state),
  to: decodeState(to_state),
})

const keyOf = ({ orderRef, revision, lane }: StuckRow): string =>
  effectKey(orderRef, revision, lane)

export const createOrderInspection = (
  dialect: Dialect,
): Pick<FullStore, 'journal' | 'history' | 'stuckJobs' | 'inspection'> => {
  const { schema, query, orUnavailable, cursor, isInPage } = dialect

  const ofOrder = <A>(orderRef: string, read: (orderId: number) => Promise<A>) =>
    TE.flatMapEither(
      orUnavailable(async (): Promise<E.Either<OrderNotFound, A>> => {
        const [order] = await query<{ readonly id: number | null }>(
          (bind) => `select ${orderIdOf(dialect, orderRef, bind)} as id`,
        )
        return order?.id ? E.right(await read(order.id)) : E.left(orderNotFound)
      }),
      identity,
    )

  const readStuck = () =>
    query<StuckRow>(
      () => `
        select b.n, o.order_ref as "orderRef", b.revision, b.lane, b.message, ${KEY}
        from ${schema}outbox b join ${schema}orders o on o.id = b.order_id
        join ${schema}data_keys k on k.order_id = b.order_id
        where b.state = 'stuck' order by b.id`,
    )

  return {
    journal: (orderRef, limit = Number.MAX_SAFE_INTEGER) =>
      ofOrder(orderRef, async (orderId) => {
        const page = { orderId, from: null, count: Number.MAX_SAFE_INTEGER }
        const rows = await query<KeyRow & LineRow & { readonly input: Buffer | null }>(
          (bind) => `
            select ${LINE}, j.input, ${KEY}
            from ${schema}journal j join ${schema}data_keys k on k.order_id = j.order_id
            where ${isInPage(page, bind)} order by j.seq limit ${bind(limit)}`,
        )
        return rows.map((row): JournalLine => {
          const parse = (blob: Buffer) =>
            JSON.parse(openValue(dialect, orderRef, row, aadForInput(row.seq), blob))
          return { ...toLine(row), input: row.input && parse(row.input) }
        })
      }),

    history: (orderRef, from, limit) =>
      ofOrder(orderRef, async (orderId) => {
        // The next page begins with one more line.
        const count = limit + 1
        const rows = await query<LineRow & { readonly position: number }>(
          (bind) => `
            select ${LINE}, ${cursor} as position from ${schema}journal j
            where ${isInPage({ orderId, from, count }, bind)} order by j.seq desc limit ${bind(count)}`,
        )
        return {
          lines: rows.slice(0, limit).map(toLine),
          next: rows[limit]?.position ?? null,
        }
      }),

    stuckJobs: () =>
      orUnavailable(async () =>
        (await readStuck()).map((row) => {
          const { n, orderRef, message } = row
          const isEncrypted = Buffer.isBuffer(message) && message[0] === 1
          const text = isEncrypted
            ? openValue(dialect, orderRef, row, aadForStuckMessage(n), message)
            : message.toString()
          return { key: keyOf(row), orderRef, message: text }
        }),
      ),

    inspection: {
      payload: (orderRef) =>
        ofOrder(orderRef, async (orderId) => {
          const [row] = await query<KeyRow & { readonly payload: Buffer }>(
            (bind) => `
              select p.payload, ${KEY}
              from ${schema}placements p join ${schema}data_keys k on k.order_id = p.order_id
              where p.order_id = ${bind(orderId)} and p.payload is not null`,
          )
          return row ? openValue(dialect, orderRef, row, AAD_ORDER_PAYLOAD, row.payload) : null
        }),

      requests: (orderRef) =>
        ofOrder(orderRef, async (orderId) => {
          const rows = await query<EffectRow & { readonly work: Buffer }>(
            (bind) => `
              select b.revision, b.lane, b.work, ${KEY}
              from ${schema}outbox b join ${schema}data_keys k on k.order_id = b.order_id
              where b.order_id = ${bind(orderId)} and ${IS_DELIVERY} and b.work is not null order by b.id`,
          )
          return new Map(
            rows.map((row) => {
              const { revision, lane, work } = row
              const text = openValue(dialect, orderRef, row, aadForPayload(revision, lane), work)
              return [effectKey(orderRef, revision, lane), JSON.parse(text) as MerchantRequest]
            }),
          )
        }),

      pendingJobs: (orderRef) =>
        ofOrder(orderRef, async (orderId) => {
          const rows = await query<UnfinishedJob & { readonly revision: number }>(
            (bind) => `
              select revision, lane, due_at as "dueAt", attempts, first_at as "firstAt", expires_at as "expiresAt", state,
                resend_of is not null as "isResend"
              from ${schema}outbox
              where order_id = ${bind(orderId)} and state in ('queued', 'pending', 'stuck')
              order by due_at, n`,
          )
          return rows.map(({ revision, isResend, ...job }) => ({
            ...job,
            key: effectKey(orderRef, revision, job.lane),
            // SQLite has no booleans.
            isResend: Boolean(isResend),
          }))
        }),
    },
  }
}
