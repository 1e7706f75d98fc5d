// Reduces an error to what may be logged. Its message never is, because it may hold what somebody
// typed, or what a provider or a merchant wrote. So the log has a thrown error's class, code and
// place in our own code, and those reasons that are known here.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { join, normalize, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type AttemptError,
  NO_ANSWER_REASONS,
  type ThrownError,
  type Unavailable,
  type UnavailableCode,
} from '@plazo/core/ports'

/** `place`: file and line, innermost first. */
export const summarizeError = ({ names, code, stack }: ThrownError) => ({
  error: errorClass(names),
  code: errorCode(code),
  place: sourceLines(stack),
})

const CLASSES: ReadonlySet<string> = new Set([
  'AbortError',
  'AggregateError',
  'AssertionError',
  'DOMException',
  'DatabaseError',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SqliteError',
  'SyntaxError',
  'SystemError',
  'TimeoutError',
  'TypeError',
  'URIError',
])

const CODE = /^(?:ERR|HPE|SQLITE)_[A-Z0-9_]{1,40}$/

// Values that bypass the types must not reach the log either.
const errorClass = (names: ThrownError['names'] = []): string =>
  names.length === 0 ? 'not an Error' : (names.find((name) => CLASSES.has(name)) ?? 'Error')

const errorCode = (code: string | null): string | undefined =>
  code !== null && (code in constants.errno || CODE.test(code)) ? code : undefined

// The folder of each package, wherever it is installed: packages need not be next to each other.
const { resolve } = createRequire(import.meta.url)
const PACKAGES = [
  { name: 'server', folder: fileURLToPath(new URL('../../', import.meta.url)) },
  { name: 'adapters', folder: join(resolve('@plazo/adapters/system'), '../../..', sep) },
  { name: 'core', folder: join(resolve('@plazo/core'), '../..', sep) },
]
const FRAME = /^ {4}at (?:[^\n]* \()?(?:file:\/\/)?([^\n()]+):(\d+):\d+\)?$/gm
const SOURCE_LINES_MAX = 3

// A message may imitate a frame of the stack: only a file that exists can be part of plazo.
const ownFile = (file: string): readonly string[] =>
  file !== normalize(file) || !/\.[jt]s$/.test(file) || !existsSync(file)
    ? []
    : PACKAGES.filter(({ folder }) => file.startsWith(folder)).map(
        ({ name, folder }) => `${name}/${relative(folder, file)}`,
      )

const sourceLines = (stack: string | null): string | undefined => {
  const places = [...(stack ?? '').matchAll(FRAME)]
    .flatMap(([, file = '', line]) => ownFile(file).map((name) => `${name}:${line}`))
    .slice(0, SOURCE_LINES_MAX)
  return places.length === 0 ? undefined : places.join(' < ')
}

const OTHER = 'another reason'

// Operators filter by these reasons, so they do not change when a message is reworded. Any other
// code is `OTHER`.
const UNAVAILABLE: { readonly [code in UnavailableCode]?: string } = {
  closed: 'The store is closed.',
  queue_full: 'steps are waiting already.',
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
  code === 'queue_full'
    ? `${Number(waiting)} ${UNAVAILABLE.queue_full}`
    : (UNAVAILABLE[code] ?? OTHER)

export const loggableReason = (failure: AttemptError | Unavailable): string => {
  // Values that bypass the types must not reach the log either.
  if (typeof failure !== 'object') return OTHER
  return 'code' in failure ? unavailableReason(failure) : attemptReason(failure)
}

// The protocol's own words. A member that a provider has named may say anything.
const MEMBER = /^(the body|[a-z_]+(?:\.(?:[a-z_]+|\d+))*)$/

const attemptReason = (error: AttemptError): string => {
  if (error.reason === 'answered') return `answered ${Number(error.status)}`
  if (error.reason === 'wrong_answer')
    return MEMBER.test(error.member) ? `wrong answer: ${error.member}` : OTHER
  return NO_ANSWER_REASONS.find((reason) => reason === error.reason) ?? OTHER
}
