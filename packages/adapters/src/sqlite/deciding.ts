// Decides on orders as they are remembered, or else as they are read.
import { type Decide, isStill, type Step } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { KnownOrder, OrderRows } from './order-rows.ts'
import type { Works } from './works.ts'

/** What was decided, and on what. */
type Decided<E, A> = { readonly on: KnownOrder; readonly said: ReturnType<Decide<E, A>> }

export type Deciding = {
  /** Null: there is no such order. */
  readonly decideOn: <E, A>(orderRef: string, decide: Decide<E, A>, isTaken: boolean) => Decided<E, A> | null
  /** It is written: the order is so from now on, and this is to be done. */
  readonly remember: (id: number, step: Step) => void
}

export const deciding = (rows: OrderRows, works: Works): Deciding => ({
  // What is written says what it was decided on; whatever else is answered stands in the order as it is committed.
  decideOn: (orderRef, decide, isTaken) => {
    const known = rows.known(orderRef)
    if (known !== undefined) {
      const said = decide(known.order, isTaken)
      const writes = E.isRight(said) && !isStill(said.right.step)
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
