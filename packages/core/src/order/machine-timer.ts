// Delayed transitions must survive a restart. Each becomes an effect that waits until it is due and then returns as an event.
import { type Effect, effectKey } from './effect.ts'
import type { Order } from './order.ts'
import type { OrderEvent } from './order-event.ts'

type TimerAction = { readonly type: string; readonly params: Readonly<Record<string, unknown>> }

// XState's own event for a delayed transition; the timer's name is what follows the prefix.
const AFTER = 'xstate.after.'

// A timer's event carries the machine's internal name. No event that a client sends can carry such a name.
export const machineEvent = (event: OrderEvent): OrderEvent =>
  event.type === 'timer.fired' ? ({ type: `${AFTER}${event.timer}` } as unknown as OrderEvent) : event

// A delayed raise arms a timer and its cancel disarms it. A raise without delay has already been handled within the step.
export const timerEffect = (order: Order, { type, params: given }: TimerAction): Effect | null => {
  const params: { readonly id?: string; readonly sendId?: string; readonly delay?: number } = given
  if (type === 'xstate.cancel') return { type: 'revoke', lane: timerLane(String(params.sendId)) }
  if (type !== 'xstate.raise' || params.delay === undefined || params.id === undefined) return null
  const lane = timerLane(params.id)
  return {
    type: 'do',
    key: effectKey(order.placed.orderRef, order.revision, lane),
    lane,
    work: { kind: 'timer', timer: params.id.slice(AFTER.length) },
    dueAt: order.context.updatedAt + params.delay,
    expiresAt: null,
    excludes: params.id.startsWith(`${AFTER}checkoutLifetime.`) ? 'ipn' : null,
  }
}

const timerLane = (id: string): string => `timer.${id.slice(AFTER.length, id.indexOf('.', AFTER.length))}`
