// An order whose shopper is forgotten: what happened stays, and who it happened to is gone. What may still follow (a
// cancellation, its refund, an event) needs no person.
import { hasCheckoutEnded, isBeingAssessed, type Order } from './order.ts'
import { NEW_CONTEXT, type OrderContext, type Payment } from './order-context.ts'
import { type OrderState, stateOnWire } from './order-state.ts'
import type { Step } from './step.ts'

const BEING_CANCELLED = new Set<OrderState['cancellation']>(['scheduled', 'asking', 'waiting'])

/** Why the shopper of this order is still needed, as a sentence; null where he is not. */
export const whyStillNeeded = ({ state }: Order): string | null => {
  const { checkout, risk, cancellation } = stateOnWire(state)
  if (!hasCheckoutEnded(state)) return `The order's checkout is still going on: it is ${checkout}.`
  if (isBeingAssessed(state)) return `The order's risk is not known yet: it is ${risk}.`
  if (BEING_CANCELLED.has(state.cancellation))
    return `The order's cancellation is not decided yet: it is ${cancellation}.`
  return null
}

// What was paid may still be given back, by the key it was paid under.
const withoutPayer = (payment: Payment): Payment => ({ ...payment, token: '', providerUrl: null, challenge: null })

const withoutShopper = (context: OrderContext): OrderContext => ({
  ...context,
  person: NEW_CONTEXT.person,
  otp: NEW_CONTEXT.otp,
  session: NEW_CONTEXT.session,
  cards: NEW_CONTEXT.cards,
  payments: context.payments.map(withoutPayer),
})

/** The order without its shopper, and a line in its journal that says so; it is not replayed past that line. */
export const forgotten = (order: Order, moment: number): Step => {
  const at = Math.max(moment, order.context.updatedAt)
  const revision = order.revision + 1
  const context = { ...withoutShopper(order.context), updatedAt: at }
  return {
    order: { ...order, revision, context },
    effects: [],
    journal: [
      {
        seq: revision,
        at,
        event: 'shopper.forgotten',
        detail: 'by the operator',
        from: order.state,
        to: order.state,
        input: null,
      },
    ],
    reference: null,
  }
}
