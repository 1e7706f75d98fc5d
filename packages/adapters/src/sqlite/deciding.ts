// Decides on a cached order where that is safe, and otherwise on the order that it reads from the database.
import { type Decide, isUnchanged, type Step } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { CachedOrder, OrderCache } from './order-rows.ts'
import type { PayloadCache } from './works.ts'

/** `on`: the order that was decided on. `decision`: the decision. */
type OrderDecision<E, A> = { readonly on: CachedOrder; readonly decision: ReturnType<Decide<E, A>> }

export type OrderDecider = {
  /** Null: the order does not exist. */
  readonly decideOn: <E, A>(orderRef: string, decide: Decide<E, A>, isTaken: boolean) => OrderDecision<E, A> | null
  /** Call after the commit: caches the new order and the payloads of its effects. */
  readonly cacheStep: (id: number, step: Step) => void
}

export const createOrderDecider = (orderCache: OrderCache, payloadCache: PayloadCache): OrderDecider => ({
  // A write carries the revision that it was decided on, so the writer notices an outdated one. An answer without a write must
  // come from the committed order.
  decideOn: (orderRef, decide, isTaken) => {
    const cached = orderCache.cached(orderRef)
    if (cached !== undefined) {
      const decision = decide(cached.order, isTaken)
      const writes = E.isRight(decision) && !isUnchanged(decision.right.step)
      if (writes || orderCache.isCurrent(cached)) return { on: cached, decision }
    }
    const on = orderCache.read(orderRef)
    return on === undefined ? null : { on, decision: decide(on.order, isTaken) }
  },

  cacheStep: (id, { order, effects }) => {
    orderCache.cache({ id, order })
    payloadCache.cache(effects)
  },
})
