// Decides on a cached order where that is safe, and otherwise on the order that it reads from the database.
import { type Decide, isUnchanged, type Step } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { KnownOrder, OrderRows } from './order-rows.ts'
import type { Works } from './works.ts'

/** `on`: the order that was decided on. `said`: the decision. */
type Decided<E, A> = { readonly on: KnownOrder; readonly said: ReturnType<Decide<E, A>> }

export type Deciding = {
  /** Null: the order does not exist. */
  readonly decideOn: <E, A>(orderRef: string, decide: Decide<E, A>, isTaken: boolean) => Decided<E, A> | null
  /** Call after the commit: caches the new order and the payloads of its effects. */
  readonly remember: (id: number, step: Step) => void
}

export const deciding = (rows: OrderRows, works: Works): Deciding => ({
  // A write carries the revision that it was decided on, so the writer notices an outdated one. An answer without a write must
  // come from the committed order.
  decideOn: (orderRef, decide, isTaken) => {
    const known = rows.known(orderRef)
    if (known !== undefined) {
      const said = decide(known.order, isTaken)
      const writes = E.isRight(said) && !isUnchanged(said.right.step)
      if (writes || rows.stands(known)) return { on: known, said }
    }
    const on = rows.read(orderRef)
    return on === undefined ? null : { on, said: decide(on.order, isTaken) }
  },

  remember: (id, { order, effects }) => {
    rows.remember({ id, order })
    works.remember(effects)
  },
})
