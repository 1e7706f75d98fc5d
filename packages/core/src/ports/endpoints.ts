// Operators see here which shops fail, since when, and what that costs. Stores count attempts in the
// transaction that records them, for all nodes together.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { EndpointKind } from '../delivery/endpoint.ts'
import type { Unavailable } from './unavailable.ts'

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

/** What an address answered in an hour, as one node has counted it. */
export type EndpointHour = Pick<Endpoint, 'merchantRef' | 'kind'> & {
  /** As in `addressOf`. Empty: one of the addresses beyond the first twenty of the endpoint. */
  readonly address: string
  /** The beginning of the hour. */
  readonly hour: number
  readonly attempts: number
  readonly failures: number
  /** Orders that ended because the shop did not answer the IPN. */
  readonly lost: number
  /** The start of the last attempt, and its result as in `Report`. */
  readonly lastAt: number
  readonly lastStatus: number | null
  readonly lastError: string | null
}

/** Which endpoints a list has. `merchantRef` null: those of all merchants. */
export type EndpointFilter = {
  readonly merchantRef: string | null
  /** True: only endpoints that fail, the longest failing first. Else by merchant and kind. */
  readonly isFailing: boolean
  readonly limit: number
}

/** How well shops answer, by endpoint and hour. */
export type Endpoints = {
  readonly list: (filter: EndpointFilter) => TaskEither<Unavailable, readonly Endpoint[]>
  /** The merchants' hours that begin at `since` or later, in any sequence. */
  readonly hours: (
    merchantRefs: readonly string[],
    since: number,
  ) => TaskEither<Unavailable, readonly EndpointHour[]>
  /** The number of deliveries of the endpoint that wait for their turn or their next attempt. */
  readonly waiting: (merchantRef: string, kind: EndpointKind) => TaskEither<Unavailable, number>
  /** Deletes hours that began before this instant. Endpoints stay. */
  readonly dropHours: (before: number) => TaskEither<Unavailable, void>
}
