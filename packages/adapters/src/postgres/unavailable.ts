// Tells the errors of PostgreSQL apart: an unreachable database, where the same statement may
// succeed later, or a database that refuses a statement. The code of an `Unavailable` comes from
// the SQLSTATE, because PostgreSQL's sentences depend on its language.
import { constants } from 'node:os'
import { toUnavailable, type Unavailable, type UnavailableCode } from '@plazo/core/ports'
import type * as E from 'fp-ts/lib/Either.js'
import { identity } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { DatabaseError } from 'pg'
import { errorCodeOf } from '../system/error-code.ts'

// A standby that has not been promoted yet also answers with this.
const READ_ONLY = '25006'
// Shutting down, crashed or starting up; no connection left; a failed connection.
const TEMPORARY_CODES = /^(57P0[1-3]|53300|08\w{3})$/
const DNS_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN'])
// The pg client has no codes for these.
const CONNECTION_LOST = /^Connection terminated/
const CONNECT_TIMEOUT =
  /^timeout (exceeded when trying to connect|expired)|due to connection timeout$/

/** True if the database answers but accepts no writes. */
export const isReadOnly = (cause: unknown): boolean => errorCodeOf(cause) === READ_ONLY

/**
 * True if the same statement may succeed later: the connection is lost, the server starts or stops,
 * or it accepts no writes at the moment.
 */
export const isUnreachable = (cause: unknown): boolean => {
  if (cause instanceof AggregateError) return cause.errors.some(isUnreachable)
  if (!(cause instanceof Error)) return false
  const code = errorCodeOf(cause)
  return (
    code === READ_ONLY ||
    TEMPORARY_CODES.test(code) ||
    DNS_CODES.has(code) ||
    code in constants.errno ||
    CONNECTION_LOST.test(cause.message) ||
    CONNECT_TIMEOUT.test(cause.message)
  )
}

/**
 * True if the rows themselves are wrong (a value, a constraint, a size) and would fail again; not
 * the database's state.
 */
export const isRowError = (cause: unknown): boolean =>
  cause instanceof DatabaseError && /^(22|23|54)/.test(cause.code ?? '')

/**
 * True if two nodes were in each other's way (a deadlock or serialization failure), so the
 * statement may be tried again.
 */
export const isConflict = (cause: unknown): boolean =>
  cause instanceof DatabaseError && (cause.code === '40P01' || cause.code === '40001')

type CodeRule = {
  readonly errorCode: RegExp
  /** Only where PostgreSQL has one code for several causes. */
  readonly message?: RegExp
  readonly code: UnavailableCode
}

const CODE_RULES: readonly CodeRule[] = [
  { errorCode: /^(22|23|54)/, code: 'internal_error' },
  { errorCode: /^ECONNREFUSED$/, code: 'connection_refused' },
  { errorCode: /^ECONNRESET$/, code: 'connection_reset' },
  { errorCode: /^EHOSTUNREACH$/, code: 'host_unreachable' },
  { errorCode: /^ENOTFOUND$/, code: 'host_not_found' },
  { errorCode: /^ETIMEDOUT$/, code: 'no_answer' },
  { errorCode: /^53100$/, code: 'disk_full' },
  { errorCode: /^(57014|55P03)$/, code: 'statement_canceled' },
  { errorCode: /^25006$/, message: /during recovery/, code: 'in_recovery' },
  { errorCode: /^25006$/, code: 'read_only' },
  { errorCode: /^(57P0[125]|25P03)$/, code: 'session_terminated' },
  { errorCode: /^57P03$/, code: 'starting_or_stopping' },
  { errorCode: /^28000$/, message: /pg_hba\.conf/, code: 'host_not_allowed' },
  { errorCode: /^28P01$/, code: 'wrong_password' },
  { errorCode: /^(3D000|3F000|26000|28000|42P01|42703|42704|42883)$/, code: 'object_missing' },
  { errorCode: /^42P05$/, code: 'prepared_statement' },
  { errorCode: /^42501$/, code: 'permission_denied' },
  { errorCode: /^53300$/, message: /reserved/, code: 'connections_reserved' },
  { errorCode: /^53300$/, message: /too many connections/, code: 'too_many_connections' },
  { errorCode: /^53300$/, code: 'too_many_clients' },
]

const codeOf = (thrown: unknown): UnavailableCode => {
  if (thrown instanceof AggregateError)
    return thrown.errors.map(codeOf).find((code) => code !== 'unknown') ?? 'unknown'
  if (!(thrown instanceof Error)) return 'unknown'
  if (CONNECT_TIMEOUT.test(thrown.message)) return 'connection_timeout'
  if (CONNECTION_LOST.test(thrown.message)) return 'connection_lost'
  const thrownCode = errorCodeOf(thrown)
  const rule = CODE_RULES.find(
    ({ errorCode, message }) =>
      errorCode.test(thrownCode) && (message?.test(thrown.message) ?? true),
  )
  return rule?.code ?? 'unknown'
}

/** The error of a port for anything that `pg` has thrown. Its code comes from the SQLSTATE. */
export const postgresUnavailable = (thrown: unknown): Unavailable => toUnavailable(thrown, codeOf)

/** Left if `ask` rejects, for example because the database does not answer. */
export const answerOrUnavailable = <A>(ask: () => Promise<A>): TE.TaskEither<Unavailable, A> =>
  TE.tryCatch(ask, postgresUnavailable)

/** Runs a function that has errors besides those of the database. */
export const runOrUnavailable = <Err, A>(
  run: () => Promise<E.Either<Err, A>>,
): TE.TaskEither<Err | Unavailable, A> =>
  TE.flatMapEither(answerOrUnavailable(run), identity<E.Either<Err, A>>)
