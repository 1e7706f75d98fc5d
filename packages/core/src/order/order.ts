// An order as an immutable value. The core steps it, hosts store it, and projections show it.
import type { OrderContext, Placed } from './order-context.ts'
import type { OrderState } from './order-state.ts'

export type Order = {
  readonly placed: Placed
  /** The number of journal lines written so far. */
  readonly revision: number
  readonly state: OrderState
  readonly context: OrderContext
}

// An order holds its reference from the moment the merchant is asked, until it ends unconfirmed or is cancelled.
const HOLDING_REFERENCE = new Set<OrderState['checkout']>(['confirming', 'holding', 'reviewing', 'confirmed'])

/** The `order_ref_1` that this order holds, so that no other order of the merchant may use it; null if none. Contract §3. */
export const heldReference = ({ state, context }: Order): string | null =>
  context.references.first !== '' && HOLDING_REFERENCE.has(state.checkout) && state.cancellation !== 'cancelled'
    ? context.references.first
    : null

const ENDED = new Set<OrderState['checkout']>(['confirmed', 'rejected', 'cancelled', 'conflicted', 'failed', 'expired'])
const BEING_ASSESSED = new Set<OrderState['risk']>(['assessing', 'underEvaluation'])
const CANCELLATION_OVER = new Set<OrderState['cancellation']>(['none', 'cancelled', 'tooLate'])

export const hasCheckoutEnded = ({ checkout }: OrderState): boolean => ENDED.has(checkout)

/** The order's risk is not final yet: another assessment is expected. */
export const isBeingAssessed = ({ risk }: OrderState): boolean => BEING_ASSESSED.has(risk)

/** The order will not change by itself, and it waits for nobody's decision. */
export const isOver = (state: OrderState): boolean =>
  hasCheckoutEnded(state) && !isBeingAssessed(state) && CANCELLATION_OVER.has(state.cancellation)
