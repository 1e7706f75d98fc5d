// Operators see here which shops fail, and since when. Stores count failures in the transaction that
// records the attempts, for all nodes together.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { EndpointKind } from '../delivery/endpoint.ts'
import type { Unavailable } from './store-errors.ts'

/** An endpoint that was called. Instants are domain time, epoch milliseconds. */
export type Endpoint = {
  readonly merchantRef: string
  readonly kind: EndpointKind
  /** The start of the last attempt that the shop accepted; null: there is none. */
  readonly lastGoodAt: number | null
  /** The start of the first attempt that failed since then; null: none has. */
  readonly failingSince: number | null
  /** How many attempts failed since then. */
  readonly failures: number
}

/** Which endpoints a list has. `merchantRef` null: those of all merchants. */
export type EndpointFilter = {
  readonly merchantRef: string | null
  /** True: only endpoints that fail, the longest failing first. Else by merchant and kind. */
  readonly isFailing: boolean
  readonly limit: number
}

/** How well shops answer, by endpoint. */
export type Endpoints = {
  readonly list: (filter: EndpointFilter) => TaskEither<Unavailable, readonly Endpoint[]>
  /** The number of deliveries of the endpoint that wait for their turn or their next attempt. */
  readonly waiting: (merchantRef: string, kind: EndpointKind) => TaskEither<Unavailable, number>
}
