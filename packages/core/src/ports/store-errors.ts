// The errors of a store. Every part of it may be unavailable: callers retry later, and logs and alerts
// tell the causes apart by the code, because a sentence may be reworded or translated.
import * as E from 'fp-ts/lib/Either.js'
import { errorMessage } from '../order/error-message.ts'

/** Set where the cause is known. An adapter uses the codes that its database can cause. */
export type UnavailableCode =
  // The store itself
  | 'closed'
  | 'queue_full'
  /** Other writers have changed the order too often meanwhile. */
  | 'contended'
  /** A decision threw, or the data contradicts itself: a retry would fail again. */
  | 'internal_error'
  /** Nobody knows whether the write was made. */
  | 'outcome_unknown'
  | 'key_missing'
  // The database's file
  | 'file_replaced'
  | 'file_read_only'
  | 'file_damaged'
  | 'file_locked'
  | 'file_not_opened'
  | 'file_disk_full'
  | 'disk_io_error'
  | 'table_missing'
  // The connection to a database server
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_lost'
  | 'connection_timeout'
  | 'host_unreachable'
  | 'host_not_found'
  | 'no_answer'
  // What a database server refuses
  | 'starting_or_stopping'
  | 'session_terminated'
  | 'in_recovery'
  | 'read_only'
  | 'disk_full'
  | 'statement_canceled'
  | 'object_missing'
  | 'prepared_statement'
  | 'permission_denied'
  | 'wrong_password'
  | 'host_not_allowed'
  | 'too_many_clients'
  | 'too_many_connections'
  | 'connections_reserved'
  | 'unknown'

/**
 * The store cannot be reached or is overloaded. Nothing was written, except perhaps with the code
 * `outcome_unknown`.
 */
export type Unavailable = {
  readonly _tag: 'Unavailable'
  readonly code: UnavailableCode
  readonly message: string
  /** With `queue_full`: how many writes were waiting. */
  readonly waiting?: number
}

/** An `Unavailable` that has to be thrown, because it crosses a function that can only throw. */
export class UnavailableError extends Error {
  readonly unavailable: Unavailable

  constructor(unavailable: Omit<Unavailable, '_tag'>) {
    super(unavailable.message)
    this.unavailable = { _tag: 'Unavailable', ...unavailable }
  }
}

/**
 * Makes the error of a port from anything that was thrown. `codeOf`: the code of an error that the
 * database's driver threw. By default, an error is one of plazo.
 */
export const toUnavailable = (
  thrown: unknown,
  codeOf: (thrown: unknown) => UnavailableCode = () => 'internal_error',
): Unavailable =>
  thrown instanceof UnavailableError
    ? thrown.unavailable
    : { _tag: 'Unavailable', code: codeOf(thrown), message: errorMessage(thrown) }

/** The error of a port that cannot answer now, as a Left. Nothing was written. */
export const unavailable = (code: UnavailableCode, message: string): E.Either<Unavailable, never> =>
  E.left({ _tag: 'Unavailable', code, message })

/** No order has this uuid or reference, or it belongs to another merchant. */
export type OrderNotFound = { readonly _tag: 'OrderNotFound' }

/** The error as a value, for stores. */
export const orderNotFound: OrderNotFound = { _tag: 'OrderNotFound' }

/**
 * Another order of the merchant holds the `order_ref_1`, and the second decision still requested
 * it.
 */
export type ReferenceTaken = { readonly _tag: 'ReferenceTaken'; readonly reference: string }
