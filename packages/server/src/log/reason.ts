// An error's text may contain what a provider or a merchant wrote. Only the reasons that are known here are logged.
import type { RequestFailure } from '@plazo/core'

// The one-word failures of a request, the store's own sentences, and those of its database that an operator can act on.
const FAILURES: { readonly [error in RequestFailure['error']]: true } = {
  timeout: true,
  dns: true,
  connection_refused: true,
  connection_reset: true,
  tls: true,
  protocol_error: true,
  response_too_large: true,
  blocked_address: true,
  merchant_unknown: true,
  secrets_unavailable: true,
  no_socket: true,
}
const WORDS = Object.keys(FAILURES)

const SENTENCES: readonly string[] = [
  'The store is closed.',
  'The database’s file was removed or replaced',
  'attempt to write a readonly database',
  'database disk image is malformed',
  'database is locked',
  'database or disk is full',
  'disk I/O error',
  'no such table',
  'unable to open database file',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  'Connection terminated',
  'No space left on device',
  'canceling statement due to',
  'does not exist',
  'during recovery',
  'in a read-only transaction',
  'no pg_hba.conf entry',
  'password authentication failed',
  'permission denied',
  'prepared statement',
  'remaining connection slots are reserved',
  'sorry, too many clients already',
  'terminating connection',
  'the database system is',
  'timeout exceeded when trying to connect',
  'too many connections',
]

export const loggableReason = (text: string): string => {
  const [, status] = /^answered (\d{3})\b/.exec(text) ?? []
  if (status !== undefined) return `answered ${status}`
  // A provider's wrong answer: the place of the error, in the protocol's own words, and not what the provider wrote there.
  const [, member] = /^wrong answer: (the body|[a-z_]+(?:\.(?:[a-z_]+|\d+))*) is /.exec(text) ?? []
  if (member !== undefined) return `wrong answer: ${member}`
  return (
    WORDS.find((word) => text === word || text.startsWith(`${word}: `)) ??
    SENTENCES.find((sentence) => text.includes(sentence)) ??
    (/^\d+ steps are waiting already\.$/.test(text) ? text : 'another reason')
  )
}
