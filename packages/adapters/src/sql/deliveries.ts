// Lists the deliveries of both SQL stores with their attempts, and selects those that are sent again.
// The conditions are those of the indexes, or these are not used.
import {
  type Attempt,
  type Deliveries,
  type Delivery,
  type DeliveryFilter,
  effectKey,
  effectKeyParts,
  type ManualTrigger,
  RESPONSES_SHOWN,
  type Unavailable,
} from '@plazo/core/ports'
import type { DeliveryState } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { aadForReport } from '../encryption/cipher.ts'
import { IS_ALWAYS_READ, type StoredReport } from './attempt-report.ts'
import {
  deliveryErased,
  deliveryNotFound,
  publicDeliveryState,
  type StoredState,
  selectRecoverable,
} from './delivery-view.ts'
import { type Dialect, type JobKey, KEY, type KeyRow, orderIdOf } from './dialect.ts'
import type { Bind } from './order-conditions.ts'

export const IS_DELIVERY = `queue <> 'work' and resend_of is null`

const UNACCEPTED = `queue <> 'work' and state in ('queued', 'exhausted', 'stopped', 'unsupported', 'stuck')`

/** Together they are a merchant's deliveries that are not delivered. */
export const UNDELIVERED: readonly string[] = [
  `state = 'pending' and queue in ('event', 'ipn')`,
  `state = 'claimed' and queue in ('event', 'ipn')`,
  UNACCEPTED,
]

/** The condition that a delivery is shown in this state. It leads to no index. */
const isShownAs = (state: DeliveryState | null): string => {
  if (state === null) return 'true'
  return `state || '' in (${state === 'pending' ? `'queued', 'pending', 'claimed'` : `'${state}'`})`
}

const NEWEST: JobKey = { order_id: 0, id: Number.MAX_SAFE_INTEGER }

const COLUMNS = 'id, order_id, merchant, revision, lane, event, state, due_at, made_at'

type DeliveryRow = JobKey & {
  readonly merchant: string
  readonly revision: number
  readonly lane: string
  readonly event: Delivery['event']
  readonly state: StoredState
  readonly due_at: number
}

/** One for each attempt. A delivery that was not tried yet has one without an attempt. */
type ListedRow = DeliveryRow &
  KeyRow &
  Omit<Attempt, 'n' | keyof StoredReport> & {
    readonly order_ref: string
    readonly n: number | null
    readonly report: Buffer | null
  }

type DeliveriesDialect = Dialect & {
  /** Together the conditions of all deliveries of a merchant. */
  readonly all: readonly string[]
  /** The condition of those that are delivered, and perhaps of others. */
  readonly delivered: string
  /**
   * Sends those again that still have their content and, for a recovery, are still recoverable.
   * Returns how many.
   */
  readonly resend: (
    jobs: readonly JobKey[],
    by: ManualTrigger,
    at: number,
  ) => TE.TaskEither<Unavailable, number>
}

export const createDeliveries = (dialect: DeliveriesDialect): Deliveries => {
  const { schema, query, orUnavailable, jobKey, decrypt } = dialect
  const isAttemptOf = `(${jobKey('a.delivery_id')}) = (${jobKey('b.id')})`

  /** Selects the first rows by their ids. Reads no more of each index. */
  const selectRows =
    (
      indexes: readonly string[],
      where: (bind: Bind) => string,
      sequence: 'asc' | 'desc',
      limit: number,
    ) =>
    (bind: Bind): string => {
      const end = () => `order by id ${sequence} limit ${bind(limit)}`
      const parts = indexes.map(
        (index) => `select * from (
          select ${COLUMNS} from ${schema}outbox
          where ${index} and resend_of is null and ${where(bind)} ${end()}) d`,
      )
      return `select * from (${parts.join(' union all ')}) d ${end()}`
    }

  // Within an order, the index of the merchant is not used.
  const isInOrder = (orderRef: string, merchantRef: string, bind: Bind): string =>
    `order_id = ${orderIdOf(dialect, orderRef, bind)} and merchant || '' = ${bind(merchantRef)}`

  const selectOne = (merchantRef: string, key: string) => {
    const { orderRef, revision, lane } = effectKeyParts(key)
    const isOne = (bind: Bind) =>
      `${isInOrder(orderRef, merchantRef, bind)} and revision = cast(${bind(revision)} as bigint) and lane = ${bind(lane)}`
    return selectRows([IS_DELIVERY], isOne, 'desc', 1)
  }

  const indexesFor = ({ orderRef, state }: DeliveryFilter): readonly string[] => {
    if (orderRef !== null) return [IS_DELIVERY]
    if (state === null) return dialect.all
    if (state === 'pending') return UNDELIVERED
    return [state === 'delivered' ? dialect.delivered : UNACCEPTED]
  }

  const selectListed = (filter: DeliveryFilter, before: number) => {
    const { merchantRef, orderRef, state, limit } = filter
    const owner = (bind: Bind) =>
      orderRef === null ? `merchant = ${bind(merchantRef)}` : isInOrder(orderRef, merchantRef, bind)
    return selectRows(
      indexesFor(filter),
      (bind) => `${owner(bind)} and id < ${bind(before)} and ${isShownAs(state)}`,
      'desc',
      limit,
    )
  }

  const toAttempts = (rows: readonly ListedRow[], responses: number): readonly Attempt[] =>
    rows.flatMap((row, index): readonly Attempt[] => {
      const { n, trigger, startedAt, outcome, durationMillis, status, error, report } = row
      if (n === null) return []
      const attempt = { n, trigger, startedAt, outcome, durationMillis, status, error }
      const stored =
        report &&
        (JSON.parse(decrypt(row.order_ref, row, aadForReport(row.id, n), report)) as StoredReport)
      const isShown = index >= rows.length - responses
      return [{ ...attempt, response: null, ...stored, ...(!isShown && { response: null }) }]
    })

  const read = async (
    select: (bind: Bind) => string,
    responses = RESPONSES_SHOWN,
  ): Promise<readonly Delivery[]> => {
    const rows = await query<ListedRow>(
      (bind) => `
        select b.*, o.order_ref, ${KEY}, a.n, a.cause as "trigger", a.started_at as "startedAt", a.outcome,
          a.duration as "durationMillis", a.status, a.error,
          case when a.n > max(a.n) over (partition by b.id) - ${bind(responses)} or ${IS_ALWAYS_READ}
            then a.report end as report
        from (${select(bind)}) b
        join ${schema}orders o on o.id = b.order_id
        join ${schema}data_keys k on k.order_id = b.order_id
        left join ${schema}attempts a on ${isAttemptOf}
        order by b.id, a.n`,
    )
    return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((attempts) =>
      attempts.slice(-1).map((row) => {
        const state = publicDeliveryState(row.state)
        return {
          id: effectKey(row.order_ref, row.revision, row.lane),
          event: row.event,
          orderRef: row.order_ref,
          merchantRef: row.merchant,
          state,
          dueAt: state === 'pending' ? row.due_at : null,
          attempts: toAttempts(attempts, responses),
        }
      }),
    )
  }

  const firstOrNotFound = <A>(read: () => Promise<readonly A[]>) =>
    TE.flatMapEither(orUnavailable(read), ([first]) => E.fromNullable(deliveryNotFound)(first))

  const findRow = (merchantRef: string, key: string) =>
    firstOrNotFound(() => query<JobKey>(selectOne(merchantRef, key)))

  return {
    list: (filter) => {
      const { merchantRef, before, responses } = filter
      const end = before === null ? TE.right(NEWEST) : findRow(merchantRef, before)
      return TE.flatMap(end, ({ id }) =>
        orUnavailable(() => read(selectListed(filter, id), responses)),
      )
    },

    exhausted: (limit) => {
      // The index has no others, so what they are need not lead to another index.
      const index = `state = 'exhausted' and queue || '' <> 'work'`
      const newest = selectRows([index], () => 'true', 'desc', limit)
      return orUnavailable(async () => (await read(newest)).toReversed())
    },

    find: (merchantRef, id) => firstOrNotFound(() => read(selectOne(merchantRef, id))),

    resend: (merchantRef, id, at) =>
      pipe(
        findRow(merchantRef, id),
        TE.flatMap((row) => dialect.resend([row], 'resend', at)),
        TE.filterOrElseW(
          (count) => count > 0,
          () => deliveryErased,
        ),
        TE.asUnit,
      ),

    recover: (request) => {
      const { merchantRef, after, limit, at } = request
      const candidates = selectRows(
        UNDELIVERED,
        (bind) => `merchant = ${bind(merchantRef)} and id > ${bind(after)}`,
        'asc',
        limit,
      )
      return pipe(
        orUnavailable(() =>
          query<DeliveryRow & { readonly tried_at: number }>(
            (bind) => `
              select b.*, coalesce(
                (select a.started_at from ${schema}attempts a where ${isAttemptOf} order by a.n desc limit 1),
                b.made_at) as tried_at
              from (${candidates(bind)}) b order by b.id`,
          ),
        ),
        TE.map((rows) => selectRecoverable(rows, request)),
        TE.flatMap(({ matching, next }) =>
          TE.map((count: number) => ({ count, next }))(dialect.resend(matching, 'recover', at)),
        ),
      )
    },
  }
}
