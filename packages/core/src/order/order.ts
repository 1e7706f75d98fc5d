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

const UNENDED = new Set<OrderState['checkout']>(['confirming', 'holding', 'reviewing', 'confirmed'])

/** The `order_ref_1` that this order holds against every other of its merchant, if it does. Contract §3. */
export const heldReference = ({ state, context }: Order): string | null =>
  context.references.first !== '' && UNENDED.has(state.checkout) && state.cancellation !== 'cancelled'
    ? context.references.first
    : null
