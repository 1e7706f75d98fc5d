// Tries an event on a copy of an order: an order is a value, so its step commits nothing. Every part
// of an explanation that speaks of the future comes from such a trial.
import * as E from 'fp-ts/lib/Either.js'
import type { Effect } from '../order/effects/effect.ts'
import type { Terms } from '../order/model.ts'
import { type Order, type OrderEvent, type OrderState, REGIONS } from '../order/order.ts'
import { paidTotal, refundedTotal } from '../order/reduction.ts'
import { type Step, step } from '../order/step.ts'

/** What an event leads to. Amounts are in minor units. */
export type Consequences = {
  readonly state: OrderState
  readonly effects: readonly Effect[]
  /** The shopper gets it back. */
  readonly refunded: number
  /** The shopper pays it. */
  readonly charged: number
}

/** The step that the event would cause. Null: none, because it would fail. */
export type Trial = (order: Order, event: OrderEvent, at: number) => Step | null

/** `referenceIsTaken`: another order of the merchant holds this order's `order_ref_1`. */
export const trialWith =
  (terms: Terms, referenceIsTaken: boolean): Trial =>
  (order, event, at) => {
    const tryStep = (isTaken: boolean) =>
      step(terms)(order, event, {
        at,
        // The real step draws others.
        random: { code: '00000', token: 'token' },
        referenceIsTaken: isTaken,
      })
    const first = tryStep(false)
    // As a store decides: once more, if the reference that the step requests is taken.
    const decided =
      referenceIsTaken && E.isRight(first) && first.right.reference !== null ? tryStep(true) : first
    return E.isRight(decided) ? decided.right : null
  }

/** What every line of the journal changes, whatever it says. */
const BOOKKEEPING = new Set(['updatedAt', 'pending'])

/** True if the step does more than to add a line to the journal. */
export const hasEffectOn = (before: Order, { order, effects }: Step): boolean => {
  if (effects.length > 0 || REGIONS.some((region) => before.state[region] !== order.state[region]))
    return true
  const was: Readonly<Record<string, unknown>> = before.context
  return Object.entries(order.context).some(
    ([name, value]) =>
      !BOOKKEEPING.has(name) &&
      value !== was[name] &&
      JSON.stringify(value) !== JSON.stringify(was[name]),
  )
}

export const consequencesOf = (before: Order, { order, effects }: Step): Consequences => ({
  state: order.state,
  effects,
  refunded: refundedTotal(order.context) - refundedTotal(before.context),
  charged: paidTotal(order.context) - paidTotal(before.context),
})
