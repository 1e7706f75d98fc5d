// An order as a value: what the core steps, hosts store, and projections show.
import type { OrderContext, Placed } from './order-context.ts'
import type { OrderState } from './order-state.ts'

export type Order = {
  readonly placed: Placed
  /** The number of journal lines behind it. */
  readonly revision: number
  readonly state: OrderState
  readonly context: OrderContext
}

// From the question to the merchant on, unless the order comes to nothing.
const HOLDING_REFERENCE = new Set<OrderState['checkout']>(['confirming', 'holding', 'reviewing', 'confirmed'])

/** The `order_ref_1` that this order holds against every other of its merchant, if it does. Contract §3. */
export const heldReference = ({ state, context }: Order): string | null =>
  context.references.first !== '' && HOLDING_REFERENCE.has(state.checkout) && state.cancellation !== 'cancelled'
    ? context.references.first
    : null

const ENDED = new Set<OrderState['checkout']>(['confirmed', 'rejected', 'cancelled', 'conflicted', 'failed', 'expired'])
const BEING_ASSESSED = new Set<OrderState['risk']>(['assessing', 'underEvaluation'])
const CANCELLATION_OVER = new Set<OrderState['cancellation']>(['none', 'cancelled', 'tooLate'])

export const hasCheckoutEnded = ({ checkout }: OrderState): boolean => ENDED.has(checkout)

/** Its risk is still to be told, once or again. */
export const isBeingAssessed = ({ risk }: OrderState): boolean => BEING_ASSESSED.has(risk)

/** Nothing is to come by itself, and nothing waits for anybody's decision. */
export const isOver = (state: OrderState): boolean =>
  hasCheckoutEnded(state) && !isBeingAssessed(state) && CANCELLATION_OVER.has(state.cancellation)
