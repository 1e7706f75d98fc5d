// Reads in both SQL stores what pages and commands show of an order beyond its state: its journal, the
// body that its merchant placed, what its deliveries send, and the jobs that are not finished or stuck.
import type { JournalLine } from '@plazo/core'
import {
  effectKey,
  type FullStore,
  type JobNotFound,
  type MerchantRequest,
  type OrderNotFound,
  orderNotFound,
  type Unavailable,
  type UnfinishedJob,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { identity, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  AAD_ORDER_PAYLOAD,
  aadForInput,
  aadForPayload,
  aadForStuckMessage,
} from '../encryption/cipher.ts'
import { decodeStates } from './decode-order-row.ts'
import {
  type Decrypt,
  type Dialect,
  isJob,
  type JobRow,
  KEY,
  type KeyRow,
  orderIdOf,
} from './dialect.ts'
import type { Bind } from './order-conditions.ts'

/** The `count` lines of an order's journal that end with the one at `from`. Null: with the last. */
export type JournalPage = {
  readonly orderId: number
  readonly from: number | null
  readonly count: number
}

type InspectionDialect = Dialect & {
  readonly decrypt: Decrypt
  /** The column of `j` that says where a page of the journal begins. */
  readonly cursor: string
  /** The condition that the row `j` is a line of the page, or an earlier line of the order. */
  readonly isInPage: (page: JournalPage, bind: Bind) => string
  /** False: the job is not stuck. */
  readonly retryStuckJob: (job: JobRow, at: number) => TE.TaskEither<Unavailable, boolean>
}

type HistoryRow = Omit<JournalLine, 'from' | 'to' | 'input'> & {
  readonly from_state: string
  readonly to_state: string
}

type LineRow = KeyRow & HistoryRow & { readonly input: Buffer | null }

type UnfinishedRow = Omit<UnfinishedJob, 'key' | 'isResend'> & {
  readonly revision: number
  readonly isResend: boolean | number
}

type EffectRow = KeyRow & { readonly revision: number; readonly lane: string }

type RequestRow = EffectRow & { readonly work: Buffer }

type StuckRow = EffectRow & {
  readonly id: number
  readonly order_ref: string
  readonly message: Buffer | string
}

const LINE = 'j.seq, j.at, j.event, j.detail, j.from_state, j.to_state'

export const createOrderInspection = (
  dialect: InspectionDialect,
): Pick<FullStore, 'journal' | 'history' | 'stuckJobs' | 'retryStuckJob' | 'inspection'> => {
  const { schema, query, orUnavailable, cursor, isInPage, decrypt } = dialect

  const ofOrder = <A>(orderRef: string, read: (orderId: number) => Promise<A>) =>
    TE.flatMapEither(
      orUnavailable(async (): Promise<E.Either<OrderNotFound, A>> => {
        const [row] = await query<{ readonly id: number | null }>(
          (bind) => `select ${orderIdOf(dialect, orderRef, bind)} as id`,
        )
        return row?.id ? E.right(await read(row.id)) : E.left(orderNotFound)
      }),
      identity,
    )

  return {
    journal: (orderRef, limit = Number.MAX_SAFE_INTEGER) =>
      ofOrder(orderRef, async (orderId) => {
        const page = { orderId, from: null, count: Number.MAX_SAFE_INTEGER }
        const rows = await query<LineRow>(
          (bind) => `
            select ${LINE}, j.input, ${KEY}
            from ${schema}journal j join ${schema}data_keys k on k.order_id = j.order_id
            where ${isInPage(page, bind)} order by j.seq limit ${bind(limit)}`,
        )
        return rows.map(({ input, order_id, key_id, tag, ciphertext, ...line }) => {
          const key = { order_id, key_id, tag, ciphertext }
          const parse = (blob: Buffer) =>
            JSON.parse(decrypt(orderRef, key, aadForInput(line.seq), blob)) as JournalLine['input']
          return { ...decodeStates(line), input: input && parse(input) }
        })
      }),

    history: (orderRef, from, limit) =>
      ofOrder(orderRef, async (orderId) => {
        // The next page begins with one more line.
        const count = limit + 1
        const rows = await query<HistoryRow & { readonly position: number }>(
          (bind) => `
            select ${LINE}, ${cursor} as position from ${schema}journal j
            where ${isInPage({ orderId, from, count }, bind)} order by j.seq desc limit ${bind(count)}`,
        )
        const lines = rows.slice(0, limit).map(({ position: _, ...line }) => decodeStates(line))
        return { lines, next: rows[limit]?.position ?? null }
      }),

    stuckJobs: () =>
      orUnavailable(async () => {
        const rows = await query<StuckRow>(
          () => `
            select b.id, o.order_ref, b.revision, b.lane, b.message, ${KEY}
            from ${schema}outbox b join ${schema}orders o on o.id = b.order_id
            join ${schema}data_keys k on k.order_id = b.order_id
            where b.state = 'stuck' order by b.id`,
        )
        return rows.map((row) => {
          const { id, order_ref: orderRef, revision, lane, message } = row
          const isEncrypted = Buffer.isBuffer(message) && message[0] === 1
          return {
            key: effectKey(orderRef, revision, lane),
            orderRef,
            message: isEncrypted
              ? decrypt(orderRef, row, aadForStuckMessage(id), message)
              : message.toString(),
          }
        })
      }),

    retryStuckJob: (key, at) =>
      pipe(
        orUnavailable(() =>
          query<JobRow>(
            (bind) => `
              select order_id, id from ${schema}outbox where state = 'stuck' and ${isJob(dialect, key, bind)}`,
          ),
        ),
        TE.flatMap(([job]) =>
          job === undefined ? TE.right(false) : dialect.retryStuckJob(job, at),
        ),
        TE.flatMapEither(
          (isRetried): E.Either<JobNotFound, void> =>
            isRetried ? E.right(undefined) : E.left({ _tag: 'JobNotFound' }),
        ),
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
          return row ? decrypt(orderRef, row, AAD_ORDER_PAYLOAD, row.payload) : null
        }),

      requests: (orderRef) =>
        ofOrder(orderRef, async (orderId) => {
          const rows = await query<RequestRow>(
            (bind) => `
              select b.revision, b.lane, b.work, ${KEY}
              from ${schema}outbox b join ${schema}data_keys k on k.order_id = b.order_id
              where b.order_id = ${bind(orderId)} and b.queue <> 'work' and b.resend_of is null
                and b.work is not null
              order by b.id`,
          )
          const requests = rows.map((row) => {
            const { revision, lane, work } = row
            const text = decrypt(orderRef, row, aadForPayload(revision, lane), work)
            return [
              effectKey(orderRef, revision, lane),
              JSON.parse(text) as MerchantRequest,
            ] as const
          })
          return new Map(requests)
        }),

      pendingJobs: (orderRef) =>
        ofOrder(orderRef, async (orderId) => {
          // Two parts, because SQLite has the unfinished jobs of an order in one index, and all
          // stuck ones, which are few, in another.
          const rows = await query<UnfinishedRow>(
            (bind) => `
              select b.revision, coalesce(b.lane, r.lane) as lane, b.due_at as "dueAt", b.attempts,
                b.first_at as "firstAt", b.expires_at as "expiresAt", b.state, b.resend_of is not null as "isResend"
              from ${schema}outbox b left join ${schema}outbox r on r.order_id = b.order_id and r.id = b.resend_of
              where b.order_id = ${bind(orderId)} and b.id in (
                select id from ${schema}outbox where order_id = ${bind(orderId)} and state in ('queued', 'pending', 'claimed')
                union all
                select id from ${schema}outbox where order_id = ${bind(orderId)} and state = 'stuck')
              order by b.due_at, b.id`,
          )
          return rows.map(({ revision, isResend, ...job }) => ({
            key: effectKey(orderRef, revision, job.lane),
            isResend: Boolean(isResend),
            ...job,
          }))
        }),
    },
  }
}
