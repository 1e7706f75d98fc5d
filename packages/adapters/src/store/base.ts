// The interface of a database to the store: rows that are read and committed in bulk. `store.ts` decides,
// once for all databases. A base writes a change if nobody has changed the order since it was read.
import type {
  EffectPayload,
  EndpointKind,
  Order,
  OrderFacts,
  OrderJob,
  Outcome,
  QueueName,
  Unavailable,
} from '@plazo/core/internal'
import type * as E from 'fp-ts/lib/Either.js'

/** A job as it is stored. `work`: the effect's payload, JSON; null if it was not read. */
export type JobRow<Value> = Omit<OrderJob, 'message'> & {
  readonly message: Value | null
  readonly work: Value | null
}

/** An order and its jobs that have not ended, as they were read. */
export type OrderRow<Value, Key> = {
  readonly ref: string
  readonly id: number
  /** Grows with each change of the order or of a job. */
  readonly version: number
  readonly revision: number
  /** The wrapped data key. */
  readonly key: Key
  readonly placed: Value
  readonly snapshot: Value
  /** How many jobs the order has had. */
  readonly jobCount: number
  /** Those that wait or are stuck, and the finished deliveries that are being resent; by `n`. */
  readonly jobs: readonly JobRow<Value>[]
}

export type LineRow<Value> = {
  readonly seq: number
  readonly at: number
  readonly event: string
  readonly detail: string | null
  readonly from: string
  readonly to: string
  readonly input: Value | null
}

export type AttemptRow<Value> = {
  /** The delivery's. */
  readonly n: number
  readonly number: number
  readonly cause: string
  readonly startedAt: number
  readonly outcome: Outcome
  readonly durationMillis: number | null
  readonly status: number | null
  readonly error: string | null
  readonly report: Value | null
}

/** `person`: a keyed hash of `personKey`, the only personal value that is not sealed. */
export type StoredFacts = OrderFacts & { readonly person: string | null }

/** The order after a step. */
export type SnapshotRow<Value> = {
  readonly merchant: string
  readonly revision: number
  readonly snapshot: Value
  readonly facts: StoredFacts
  /** The step changes only the state and the instant of the change. */
  readonly keepsDetails: boolean
  /** The `order_ref_1` that the order holds, and that it held before. */
  readonly reference: string | null
  readonly referenceBefore: string | null
  /** No other order of the merchant may hold it. */
  readonly requested: string | null
  /** Why the order waits for an operator. Null: the step does not change it. */
  readonly task: { readonly why: string | null; readonly since: number } | null
}

/** What an attempt says of the merchant's endpoint. */
export type EndpointNote = {
  readonly merchant: string
  readonly kind: EndpointKind
  readonly startedAt: number
  readonly isAccepted: boolean
  /** As `isGoodAttempt`. */
  readonly isGood: boolean
}

/** All that one commit changes of one order. */
export type OrderChange<Value, Key> = {
  readonly ref: string
  /** Null: the order is new. */
  readonly row: { readonly id: number; readonly version: number; readonly key: Key } | null
  /** Only of a new order: what never changes, and the merchant's request body. */
  readonly placed: {
    readonly merchant: string
    readonly placed: Value
    readonly payload: Value
    /** Null until it is sealed. */
    readonly key: Key | null
  } | null
  /** Null: only jobs change. */
  readonly snapshot: SnapshotRow<Value> | null
  readonly lines: readonly LineRow<Value>[]
  readonly jobCount: number
  readonly added: readonly JobRow<Value>[]
  /** Their payloads are not written. A message that is null stays while the job is stuck. */
  readonly put: readonly JobRow<Value>[]
  readonly dropped: readonly number[]
  readonly attempts: readonly AttemptRow<Value>[]
  readonly endpoints: readonly EndpointNote[]
  /** A code is sent to the number with this keyed hash. Absent: none is, or codes are not counted. */
  readonly code?: { readonly number: string; readonly at: number } | undefined
}

/**
 * `changed`: the order is not as it was read. `taken`: another order of the merchant holds the
 * reference. `refused`: the number has had its codes. Only `done` has written anything.
 */
export type ChangeResult<Key> =
  | Done<Key>
  | { readonly as: 'changed' | 'taken' | 'refused' | 'exists' }

/** `created`: of a new order. */
export type Done<Key> = {
  readonly as: 'done'
  readonly created: { readonly id: number; readonly key: Key } | null
}

/** Where a job stands in the sequence in which jobs become due. */
export type DueKey = { readonly dueAt: number; readonly order: number; readonly n: number }

/** A job that is due, without what an attempt needs of it. */
export type DueRow = DueKey & {
  readonly ref: string
  readonly queue: QueueName
  readonly merchant: string
  readonly account: string
}

/** An order to read. `version`: what the caller has of it. */
export type Asked = { readonly ref: string; readonly version: number | null }

/**
 * The functions of a database that keeps orders. `Value`: how texts are stored; `Key`: how the wrapped
 * data key of an order is.
 */
export type Base<Value, Key> = {
  /** Of those that exist. One that has the version asked for returns only that. */
  readonly readOrders: (
    asked: readonly Asked[],
  ) => Promise<readonly (OrderRow<Value, Key> | Asked)[]>
  /** The payloads of jobs, in the sequence of the keys. */
  readonly readWork: (
    jobs: readonly { readonly order: number; readonly n: number }[],
  ) => Promise<readonly (Value | null)[]>
  /**
   * Seals and writes them in one transaction, at most one change of an order. Returns a result for
   * each. A change that cannot be written fails alone, as does a new order with the uuid of another.
   */
  readonly commit: (
    changes: readonly OrderChange<string, Key>[],
  ) => Promise<readonly E.Either<Unavailable, ChangeResult<Key>>[]>
  /** Pending jobs, first those that are due first, from the key on. */
  readonly due: (after: DueKey, until: number, limit: number) => Promise<readonly DueRow[]>
  /** Pending deliveries of a kind of one merchant, in the sequence of `due`. */
  readonly dueOf: (
    queue: QueueName,
    merchant: string,
    after: DueKey,
    limit: number,
  ) => Promise<readonly DueRow[]>
  /** All endpoints that are good. */
  readonly goodEndpoints: () => Promise<readonly Pick<EndpointNote, 'merchant' | 'kind'>[]>
  /** Counts the data keys that were destroyed, by any process; known for at most a second. */
  readonly erasures: () => Promise<number>
  /** When the first pending job is due later than this instant; null: none is. */
  readonly nextDueAt: (after: number) => Promise<number | null>
  /** The uuid of the order that holds the reference. */
  readonly holderOf: (merchant: string, reference: string) => Promise<string | null>
}

/** Opens what was sealed. Both throw if it cannot be opened. */
export type Opener<Value, Key> = {
  readonly order: (
    row: Pick<OrderRow<Value, Key>, 'ref' | 'key' | 'placed' | 'snapshot' | 'revision'>,
  ) => Order | Promise<Order>
  readonly work: (
    order: Pick<OrderRow<Value, Key>, 'ref' | 'id' | 'key'>,
    job: Pick<OrderJob, 'n' | 'revision' | 'lane'>,
    value: Value,
  ) => EffectPayload | Promise<EffectPayload>
}
