// Distinguishes an unreachable database, where the same statement may succeed later, from a database that refuses a statement.
import { constants } from 'node:os'

// A standby that has not been promoted yet also answers with this.
const READ_ONLY = '25006'
// Shutting down, crashed or starting up; no connection left; a failed connection.
const NOT_NOW = /^(57P0[1-3]|53300|08\w{3})$/
const NAME_UNKNOWN = new Set(['ENOTFOUND', 'EAI_AGAIN'])
const SAID_SO = /^(Connection terminated|timeout exceeded when trying to connect|timeout expired)/

const codeOf = (cause: Error): string => ('code' in cause && typeof cause.code === 'string' ? cause.code : '')

/** True if the database answers but accepts no writes. */
export const isReadOnly = (cause: unknown): boolean => cause instanceof Error && codeOf(cause) === READ_ONLY

export const isAway = (cause: unknown): boolean => {
  if (cause instanceof AggregateError) return cause.errors.some(isAway)
  if (!(cause instanceof Error)) return false
  const code = codeOf(cause)
  return (
    code === READ_ONLY ||
    NOT_NOW.test(code) ||
    NAME_UNKNOWN.has(code) ||
    code in constants.errno ||
    SAID_SO.test(cause.message)
  )
}
