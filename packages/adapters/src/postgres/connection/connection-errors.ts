// Distinguishes an unreachable database, where the same statement may succeed later, from a database that refuses a statement.
import { constants } from 'node:os'

// A standby that has not been promoted yet also answers with this.
const READ_ONLY = '25006'
// Shutting down, crashed or starting up; no connection left; a failed connection.
const TEMPORARY_CODES = /^(57P0[1-3]|53300|08\w{3})$/
const DNS_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN'])
const TEMPORARY_MESSAGES = /^(Connection terminated|timeout exceeded when trying to connect|timeout expired)/

const errorCodeOf = (cause: Error): string => ('code' in cause && typeof cause.code === 'string' ? cause.code : '')

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
    TEMPORARY_MESSAGES.test(cause.message)
  )
}
