// How tests that draw commands for a store answer its jobs and step its orders.
import { type InternalError, type Order, type OrderEvent, step } from '@plazo/core'
import type { Job } from '@plazo/core/ports'
import { MINUTE, type StoreShop, terms } from '@plazo/core/testing/contracts'
import * as E from 'fp-ts/lib/Either.js'

/**
 * Makes a step with this event, whether the order accepts it or not. Resolves to the store's own
 * answer.
 */
export const stepOrder = ({ store, host, now }: StoreShop, orderRef: string, event: OrderEvent) =>
  store.step<InternalError, Order>(orderRef, (order, referenceIsTaken) => {
    const result = step(terms)(order, event, {
      at: now(),
      random: host.ids.random(),
      referenceIsTaken,
    })
    return E.isLeft(result) ? result : E.right({ step: result.right, answer: result.right.order })
  })()

/** The replies that each effect can get, most likely first. */

export const repliesTo = ({ key, payload }: Job): readonly (OrderEvent | null)[] => {
  const inReplyTo = key
  switch (payload.kind) {
    case 'screening':
      return (['approved', 'review', 'denied'] as const).map((outcome) => ({
        type: 'screening.resolved',
        inReplyTo,
        outcome,
        alternative: null,
      }))
    case 'timer':
      return [{ type: 'timer.fired', inReplyTo, timer: payload.timer }]
    case 'ipn':
      return [
        { type: 'ipn.accepted', inReplyTo },
        { type: 'ipn.erred', inReplyTo },
        { type: 'ipn.conflicted', inReplyTo },
      ]
    case 'watch':
      return [null, { type: 'cancellation.advised', inReplyTo, delay: MINUTE }]
    case 'event':
      return payload.event === 'cancel'
        ? [
            { type: 'cancel.agreed', inReplyTo },
            { type: 'cancel.deferred', inReplyTo, retryInMinutes: 5 },
            { type: 'cancel.refused', inReplyTo, lateByMinutes: null },
          ]
        : [null]
    default:
      return [null]
  }
}
