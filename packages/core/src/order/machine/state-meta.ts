// Everything about a state stands in its meta: what its shopper is told, whom it awaits, its name on
// the wire, and what operators, retention and references need to know. There is no other table of
// states, so the types lead to every place that a new state needs.
import type {
  IdentificationActionName,
  IdVerificationStatus,
  WaitActionName,
} from '../../protocol/action.ts'
import type { OperatorTask, OrderEvent } from '../order.ts'

/** Everybody who can change an order. */
export type Party =
  | 'shopper'
  | 'merchant'
  | 'operator'
  | 'screening'
  | 'sms'
  | 'identity'
  | 'payments'
  | 'risk'

/** What every state says in which an order can rest. */
export type StateMeta = {
  /** A description in plain words, if `STATE_WORDS` has none of this name on the wire. */
  readonly caption?: string
  /** The section of the interface, the contract or another page that describes the state. */
  readonly section: string
  /** The name on the wire, if it is not the state's own in snake_case. Several states may share one. */
  readonly onWire?: string
  /** Who ends the state, and by which event. Absent: nobody, or only the answer to a request. */
  readonly awaits?: readonly [who: Party, event: OrderEvent['type']]
  /** The entry in the operator's inbox. Absent: there is nothing for an operator to decide. */
  readonly task?: OperatorTask
  /**
   * The order needs nothing more in this region: no shopper, merchant, provider or timer. Absent:
   * only if the state is final.
   */
  readonly isOver?: boolean
  /** Another order of the merchant may use this order's `order_ref_1`, whatever its checkout says. */
  readonly releasesReference?: boolean
}

/** A state of the checkout also has its answers to the shopper. */
export type CheckoutMeta = StateMeta & {
  /** No other order of the merchant may use this order's `order_ref_1`. Absent: one may. */
  readonly holdsReference?: boolean
  /** The status in `wait_for_id_verification`. */
  readonly idStatus?: IdVerificationStatus
  /** The text of `show_error`, if it is not the order's own failure. */
  readonly failure?: 'conflicted' | 'expired'
} & (
    | {
        /** The answer of both endpoints. */
        readonly wait: WaitActionName & IdentificationActionName
        readonly identification?: undefined
      }
    | {
        readonly wait: WaitActionName
        /** The answer of the identification endpoint. Null: no submission ends in this state. */
        readonly identification: IdentificationActionName | null
      }
  )
