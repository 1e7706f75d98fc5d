// The frontend asks what has become of the order. A pure read: polling changes nothing. Interface §4.2.
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { waitAction } from '../order/next-action.ts'
import type { OrderUnknown } from '../ports/store.ts'
import type { Unavailable } from '../ports/unavailable.ts'
import type { WaitAction } from '../protocol/action.ts'
import type { Host } from './host.ts'

/** Asked for as often as one likes. */
export const awaitOutcome =
  ({ store, clock, terms }: Host) =>
  (orderRef: string): TE.TaskEither<OrderUnknown | Unavailable, WaitAction> =>
    pipe(
      store.read(orderRef),
      TE.map((order) => waitAction(order, terms, clock.now())),
    )
