// A trace records the observations of one order, in sequence, and invariants judge it. Any source
// can write one: the core on a store, a simulation, or a client of a remote server. A source lists
// in `observes` the parts that it can see. An invariant that needs other parts is reported as not
// checked.

import type { EventName } from '../../delivery/attempt.ts'
import type { Order } from '../../order/order.ts'
import type { Placed } from '../../order/order-context.ts'
import type { Step } from '../../order/step.ts'
import type { Rules, WireNames } from '../../order/terms.ts'
import type { FinalStatus, ManualTrigger } from '../../ports/deliveries.ts'
import type { WaitAction } from '../../protocol/action.ts'
import type { StateOnWire } from '../../protocol/order-view.ts'

/** An answer as received: any status, any JSON. */
export type ReceivedAnswer = { readonly status: number; readonly body: unknown }

/** Instants are domain time, epoch milliseconds. */
type At = { readonly at: number }

/**
 * Answered at `at`, or at some instant between `askedAt` and `at` if the source does not know it
 * exactly.
 */
type AnswerTime = At & { readonly askedAt?: number }

/** The shopper's form and the answer to it. */
export type FormSubmission = AnswerTime & {
  readonly part: 'submission'
  /** The id that `cause` of a step refers to. */
  readonly id: string
  readonly body: Readonly<Record<string, unknown>>
  /** The fields that are known to be wrong; null if nobody knows. */
  readonly wrongFields: readonly string[] | null
  readonly answer: ReceivedAnswer
}

/** One request for the wait action, and its answer. */
export type WaitPoll = AnswerTime & {
  readonly part: 'poll'
  readonly id: string
  readonly answer: ReceivedAnswer
}

/** A line of the order's history, as `GET /orders/<uuid>/history` shows it. */
export type HistoryEntry = At & {
  readonly part: 'line'
  readonly seq: number
  readonly event: string
  readonly detail: string | null
  readonly from: StateOnWire
  readonly to: StateOnWire
}

/** One committed step. */
export type CommittedStep = At & {
  readonly part: 'step'
  /**
   * The id of the submission or poll that caused the step, or the key of the answered effect; null
   * if unknown.
   */
  readonly cause: string | null
  /** The order before the step; null if the step placed it. */
  readonly before: Order | null
  readonly step: Step
  /** The answer of wait for the order after the step. */
  readonly wait: WaitAction
  /**
   * The result of replaying the step on the order read from its stored form; null if it was not
   * replayed.
   */
  readonly replayed: Pick<Step, 'order' | 'effects'> | null
}

/** A change of an effect in the outbox. */
export type JobChange = At & {
  readonly part: 'work'
  readonly key: string
  readonly what: 'started' | 'retry' | 'lost' | 'stuck' | FinalStatus
  /** When it is tried again; only for `retry`. */
  readonly dueAt: number | null
}

/** A request to the merchant as sent. `n`: the number of the attempt, from 1. */
export type MerchantRequest = At & {
  readonly part: 'request'
  /** The `Webhook-Id`. */
  readonly key: string
  readonly event: EventName | 'ipn'
  readonly n: number
  /**
   * `schedule`, or a manual resend or recovery. The rules of the schedule do not apply to manual
   * attempts.
   */
  readonly trigger: 'schedule' | ManualTrigger
  readonly url: string
  readonly contentType: string
  readonly body: string
  /** Header names are in lower case. Empty unless signatures are observed. */
  readonly headers: Readonly<Record<string, string>>
  /** The hex HMAC-SHA256 of `body` under the merchant's secret, computed by the source itself. */
  readonly signature: string | null
}

/** The answer to a request. `status` null: no usable answer. */
export type MerchantAnswer = At & {
  readonly part: 'answer'
  readonly key: string
  readonly n: number
  readonly status: number | null
  readonly body: string | null
}

/** How the service judged an attempt. */
export type AttemptOutcome = At & {
  readonly part: 'outcome'
  readonly key: string
  readonly n: number
  readonly outcome: 'accepted' | 'error'
}

/** An SMS to the shopper. `to` is the number as sent to the provider. */
export type SmsMessage = At & {
  readonly part: 'message'
  readonly to: string
  readonly text: string
  readonly code: string
}

/** A change of a payment. `payment` identifies the payment, or is null if it is unknown. */
export type PaymentChange = At & {
  readonly part: 'payment'
  readonly payment: string | null
  readonly what: 'succeeded' | 'failed' | 'voided' | 'refunded'
  /** What was paid or refunded, in minor units; null for other changes, or if it is unknown. */
  readonly amount: number | null
  /**
   * The id of the refund: the same id is the same refund. Null for other changes, or if it is
   * unknown.
   */
  readonly refund: string | null
}

/** The answer of a provider. */
export type ProviderDecision = At & {
  readonly part: 'decision'
  readonly by: 'screening' | 'identity'
  readonly answer: string
}

/** A request that the merchant made by themselves, and whether it was accepted. */
export type MerchantAction = At & {
  readonly part: 'merchant'
  readonly act: 'confirmed' | 'on_hold' | 'cancelled' | 'references' | 'updated' | 'reduced'
  readonly isAccepted: boolean
}

/** An operator's decision, and whether the order took it. */
export type OperatorAction = At & {
  readonly part: 'operator'
  readonly act: 'approve' | 'reject' | 'request-cancellation' | 'cancel'
  readonly isAccepted: boolean
}

/** Time has passed, up to `at`. */
export type ClockMove = At & { readonly part: 'clock' }

/** Everything that was due by `at` has run, and nothing is in flight. */
export type IdleMoment = At & { readonly part: 'idle' }

/** One observation. `part` says of what. */
export type TraceEntry =
  | FormSubmission
  | WaitPoll
  | HistoryEntry
  | CommittedStep
  | JobChange
  | MerchantRequest
  | MerchantAnswer
  | AttemptOutcome
  | SmsMessage
  | PaymentChange
  | ProviderDecision
  | MerchantAction
  | OperatorAction
  | ClockMove
  | IdleMoment

/** What a source of traces can see. */
export type Part =
  | TraceEntry['part']
  /** The `cause` of steps is known. */
  | 'cause'
  /** Every step was replayed. */
  | 'replay'
  /** The headers and signatures of requests are known. */
  | 'signature'
  /** Instants are exact to the millisecond. Without this part they are exact to one second. */
  | 'instant'
  /** The two instants between which a request was answered are known to the millisecond. */
  | 'answer_time'
  /** The history ran twice, the second time with every passage of time split in two. */
  | 'twin'

/** The observed history of one order, and under which terms it ran. */
export type Trace = {
  readonly placed: Placed
  readonly rules: Rules
  readonly names: WireNames
  readonly observes: readonly Part[]
  readonly entries: readonly TraceEntry[]
  readonly twin: Pick<Trace, 'entries'> | null
}

/** The entries of one part. */
export type EntryOf<P extends TraceEntry['part']> = Extract<TraceEntry, { readonly part: P }>

/** All entries of one part, in their order. */
export const entriesOf = <P extends TraceEntry['part']>(
  { entries }: Pick<Trace, 'entries'>,
  part: P,
): readonly EntryOf<P>[] => entries.filter((each): each is EntryOf<P> => each.part === part)
