// The part of the store through which deliveries to merchants are seen and sent again. Contract §3, Deliveries.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { EventName } from '../delivery/acceptance.ts'
import type { Attempt, Outcome, Trigger } from '../delivery/attempt.ts'
import type { Conclusion, Ending } from './conclusion.ts'
import type { Unavailable } from './unavailable.ts'

export type DeliveryUnknown = { readonly _tag: 'DeliveryUnknown' }
/** What it told was forgotten with the order's shopper. */
export type DeliveryForgotten = { readonly _tag: 'DeliveryForgotten'; readonly message: string }

export type DeliveryState = 'pending' | Ending | 'stuck'

export const DELIVERY_STATES: readonly DeliveryState[] = [
  'pending',
  'delivered',
  'exhausted',
  'stopped',
  'unsupported',
  'stuck',
]

/** An event or an IPN, from its making on. Instants are domain time, epoch milliseconds. */
export type Delivery = {
  /** The effect's key, which is the `Webhook-Id`. */
  readonly id: string
  readonly event: EventName | 'ipn'
  readonly orderRef: string
  readonly state: DeliveryState
  /** Null once ended or stuck, though it be sent again. */
  readonly dueAt: number | null
  readonly attempts: readonly Attempt[]
}

export type DeliveryFilter = {
  readonly merchantRef: string
  readonly orderRef: string | null
  readonly state: DeliveryState | null
  /** Made before this one, by its id; null: up to the newest. */
  readonly before: string | null
  /** So many of the newest of them. */
  readonly limit: number
  /**
   * Ends the list early, but with at least one, once the answers kept with those listed take so many bytes. A list that is
   * shorter than `limit` then does not mean that there are no older ones; an empty one does. Absent: only `limit` counts.
   */
  readonly answerBytes?: number
}

export type RecoverRequest = {
  readonly merchantRef: string
  readonly since: number
  readonly at: number
  /** Where the last page ended; 0 begins. */
  readonly after: number
  /** How many deliveries one page looks at, at most. */
  readonly limit: number
}

export type Recovered = {
  readonly count: number /** Null once all have been looked at. */
  readonly next: number | null
}

export type Deliveries = {
  /** Newest last. `DeliveryUnknown` where `before` is none of the merchant's. */
  readonly list: (filter: DeliveryFilter) => TaskEither<DeliveryUnknown | Unavailable, readonly Delivery[]>
  readonly find: (merchantRef: string, id: string) => TaskEither<DeliveryUnknown | Unavailable, Delivery>
  /**
   * A pending delivery's next attempt is made now, and what its lane holds before it; of one in flight, as soon as this attempt
   * has failed. Its schedule goes on as it was.
   * Any other is sent once more, beside lane and schedule, as an attempt of its own that is not tried again. Accepted, it ends a
   * delivery as it is concluded, but for one that is delivered, or is back in its lane meanwhile; a step that cannot be made
   * leaves it stuck. It never makes it pending. Asked for again before it was sent, it is sent once.
   */
  readonly resend: (
    merchantRef: string,
    id: string,
    at: number,
  ) => TaskEither<DeliveryUnknown | DeliveryForgotten | Unavailable, void>
  /**
   * The same for a page of all deliveries that are pending or exhausted and were last tried at `since` or later, or
   * made then and not tried yet.
   */
  readonly recover: (request: RecoverRequest) => TaskEither<Unavailable, Recovered>
}

/** What an attempt came to, by what becomes of its entry. */
export const outcomeOf = (conclusion: Conclusion): Exclude<Outcome, 'lost'> =>
  conclusion.type === 'ended' && (conclusion.as === 'delivered' || conclusion.as === 'unsupported')
    ? 'accepted'
    : 'error'

/** What is recovered: what was withdrawn stays so, and what is stuck waits for us to mend it. */
export const isRecovered = (state: DeliveryState): boolean => state === 'pending' || state === 'exhausted'

export type AskedTrigger = Exclude<Trigger, 'schedule'>
