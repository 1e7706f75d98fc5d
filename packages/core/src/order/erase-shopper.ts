// Erasure of a shopper's data from their order: the events stay, the person is removed. Everything that may still follow (a
// cancellation, its refund, an event) works without the person.

import { stateOnWire } from './machine/order-machine.ts'
import { hasCheckoutEnded, isBeingAssessed, type Order, type OrderState } from './order.ts'
import { NEW_CONTEXT, type OrderContext, type Payment } from './order-context.ts'
import type { Step } from './step.ts'

const BEING_CANCELLED = new Set<OrderState['cancellation']>(['scheduled', 'asking', 'waiting'])

/** A sentence that says why this order still needs its shopper's data, or null if it does not. */
export const erasureBlocker = ({ state }: Order): string | null => {
  const { checkout, risk, cancellation } = stateOnWire(state)
  if (!hasCheckoutEnded(state)) return `The order's checkout has not ended: it is ${checkout}.`
  if (isBeingAssessed(state)) return `The order's risk is not known yet: it is ${risk}.`
  if (BEING_CANCELLED.has(state.cancellation))
    return `The order's cancellation is not decided yet: it is ${cancellation}.`
  return null
}

// A payment may still be refunded, so its key stays.
const erasePayer = (payment: Payment): Payment => ({ ...payment, token: '', providerUrl: null, challenge: null })

const eraseFromContext = (context: OrderContext): OrderContext => ({
  ...context,
  person: NEW_CONTEXT.person,
  otp: NEW_CONTEXT.otp,
  session: NEW_CONTEXT.session,
  cards: NEW_CONTEXT.cards,
  payments: context.payments.map(erasePayer),
})

/** Removes the shopper from the order and adds a journal line that says so. A replay does not go past that line. */
export const eraseShopper = (order: Order, now: number): Step => {
  const at = Math.max(now, order.context.updatedAt)
  const revision = order.revision + 1
  const context = { ...eraseFromContext(order.context), updatedAt: at }
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
