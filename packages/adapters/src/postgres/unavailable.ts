// Tells the errors of PostgreSQL apart: an unreachable database, where the same statement may
// succeed later, or a database that refuses a statement. The code of an `Unavailable` comes from
// the SQLSTATE, because PostgreSQL's sentences depend on its language.
import {
  toUnavailable,
  type Unavailable,
  type UnavailableCode,
  UnavailableError,
} from '@plazo/core/internal'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { errorCodeOf } from '../system/error-code.ts'

type CodeRule = readonly [code: UnavailableCode, codeAndMessage: RegExp]

// The same statement may succeed later: the connection is lost, the server starts or stops, or it
// accepts no writes at the moment. The pg client has no codes for the first two.
const UNREACHABLE: readonly CodeRule[] = [
  [
    'connection_timeout',
    /^ timeout (exceeded when trying to connect|expired)$|due to connection timeout$/,
  ],
  ['connection_lost', /^ Connection terminated|^08/],
  ['connection_refused', /^ECONNREFUSED /],
  ['connection_reset', /^ECONNRESET /],
  ['host_unreachable', /^EHOSTUNREACH /],
  ['host_not_found', /^(ENOTFOUND|EAI_AGAIN) /],
  ['no_answer', /^ETIMEDOUT /],
  ['in_recovery', /^25006 .*during recovery/],
  ['read_only', /^25006 /],
  ['session_terminated', /^57P0[12] /],
  ['starting_or_stopping', /^57P03 /],
  ['connections_reserved', /^53300 .*reserved/],
  ['too_many_connections', /^53300 .*too many connections/],
  ['too_many_clients', /^53300 /],
  ['unknown', /^E[A-Z]+ /],
]

const REFUSED: readonly CodeRule[] = [
  ['internal_error', /^(22|23|54)/],
  ['disk_full', /^53100 /],
  ['statement_canceled', /^(57014|55P03) /],
  ['session_terminated', /^(57P05|25P03) /],
  ['host_not_allowed', /^28000 .*pg_hba\.conf/],
  ['wrong_password', /^28P01 /],
  ['object_missing', /^(3D000|3F000|26000|28000|42P01|42703|42704|42883) /],
  ['prepared_statement', /^42P05 /],
  ['permission_denied', /^42501 /],
]

const codeIn = (rules: readonly CodeRule[], thrown: unknown): UnavailableCode | undefined => {
  if (thrown instanceof AggregateError)
    return thrown.errors.map((each) => codeIn(rules, each)).find(Boolean)
  if (!(thrown instanceof Error)) return undefined
  const text = `${errorCodeOf(thrown)} ${thrown.message}`
  return rules.find(([, codeAndMessage]) => codeAndMessage.test(text))?.[0]
}

/** True if the database answers but accepts no writes. */
export const isReadOnly = (cause: unknown): boolean => errorCodeOf(cause) === '25006'

/** True if the same statement may succeed later. */
export const isUnreachable = (cause: unknown): boolean => codeIn(UNREACHABLE, cause) !== undefined

/**
 * True if the rows themselves are wrong (a value, a constraint, a size) and would fail again; not
 * the database's state.
 */
export const isRowError = (cause: unknown): boolean => /^(22|23|54)/.test(errorCodeOf(cause))

/**
 * True if two transactions were in each other's way (a deadlock, a serialization failure, or a lock
 * that was held for too long), so the statement may be tried again.
 */
export const isConflict = (cause: unknown): boolean =>
  /^(40P01|40001|55P03)$/.test(errorCodeOf(cause))

/** The error of a port for anything that `pg` has thrown. Its code comes from the SQLSTATE. */
export const postgresUnavailable = (thrown: unknown): Unavailable =>
  toUnavailable(thrown, () => codeIn([...UNREACHABLE, ...REFUSED], thrown) ?? 'unknown')

/** Rethrows what `pg` has thrown as the error of a port. */
export const throwUnavailable = (thrown: unknown): never => {
  throw new UnavailableError(postgresUnavailable(thrown))
}

/** Left if `ask` rejects, for example because the database does not answer. */
export const answerOrUnavailable = <A>(ask: () => Promise<A>) =>
  TE.tryCatch(ask, postgresUnavailable)
