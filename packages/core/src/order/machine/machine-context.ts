// Guards and assignments of the statechart see the order, the rules, and the input of the step. A
// state has a meta, which says how people and the wire see the state.
import type { ExtractEvent } from 'xstate'
import type { IdentificationActionName, WaitActionName } from '../../protocol/action.ts'
import { planOf } from '../../protocol/credit-product.ts'
import { agreementOrDefault, type OrderEvent } from '../order.ts'
import type { OrderContext, Payment, Placed } from '../order-context.ts'
import type { Rules, StepInput } from '../terms.ts'

/** The input of guards and assignments: the order, the rules, and the input of the step. */
export type MachineContext = OrderContext & {
  readonly placed: Placed
  readonly rules: Rules
  readonly stepInput: StepInput & { readonly revision: number }
}

/**
 * The events of the machine: the order's own, and `order.confirmed`, by which the checkout region
 * informs the others.
 */
export type MachineEvent = OrderEvent | { readonly type: 'order.confirmed' }

export type StateMeta = {
  /** A description of the state in plain words. */
  readonly caption: string
  /** The section of the interface or the contract that describes the state. */
  readonly section: string
  /** The answer of the wait endpoint. */
  readonly wait?: WaitActionName
  /** The answer of the identification endpoint, if it is another action. */
  readonly identification?: IdentificationActionName
  /** The name on the wire, if it is not the state's own name in snake_case. */
  readonly name?: string
}

export type EventType = MachineEvent['type']
/** The argument of a guard or an assignment for these types of events. */
export type Scope<Type extends EventType> = {
  readonly context: MachineContext
  readonly event: ExtractEvent<MachineEvent, Type>
}

export const amountDueNow = ({ placed, agreement }: MachineContext): number =>
  planOf(agreementOrDefault(placed, agreement), placed).dueNow

export const isReplyTo = (event: MachineEvent, { key }: Payment): boolean =>
  'inReplyTo' in event && event.inReplyTo === key
