// What was seen of one order, in the order in which it was seen: what the invariants judge. Any source can write one:
// the core over a store, a simulation, or a client of a server far away. What a source cannot see it leaves out, and
// says so by what it `observes`; an invariant that needs it is then listed as not checked.

import type { EventName } from '../delivery/acceptance.ts'
import type { Order } from '../order/order.ts'
import type { Placed } from '../order/order-context.ts'
import type { Step } from '../order/step.ts'
import type { Rules } from '../order/terms.ts'
import type { Ending } from '../ports/conclusion.ts'
import type { AskedTrigger } from '../ports/deliveries.ts'
import type { WaitAction } from '../protocol/action.ts'
import type { StateOnWire } from '../protocol/order-view.ts'
import type { WireNames } from '../protocol/wire-names.ts'

/** An answer as it came: any status, any JSON. */
export type Answered = { readonly status: number; readonly body: unknown }

/** Instants are domain time, epoch milliseconds. */
type At = { readonly at: number }

/** Answered at `at`, or at some instant since `askedAt` where the source cannot tell which. */
type AnsweredAt = At & { readonly askedAt?: number }

/** The shopper's form and what it was answered. */
export type Submitted = AnsweredAt & {
  readonly part: 'submission'
  /** What `cause` of a step says. */
  readonly id: string
  readonly body: Readonly<Record<string, unknown>>
  /** The fields that whoever made the form knows to be wrong; null where nobody knows. */
  readonly wrongFields: readonly string[] | null
  readonly answer: Answered
}

export type Polled = AnsweredAt & { readonly part: 'poll'; readonly id: string; readonly answer: Answered }

/** A line of the order's history, as `GET /orders/<uuid>/history` shows it. */
export type Line = At & {
  readonly part: 'line'
  readonly seq: number
  readonly event: string
  readonly detail: string | null
  readonly from: StateOnWire
  readonly to: StateOnWire
}

/** One committed step. */
export type Stepped = At & {
  readonly part: 'step'
  /** The submission or poll that caused it, or the key of the effect whose answer did; null where nobody knows. */
  readonly cause: string | null
  /** Null: the order was placed. */
  readonly before: Order | null
  readonly made: Step
  /** What wait answers for the order as the step left it. */
  readonly wait: WaitAction
  /** The same told again to the order as its stored form has it; null where it was not tried. */
  readonly again: Pick<Step, 'order' | 'effects'> | null
}

/** What became of an effect in the outbox. */
export type Worked = At & {
  readonly part: 'work'
  readonly key: string
  readonly what: 'begun' | 'again' | 'lost' | 'stuck' | Ending
  /** When it is tried again, of `again` alone. */
  readonly dueAt: number | null
}

/** A request to the merchant as it left, its attempt numbered from 1. */
export type Sent = At & {
  readonly part: 'sent'
  /** The `Webhook-Id`. */
  readonly key: string
  readonly event: EventName | 'ipn'
  readonly n: number
  /** `schedule`, or that somebody asked for it: such an attempt follows no rule of its own. */
  readonly trigger: 'schedule' | AskedTrigger
  readonly url: string
  readonly contentType: string
  readonly body: string
  /** Names in lower case; empty unless signatures are observed. */
  readonly headers: Readonly<Record<string, string>>
  /** The hex HMAC-SHA256 of `body` under the merchant's secret, as the source itself has worked it out. */
  readonly signature: string | null
}

/** What came back of it; status null: nothing that could be judged. */
export type HeardBack = At & {
  readonly part: 'heard'
  readonly key: string
  readonly n: number
  readonly status: number | null
  readonly body: string | null
}

/** How the service judged an attempt. */
export type Judged = At & {
  readonly part: 'judged'
  readonly key: string
  readonly n: number
  readonly outcome: 'accepted' | 'error'
}

export type Messaged = At & {
  readonly part: 'message'
  readonly to: string
  readonly text: string
  readonly code: string
}

/** What became of a payment; `payment` tells payments apart, and is null where nobody knows which one it was. */
export type Paid = At & {
  readonly part: 'payment'
  readonly payment: string | null
  readonly what: 'succeeded' | 'failed' | 'voided' | 'refunded'
}

/** What a decider said. */
export type Decided = At & {
  readonly part: 'decided'
  readonly by: 'screening' | 'identity' | 'risk' | 'watch'
  readonly said: string
}

/** What the merchant said by himself, and whether it was taken. */
export type MerchantActed = At & {
  readonly part: 'merchant'
  readonly act: 'confirmed' | 'on_hold' | 'cancelled' | 'references' | 'updated'
  readonly isTaken: boolean
}

export type OperatorActed = At & {
  readonly part: 'operator'
  readonly act: 'approve' | 'reject' | 'request-cancellation' | 'cancel'
  readonly isTaken: boolean
}

/** Time has passed, up to `at`. */
export type Passed = At & { readonly part: 'clock' }

/** Everything that was due by `at` has run, and nothing is in flight. */
export type Idle = At & { readonly part: 'idle' }

export type Seen =
  | Submitted
  | Polled
  | Line
  | Stepped
  | Worked
  | Sent
  | HeardBack
  | Judged
  | Messaged
  | Paid
  | Decided
  | MerchantActed
  | OperatorActed
  | Passed
  | Idle

export type Part =
  | Seen['part']
  /** `cause` of a step tells who caused it. */
  | 'cause'
  /** Every step was told again. */
  | 'replay'
  /** Headers and signatures of what was sent. */
  | 'signature'
  /** Instants are exact to the millisecond; else they are right within a second. */
  | 'instant'
  /** Between which two instants, exact to the millisecond, a question was answered. */
  | 'asked'
  /** The history was told twice, the second time with every stretch of time in two. */
  | 'twin'

export type Trace = {
  readonly placed: Placed
  readonly rules: Rules
  readonly names: WireNames
  readonly observes: readonly Part[]
  readonly seen: readonly Seen[]
  readonly twin: Pick<Trace, 'seen'> | null
}

export type SeenPart<P extends Seen['part']> = Extract<Seen, { readonly part: P }>

/** Everything of one part, in its order. */
export const seenOf = <P extends Seen['part']>({ seen }: Pick<Trace, 'seen'>, part: P): readonly SeenPart<P>[] =>
  seen.filter((each): each is SeenPart<P> => each.part === part)
