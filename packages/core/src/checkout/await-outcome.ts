// The frontend polls this for the next action of the order. It only reads: polling changes nothing. Interface §4.2.
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { waitAction } from '../order/next-action.ts'
import type { OrderNotFound } from '../ports/store.ts'
import type { Unavailable } from '../ports/unavailable.ts'
import type { WaitAction } from '../protocol/action.ts'
import type { Host } from './host.ts'

/** Returns the current wait action. May be called any number of times. */
export const awaitOutcome =
  ({ store, clock, terms }: Host) =>
  (orderRef: string): TE.TaskEither<OrderNotFound | Unavailable, WaitAction> =>
    pipe(
      store.read(orderRef),
      TE.map((order) => waitAction(order, terms, clock.now())),
    )
