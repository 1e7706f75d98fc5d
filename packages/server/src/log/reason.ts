// An error's message may contain what a provider or a merchant wrote. Only the reasons that are known here are logged. Operators
// filter by them, so they do not change when a message is reworded.
import { type AttemptError, NO_ANSWER_REASONS, type Unavailable, type UnavailableCode } from '@plazo/core'

const OTHER = 'another reason'

const UNAVAILABLE: { readonly [code in UnavailableCode]: string } = {
  closed: 'The store is closed.',
  queue_full: 'steps are waiting already.',
  contended: OTHER,
  internal_error: OTHER,
  outcome_unknown: OTHER,
  key_missing: OTHER,
  unknown: OTHER,
  file_replaced: 'The database’s file was removed or replaced',
  file_read_only: 'attempt to write a readonly database',
  file_damaged: 'database disk image is malformed',
  file_locked: 'database is locked',
  file_not_opened: 'unable to open database file',
  file_disk_full: 'database or disk is full',
  disk_io_error: 'disk I/O error',
  table_missing: 'no such table',
  connection_refused: 'ECONNREFUSED',
  connection_reset: 'ECONNRESET',
  connection_lost: 'Connection terminated',
  connection_timeout: 'timeout exceeded when trying to connect',
  host_unreachable: 'EHOSTUNREACH',
  host_not_found: 'ENOTFOUND',
  no_answer: 'ETIMEDOUT',
  starting_or_stopping: 'the database system is',
  session_terminated: 'terminating connection',
  in_recovery: 'during recovery',
  read_only: 'in a read-only transaction',
  disk_full: 'No space left on device',
  statement_canceled: 'canceling statement due to',
  object_missing: 'does not exist',
  prepared_statement: 'prepared statement',
  permission_denied: 'permission denied',
  wrong_password: 'password authentication failed',
  host_not_allowed: 'no pg_hba.conf entry',
  too_many_clients: 'sorry, too many clients already',
  too_many_connections: 'too many connections',
  connections_reserved: 'remaining connection slots are reserved',
}

const unavailableReason = ({ code, waiting }: Unavailable): string =>
  code === 'queue_full' ? `${Number(waiting)} ${UNAVAILABLE.queue_full}` : (UNAVAILABLE[code] ?? OTHER)

export const loggableReason = (failure: AttemptError | Unavailable): string => {
  // Values that bypass the types must not reach the log either.
  if (typeof failure !== 'object') return OTHER
  return 'code' in failure ? unavailableReason(failure) : attemptReason(failure)
}

// The protocol's own words. A member that a provider has named may say anything.
const MEMBER = /^(the body|[a-z_]+(?:\.(?:[a-z_]+|\d+))*)$/

const attemptReason = (error: AttemptError): string => {
  if (error.reason === 'answered') return `answered ${Number(error.status)}`
  if (error.reason === 'wrong_answer') return MEMBER.test(error.member) ? `wrong answer: ${error.member}` : OTHER
  return NO_ANSWER_REASONS.find((reason) => reason === error.reason) ?? OTHER
}
