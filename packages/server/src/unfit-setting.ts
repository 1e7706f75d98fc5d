// Settings that are well written and turn out to be of no use: told like any other wrong one. Contract §7.
import type { Config } from './config.ts'

/** Its message is the line for it. */
export class UnfitSetting extends Error {}

type Failure = { readonly code?: unknown; readonly syscall?: unknown; readonly message?: unknown }

const unfit = (name: string, given: string, wanted: string, cause: unknown): UnfitSetting =>
  new UnfitSetting(`${name} is ${JSON.stringify(given)}: wanted is ${wanted} (${(cause as Failure).message}).`, {
    cause,
  })

const OWN_HOST = 'an address or host name of this machine'

/** What to throw where the server cannot listen. */
export const unfitToListen = ({ port, host }: Pick<Config, 'port' | 'host'>, cause: unknown): unknown => {
  switch ((cause as Failure).code) {
    case 'EADDRINUSE':
      return unfit('PORT', String(port), 'a port that is free', cause)
    case 'EACCES':
      return unfit('PORT', String(port), 'a port that this user may listen on', cause)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
      return unfit('HOST', host, OWN_HOST, cause)
    default:
      return cause
  }
}

/** What to throw where a SQLite file is not opened. What is wrong inside a database is no matter of its address. */
export const unfitToOpen = (path: string, cause: unknown): unknown => {
  const { code, syscall } = cause as Failure
  const isOfFile = syscall === 'mkdir' || /^SQLITE_(NOTADB|CANTOPEN|READONLY)/.test(String(code))
  return isOfFile
    ? unfit('DATABASE_URL', `sqlite:${path}`, 'sqlite:<path> of a database, or of a file that can be made', cause)
    : cause
}
