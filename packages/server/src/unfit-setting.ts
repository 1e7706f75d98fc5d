// A well-formed setting may turn out to be unusable. It is then reported like any other wrong setting. Contract §7.
import { errorMessage } from '@plazo/core'
import type { Config } from './config.ts'

/** Its message is the line to print. */
export class UnfitSetting extends Error {}

type Failure = { readonly code?: unknown; readonly syscall?: unknown }

const unfit = (name: string, given: string, wanted: string, cause: unknown, todo?: string): UnfitSetting =>
  new UnfitSetting(
    `${name} must be ${wanted} (got ${JSON.stringify(given)}): ${errorMessage(cause).replace(/\.$/, '')}.${todo ? ` ${todo}` : ''}`,
    { cause },
  )

const OWN_HOST = 'an address or host name of this machine'

/** The error to throw if the server cannot listen. */
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

/** For a SQLite database that cannot be opened: what the setting should name, and what to do. */
type Remedy = { readonly wanted: string; readonly todo: string }

const A_DATABASE = 'sqlite:<path> of a database, or of a file that can be made'

const REMEDIES: readonly (Remedy & { readonly code: RegExp })[] = [
  {
    code: /^SQLITE_(CANTOPEN|READONLY|PERM)/,
    wanted: A_DATABASE,
    todo: 'Name another file, or give this user read and write access.',
  },
  {
    code: /^(SQLITE_NOTADB|DATABASE_FOREIGN)/,
    wanted: A_DATABASE,
    todo: 'Name another file. plazo does not change this one.',
  },
  {
    code: /^DATABASE_LATER$/,
    wanted: 'a database of this version of plazo or an earlier one',
    todo: 'Use the version of plazo that wrote it, or a later one.',
  },
  {
    code: /^SQLITE_(BUSY|LOCKED)/,
    wanted: 'a database that is not locked by another program',
    todo: 'Close the program that locks it, for example a database tool or a running copy, and try again.',
  },
  {
    code: /^SQLITE_CORRUPT/,
    wanted: 'a database that is not damaged',
    todo: 'Copy all its files, restore the last backup, and check the disk.',
  },
  {
    code: /^(SQLITE_FULL|ENOSPC)$/,
    wanted: 'a database on a disk with free space',
    todo: 'Free some space on its disk, and try again.',
  },
  {
    code: /^SQLITE_IOERR/,
    wanted: 'a database on a disk that can be read and written',
    todo: 'Check whether its disk is full or failing.',
  },
]

/** Null if the failure is not about the database's file. */
export const remedyOf = (cause: unknown): Remedy | null => {
  const { code, syscall } = cause as Failure
  // The database's folder could not be created.
  const told = syscall === 'mkdir' ? 'SQLITE_CANTOPEN' : String(code)
  return REMEDIES.find((remedy) => remedy.code.test(told)) ?? null
}

/** The error to throw if a SQLite file cannot be opened. */
export const unfitToOpen = (path: string, cause: unknown): unknown => {
  const remedy = remedyOf(cause)
  return remedy === null ? cause : unfit('DATABASE_URL', `sqlite:${path}`, remedy.wanted, cause, remedy.todo)
}
