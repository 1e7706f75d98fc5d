// Lists the deliveries of both SQL stores with their attempts, and selects those that are sent again.
// The conditions are those of the indexes, or these are not used.
import {
  type Attempt,
  type Deliveries,
  type Delivery,
  type DeliveryErased,
  type DeliveryFilter,
  type DeliveryNotFound,
  type DeliveryState,
  effectKey,
  effectKeyParts,
  isRecoverable,
  type ManualTrigger,
  type OrderJob,
  RESPONSES_SHOWN,
  type Report,
  type Unavailable,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { aadForReport } from '../encryption/cipher.ts'
import type { CreatedStore } from '../store/store.ts'
import { getRight } from '../store/tokens.ts'
import { type Dialect, KEY, type KeyRow, openValue, orderIdOf } from './dialect.ts'
import { JOB_COLUMNS } from './due-jobs.ts'
import type { Bind } from './order-conditions.ts'

const deliveryNotFound: DeliveryNotFound = { _tag: 'DeliveryNotFound' }

const deliveryErased: DeliveryErased = {
  _tag: 'DeliveryErased',
  message: 'The shopper’s data was erased, including this message. It cannot be resent.',
}

// One encrypted value. They may contain anything, including the shopper's data, and encrypting them
// together costs a third of encrypting each.
type StoredReport = Pick<Report, 'errorReason' | 'request' | 'response'>

/** A delivery that waits in its lane is shown as pending. */
const shownState = ({ state }: Pick<OrderJob, 'state'>): DeliveryState =>
  state === 'queued' ? 'pending' : state

export const IS_DELIVERY = `queue <> 'work' and resend_of is null`

/** The condition that the attempt in the row `a` is of the delivery in the row `b`. */
const IS_ATTEMPT_OF = 'a.order_id = b.order_id and a.job = b.n'

const UNACCEPTED = `queue <> 'work' and state in ('queued', 'exhausted', 'stopped', 'unsupported', 'stuck')`

/** Together they are a merchant's deliveries that are not delivered. */
const UNDELIVERED: readonly string[] = [
  `state = 'pending' and queue in ('event', 'ipn')`,
  UNACCEPTED,
]

// Exactly the condition of the index outbox_ended_of_merchant on PostgreSQL, and the only state of it.
const DELIVERED = `queue <> 'work' and state in ('delivered', 'exhausted', 'stopped', 'unsupported', 'stuck')
  and state || '' = 'delivered'`

/** The condition that a delivery is shown in this state. It leads to no index. */
const isShownAs = (state: DeliveryState | null): string => {
  if (state === null) return 'true'
  return `state || '' in (${state === 'pending' ? `'queued', 'pending'` : `'${state}'`})`
}

type DeliveryRow = Omit<OrderJob, 'isRevoked' | 'resendOf' | 'message' | 'event'> & {
  readonly id: number
  readonly order_ref: string
  readonly event: Delivery['event']
  readonly isRevoked: boolean | number
  readonly is_erased: boolean | number
}

const toJob = ({ id: _, order_ref, is_erased, isRevoked, ...job }: DeliveryRow): OrderJob => ({
  ...job,
  isRevoked: Boolean(isRevoked),
  resendOf: null,
  message: null,
})

/** One for each attempt. A delivery that was not tried yet has one without an attempt. */
type ListedRow = DeliveryRow &
  KeyRow &
  Omit<Attempt, 'n' | keyof StoredReport> & {
    /** The attempt's. */
    readonly number: number | null
    readonly report: Buffer | null
  }

type DeliveriesDialect = Dialect & {
  readonly resend: CreatedStore['resend']
}

export const createDeliveries = (dialect: DeliveriesDialect): Deliveries => {
  const { schema, query, orUnavailable } = dialect

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
          select ${JOB_COLUMNS}, id, order_id, work is null as is_erased from ${schema}outbox
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
    if (state === null) return [...UNDELIVERED, DELIVERED]
    if (state === 'pending') return UNDELIVERED
    return [state === 'delivered' ? DELIVERED : UNACCEPTED]
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
      const { number: n, trigger, startedAt, outcome, durationMillis, status, error, report } = row
      if (n === null) return []
      const attempt = { n, trigger, startedAt, outcome, durationMillis, status, error }
      const stored =
        report && openValue(dialect, row.order_ref, row, aadForReport(row.n, n), report)
      const isShown = index >= rows.length - responses
      return [
        {
          ...attempt,
          response: null,
          ...(stored && (JSON.parse(stored) as StoredReport)),
          ...(!isShown && { response: null }),
        },
      ]
    })

  const read = async (
    select: (bind: Bind) => string,
    responses = RESPONSES_SHOWN,
  ): Promise<readonly Delivery[]> => {
    const rows = await query<ListedRow>(
      (bind) => `
        select b.*, o.order_ref, ${KEY}, a.n as number, a.cause as "trigger", a.started_at as "startedAt", a.outcome,
          a.duration as "durationMillis", a.status, a.error,
          case when a.n > max(a.n) over (partition by b.id) - ${bind(responses)}
            or length(report) <= 4096 or status between 300 and 399
            then a.report end as report
        from (${select(bind)}) b
        join ${schema}orders o on o.id = b.order_id
        join ${schema}data_keys k on k.order_id = b.order_id
        left join ${schema}attempts a on ${IS_ATTEMPT_OF}
        order by b.id, a.n`,
    )
    return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((attempts) =>
      attempts.slice(-1).map((row) => {
        const state = shownState(row)
        return {
          id: effectKey(row.order_ref, row.revision, row.lane),
          event: row.event,
          orderRef: row.order_ref,
          merchantRef: row.merchantRef,
          state,
          dueAt: state === 'pending' ? row.dueAt : null,
          attempts: toAttempts(attempts, responses),
        }
      }),
    )
  }

  const withOrderRef =
    (select: (bind: Bind) => string) =>
    (bind: Bind): string =>
      `select b.*, o.order_ref from (${select(bind)}) b join ${schema}orders o on o.id = b.order_id`

  const firstOrNotFound = <A>(read: () => Promise<readonly A[]>) =>
    TE.flatMapEither(orUnavailable(read), ([first]) => E.fromNullable(deliveryNotFound)(first))

  const findRow = (merchantRef: string, key: string) =>
    firstOrNotFound(() => query<DeliveryRow>(withOrderRef(selectOne(merchantRef, key))))

  const resend =
    (row: DeliveryRow, by: ManualTrigger, at: number): TE.TaskEither<Unavailable, boolean> =>
    () =>
      dialect.resend(row.order_ref, toJob(row), by, at)

  const resendOne: Deliveries['resend'] = (merchantRef, id, at) =>
    pipe(
      findRow(merchantRef, id),
      TE.flatMap(
        (row): TE.TaskEither<DeliveryErased | Unavailable, boolean> =>
          row.is_erased ? TE.left(deliveryErased) : resend(row, 'resend', at),
      ),
      // It has ended since it was read.
      TE.flatMap((isResent) => (isResent ? TE.right(undefined) : resendOne(merchantRef, id, at))),
    )

  return {
    list: (filter) => {
      const { merchantRef, before, responses } = filter
      const end: TE.TaskEither<DeliveryNotFound | Unavailable, Pick<DeliveryRow, 'id'>> = before ===
      null
        ? TE.right({ id: Number.MAX_SAFE_INTEGER })
        : findRow(merchantRef, before)
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

    resend: resendOne,

    recover: (request) => {
      const { merchantRef, since, after, limit, at } = request
      const candidates = selectRows(
        UNDELIVERED,
        (bind) => `merchant = ${bind(merchantRef)} and id > ${bind(after)} and work is not null`,
        'asc',
        limit,
      )
      return orUnavailable(async () => {
        const rows = await query<DeliveryRow & { readonly tried_at: number }>(
          (bind) => `
            select b.*, coalesce(
              (select a.started_at from ${schema}attempts a where ${IS_ATTEMPT_OF} order by a.n desc limit 1),
              b."madeAt") as tried_at
            from (${withOrderRef(candidates)(bind)}) b order by b.id`,
        )
        const resent = await Promise.all(
          rows
            .filter((row) => isRecoverable(shownState(row)))
            .filter(({ tried_at }) => tried_at >= since && tried_at <= at)
            .map((row) => getRight(resend(row, 'recover', at))),
        )
        const next = rows.length < limit ? null : (rows.at(-1)?.id ?? null)
        return { count: resent.filter(Boolean).length, next }
      })
    },
  }
}
