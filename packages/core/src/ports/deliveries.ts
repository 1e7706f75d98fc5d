// Merchants and operators list deliveries and resend them through this part of the store. Contract
// §3, Deliveries.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Attempt, EventName, Outcome, Trigger } from '../delivery/attempt.ts'
import type { DeliveryState } from '../protocol/order-view.ts'
import type { Unavailable } from './store-errors.ts'

/**
 * How an effect ended, shared by the ports that store it and the use cases that produce it.
 * `unsupported`: the merchant does not support the request.
 */
export type FinalStatus = Exclude<DeliveryState, 'pending' | 'stuck'>

/**
 * The next state of a job. If a step has revoked the job meanwhile, it is `stopped` in any
 * case.
 */
export type AttemptResult =
  | { readonly type: 'finished'; readonly status: FinalStatus }
  | { readonly type: 'retry'; readonly dueAt: number }

/** The merchant has no delivery with this id. It may belong to another merchant. */
export type DeliveryNotFound = { readonly _tag: 'DeliveryNotFound' }
/** The content of the delivery was erased together with the order's shopper. */
export type DeliveryErased = { readonly _tag: 'DeliveryErased'; readonly message: string }

/** An event or an IPN, from its creation on. Instants are domain time, epoch milliseconds. */
export type Delivery = {
  /** The effect's key, which is the `Webhook-Id`. */
  readonly id: string
  readonly event: EventName | 'ipn'
  readonly orderRef: string
  readonly merchantRef: string
  readonly state: DeliveryState
  /** Null once the delivery is finished or stuck, even during a manual resend. */
  readonly dueAt: number | null
  readonly attempts: readonly Attempt[]
}

/** Which deliveries of a merchant a list has. Null restricts nothing. */
export type DeliveryFilter = {
  readonly merchantRef: string
  readonly orderRef: string | null
  readonly state: DeliveryState | null
  /** Only deliveries created before the one with this id; null: up to the newest. */
  readonly before: string | null
  /** The maximum number of deliveries: the newest that match. */
  readonly limit: number
  /**
   * How many of the last attempts of each delivery have their response; the others have null. At
   * most, and by default, `RESPONSES_SHOWN`.
   */
  readonly responses?: number
}

/**
 * One page of a recovery. `since` and `at` are domain time, epoch milliseconds: deliveries last
 * tried since then are due at `at`.
 */
export type RecoverRequest = {
  readonly merchantRef: string
  readonly since: number
  readonly at: number
  /** `next` of the previous page; 0 for the first page. */
  readonly after: number
  /** The maximum number of deliveries that one page examines. */
  readonly limit: number
}

/** How many deliveries of a page are sent again, and where the next page begins. */
export type RecoveryPage = {
  readonly count: number
  /** Null after the last page. */
  readonly next: number | null
}

/** A merchant's deliveries: their list, and sending them again. Contract §3, Deliveries. */
export type Deliveries = {
  /** Newest last. `DeliveryNotFound` if `before` is not a delivery of the merchant. */
  readonly list: (
    filter: DeliveryFilter,
  ) => TaskEither<DeliveryNotFound | Unavailable, readonly Delivery[]>
  /** Those that were given up, of all merchants, newest first. */
  readonly exhausted: (limit: number) => TaskEither<Unavailable, readonly Delivery[]>
  readonly find: (
    merchantRef: string,
    id: string,
  ) => TaskEither<DeliveryNotFound | Unavailable, Delivery>
  /**
   * Pending: makes the next attempt now, after everything ahead of it in its lane. In flight: makes
   * it as soon as the current attempt fails. The schedule stays the same. Finished or stuck: sends
   * the delivery once more outside lane and schedule, without retries. If accepted, the delivery
   * takes the resulting state, unless it is delivered already or is back in its lane. If the
   * resulting step fails, it is stuck. A resend never makes a delivery pending. A second call
   * before the resend goes out has no effect.
   */
  readonly resend: (
    merchantRef: string,
    id: string,
    at: number,
  ) => TaskEither<DeliveryNotFound | DeliveryErased | Unavailable, void>
  /**
   * Does the same for one page of all deliveries that are pending or exhausted and were last tried
   * at `since` or later. If a delivery has not been tried yet, the instant of its creation counts.
   */
  readonly recover: (request: RecoverRequest) => TaskEither<Unavailable, RecoveryPage>
}

/** The outcome of an attempt, derived from the result of its job. */
export const outcomeOf = (attemptResult: AttemptResult): Exclude<Outcome, 'lost'> =>
  attemptResult.type === 'finished' &&
  (attemptResult.status === 'delivered' || attemptResult.status === 'unsupported')
    ? 'accepted'
    : 'error'

/**
 * The states that `recover` includes. Revoked deliveries stay stopped, and stuck ones wait until
 * the error is fixed.
 */
export const isRecoverable = (state: DeliveryState): boolean =>
  state === 'pending' || state === 'exhausted'

/** Who started an attempt outside the schedule: a resend of one delivery, or a recovery of many. */
export type ManualTrigger = Exclude<Trigger, 'schedule'>
