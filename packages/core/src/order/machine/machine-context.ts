// Guards and assignments of the statechart see the order, the rules, and the input of the step.
import type { ExtractEvent } from 'xstate'
import { type Catalogue, planOf } from '../../protocol/credit-product.ts'
import { agreementOrDefault, type OrderEvent } from '../order.ts'
import type { OrderContext, Payment, Placed } from '../order-context.ts'
import type { Rules, StepInput } from '../terms.ts'

/** The input of guards and assignments: the order, the rules, the products, and the input of the step. */
export type MachineContext = OrderContext & {
  readonly placed: Placed
  readonly rules: Rules
  readonly products: Catalogue
  readonly stepInput: StepInput & { readonly revision: number }
}

/**
 * The events of the machine: the order's own, and those that it raises itself. By `order.confirmed`
 * the checkout informs the other regions, and by `lifetime.ended` the states inside it.
 */
export type MachineEvent = OrderEvent | { readonly type: 'order.confirmed' | 'lifetime.ended' }

export type EventType = MachineEvent['type']
/** The argument of a guard or an assignment for these types of events. */
export type Scope<Type extends EventType> = {
  readonly context: MachineContext
  readonly event: ExtractEvent<MachineEvent, Type>
}

export const amountDueNow = ({ placed, agreement, products }: MachineContext): number =>
  planOf(agreementOrDefault(placed, agreement, products), placed, products).dueNow

export const isReplyTo = (event: MachineEvent, { key }: Payment): boolean =>
  'inReplyTo' in event && event.inReplyTo === key
