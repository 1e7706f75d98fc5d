// Distinguishes an unreachable database, where the same statement may succeed later, from a database that refuses a statement.
import { constants } from 'node:os'
import { DatabaseError } from 'pg'

// A standby that has not been promoted yet also answers with this.
const READ_ONLY = '25006'
// Shutting down, crashed or starting up; no connection left; a failed connection.
const TEMPORARY_CODES = /^(57P0[1-3]|53300|08\w{3})$/
const DNS_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN'])
// The pg client has no codes for these.
export const CONNECTION_LOST = /^Connection terminated/
export const CONNECT_TIMEOUT = /^timeout (exceeded when trying to connect|expired)/

/** The error's SQLSTATE or the system's code, or an empty text. */
export const errorCodeOf = (cause: Error): string =>
  'code' in cause && typeof cause.code === 'string' ? cause.code : ''

/** True if the database answers but accepts no writes. */
export const isReadOnly = (cause: unknown): boolean => cause instanceof Error && errorCodeOf(cause) === READ_ONLY

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

/** True if the rows themselves are wrong (a value, a constraint, a size) and would fail again; not the database's state. */
export const isRowError = (cause: unknown): boolean =>
  cause instanceof DatabaseError && /^(22|23|54)/.test(cause.code ?? '')

/** True if two nodes were in each other's way (a deadlock or serialization failure), so the statement may be tried again. */
export const isConflict = (cause: unknown): boolean =>
  cause instanceof DatabaseError && (cause.code === '40P01' || cause.code === '40001')
