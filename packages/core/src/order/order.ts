// An order as an immutable value, and the events that change it. The core steps it, hosts store it,
// and projections show it.
import {
  type Agreement,
  type Catalogue,
  defaultAgreement,
  defaultProduct,
  PRODUCTS,
} from '../protocol/credit-product.ts'
import type { Person } from '../protocol/identification-form.ts'
import type { StateOnWire } from '../protocol/order-view.ts'
import type { ProviderUpdate, SavedCard } from '../protocol/provider-answer.ts'
import type { Carts, OrderContext, Placed } from './order-context.ts'

/**
 * An order's state as three names, one for each region. They are stored, shown and used as keys, so
 * renaming one requires a migration. Contract §3, States.
 */
export const REGIONS = ['checkout', 'risk', 'cancellation'] as const

/** The three parts of the statechart that run side by side. */
export type Region = (typeof REGIONS)[number]

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

// On the wire, all states of an ID check have one name.
type IdCheck = 'started' | 'verified' | 'unverified' | 'errored'

/** The names of our own states: those on the wire in camelCase. A test compares them with the machine. */
export type BundledState = {
  readonly checkout: Exclude<CamelCase<StateOnWire['checkout']>, 'verifyingIdentity'> | IdCheck
  readonly risk: CamelCase<StateOnWire['risk']>
  readonly cancellation: CamelCase<StateOnWire['cancellation']>
}

/**
 * The innermost state of each region, by its name in the machine. A host's own model may have others
 * than ours, so a name can be any text; completion shows ours.
 */
export type OrderState = { readonly [R in Region]: BundledState[R] | (string & {}) }

/**
 * An immutable order: what it was placed with, where it stands, and what has been collected since.
 * `step` makes the next one.
 */
export type Order = {
  readonly placed: Placed
  /** The number of journal lines written so far. */
  readonly revision: number
  readonly state: OrderState
  readonly context: OrderContext
}

/**
 * Why an order waits for an operator. Some decisions only they take; others they may take for the
 * merchant. A state with a task has one of these names in its meta.
 */
export const OPERATOR_TASKS = ['review', 'unanswered', 'unsupported', 'asked'] as const

/**
 * The decision that an order waits for. `review`: the order is on hold. `asked`: the merchant was
 * asked to cancel and has not decided. `unanswered`: the merchant never answered. `unsupported`:
 * they do not support `cancel`, or cannot be asked.
 */
export type OperatorTask = (typeof OPERATOR_TASKS)[number]

/** The code of an order's product: the one the shopper chose, or else the default. */
export const productCodeOf = ({
  placed: { merchant, productCode },
  context,
}: Pick<Order, 'placed' | 'context'>): string =>
  context.agreement?.product ?? defaultProduct(merchant.products, productCode)

/**
 * The agreement of an order: the one the shopper chose, or else the default for the order as
 * placed. Contract §4.
 */
export const agreementOf = (
  { placed, context }: Pick<Order, 'placed' | 'context'>,
  catalogue = PRODUCTS,
): Agreement => agreementOrDefault(placed, context.agreement, catalogue)

export const agreementOrDefault = (
  { merchant, productCode }: Placed,
  chosen: Agreement | null,
  catalogue: Catalogue,
): Agreement => chosen ?? defaultAgreement(merchant.products, productCode, catalogue)

/** Events without data of their own. */
type Plain<Type extends string> = Type extends string ? { readonly type: Type } : never

/**
 * `inReplyTo`: the key of the effect that the event answers. If that effect is not awaited, the
 * event changes no state.
 */
type InReply = { readonly inReplyTo: string }
type Submission = { readonly person: Person; readonly agreement: Agreement | null }

/** What a right form means for an order. Interface §4.1. */
export type SubmissionEvent =
  /** Submitted by the same person as before, or by the first person. */
  | ({ readonly type: 'person.submitted' } & Submission)
  /** Submitted by the same person with a code, as sent, while the order asks for one. */
  | ({ readonly type: 'code.submitted'; readonly code: string } & Submission)
  /** Submitted by another person. */
  | ({ readonly type: 'person.changed' } & Submission)

/**
 * The answer to a request of the order. `inReplyTo` is the key of the effect that asked. The order
 * ignores answers that it does not await.
 */
export type ReplyEvent = InReply &
  (
    | ProviderUpdate
    | { readonly type: 'cards.recalled'; readonly cards: readonly SavedCard[] }
    | { readonly type: 'session.opened'; readonly url: string }
    | { readonly type: 'payment.opened'; readonly url: string }
    | {
        readonly type: 'payment.challenged'
        readonly token: string
        readonly card: SavedCard
        readonly keep: boolean
      }
    | Plain<'session.unavailable' | 'payment.unavailable' | 'payment.refunded'>
    | Plain<'ipn.accepted' | 'ipn.conflicted' | 'ipn.erred' | 'ipn.exhausted'>
    | Plain<'cancel.agreed' | 'cancel.unsupported' | 'cancel.exhausted'>
    /** Minutes, or null if the answer gave none. */
    | { readonly type: 'cancel.refused'; readonly lateByMinutes: number | null }
    | { readonly type: 'cancel.deferred'; readonly retryInMinutes: number }
    | { readonly type: 'timer.fired'; readonly timer: string }
  )

/** What a merchant says about an order by the Order API. */
export type MerchantEvent =
  /**
   * `PUT` with `state` confirmed (`merchant.confirmed`) or on_hold (`merchant.held`). Contract §5.
   */
  | Plain<'merchant.confirmed' | 'merchant.held'>
  | {
      readonly type: 'references.given'
      readonly first: string | null
      readonly second: string | null
    }
  /**
   * An Order Update that leaves the total as it is. Journals of earlier versions have no carts.
   * Contract §3.
   */
  | { readonly type: 'order.updated'; readonly carts?: Carts }
  /** An Order Update with a smaller total. `from`: the total before it. */
  | { readonly type: 'order.reduced'; readonly carts: Carts; readonly from: number }

/** `operator`: the name of the operator who decided. Merchants are not told. */
type ByOperator = { readonly operator?: string | undefined }

/** What an operator or the merchant decides about an order. */
export type DecisionEvent =
  | (Plain<'review.approved' | 'review.rejected' | 'cancellation.requested'> & ByOperator)
  | ({ readonly type: 'order.cancelled'; readonly by: 'operator' | 'merchant' } & ByOperator)

/**
 * Events are the only input of an order. Each has a dotted name in the past tense. If it answers an
 * effect, it carries that effect's key.
 */
export type OrderEvent = SubmissionEvent | ReplyEvent | MerchantEvent | DecisionEvent

/** True if the event answers a request, whose key is its `inReplyTo`. */
export const isReply = (event: OrderEvent): event is ReplyEvent => 'inReplyTo' in event
