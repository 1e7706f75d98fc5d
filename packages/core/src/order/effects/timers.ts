// Delayed transitions must survive a restart. Each becomes an effect that waits until it is due and then returns as an event.
import type { Order } from '../order.ts'
import type { OrderEvent } from '../order-event.ts'
import { type Effect, effectKey } from './effect.ts'

// XState's own event for a delayed transition; the timer's name is what follows the prefix.
const AFTER = 'xstate.after.'

type Params = Readonly<Record<string, unknown>>

/** A timer's event carries the machine's internal name. No event that a client sends can carry such a name. */
export const machineEvent = (event: OrderEvent): OrderEvent =>
  event.type === 'timer.fired' ? ({ type: `${AFTER}${event.timer}` } as unknown as OrderEvent) : event

/** The effect of XState's delayed raise, with which a state arms its timer. */
export const startTimer = (order: Order, { id, delay }: Params): Effect => {
  const timer = timerOf(id)
  const lane = laneOf(timer)
  return {
    type: 'do',
    key: effectKey(order.placed.orderRef, order.revision, lane),
    lane,
    work: { kind: 'timer', timer },
    // The compiled machine lists a raise only if it has a delay in milliseconds.
    dueAt: order.context.updatedAt + (delay as number),
    expiresAt: null,
    excludes: timer.startsWith('checkoutLifetime.') ? 'ipn' : null,
  }
}

/** The effect of XState's cancel, with which a state disarms its timer. */
export const stopTimer = ({ sendId }: Params): Effect => ({ type: 'revoke', lane: laneOf(timerOf(sendId)) })

// The name is stored with the order: the delay and the id of its state, as in `idResult.verified`.
const timerOf = (id: unknown): string => {
  if (typeof id === 'string' && id.startsWith(AFTER)) return id.slice(AFTER.length)
  throw new Error(`The machine has the timer "${id}". An order can store only the timers of "after".`)
}

const laneOf = (timer: string): string => `timer.${timer.slice(0, timer.indexOf('.'))}`
