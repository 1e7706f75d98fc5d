// How tests that draw commands for a store answer its jobs and step its orders.
import {
  type InternalError,
  type Job,
  type Order,
  type OrderEvent,
  possibleAnswers,
  step,
} from '@plazo/core/internal'
import { type StoreShop, terms } from '@plazo/core/internal/testing'
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

/** The replies that each effect can get. Null: none. */
export const repliesTo = (job: Job): readonly (OrderEvent | null)[] => [
  ...possibleAnswers(job),
  null,
]
