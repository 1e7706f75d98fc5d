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

const OVER: { readonly [region in keyof OrderState]: ReadonlySet<string> } = {
  checkout: new Set(['confirmed', 'rejected', 'cancelled', 'conflicted', 'failed', 'expired']),
  risk: new Set(['unassessed', 'lowRisk', 'highRisk']),
  cancellation: new Set(['none', 'cancelled', 'tooLate']),
}

/** Nothing is to come by itself, and nothing waits for anybody's decision. */
export const isOver = (state: OrderState): boolean =>
  OVER.checkout.has(state.checkout) && OVER.risk.has(state.risk) && OVER.cancellation.has(state.cancellation)
