// A well-formed setting may turn out to be unusable. It is then reported like any other wrong
// setting. Contract §7.
import { errorMessage } from '@plazo/core/ports'
import type { Config } from './config.ts'

/** Its message is the line to print. */
export class InvalidSetting extends Error {}

type Failure = { readonly code?: unknown; readonly syscall?: unknown }

const invalidSetting = (
  name: string,
  value: string,
  expected: string,
  cause: unknown,
  todo?: string,
): InvalidSetting =>
  new InvalidSetting(
    `${name} must be ${expected} (got ${JSON.stringify(value)}): ${errorMessage(cause).replace(/\.$/, '')}.${todo ? ` ${todo}` : ''}`,
    { cause },
  )

const OWN_ADDRESS = 'an address or host name of this machine'

/** The error to throw if the server cannot listen. */
export const listenError = (
  { port, host }: Pick<Config, 'port' | 'host'>,
  cause: unknown,
): unknown => {
  switch ((cause as Failure).code) {
    case 'EADDRINUSE':
      return invalidSetting('PORT', String(port), 'a port that is free', cause)
    case 'EACCES':
      return invalidSetting('PORT', String(port), 'a port that this user may listen on', cause)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
      return invalidSetting('HOST', host, OWN_ADDRESS, cause)
    default:
      return cause
  }
}

/** For a SQLite database that cannot be opened: what the setting should name, and what to do. */
type Remedy = { readonly expected: string; readonly todo: string }

const DATABASE_FILE = 'sqlite:<path> of a database, or of a new file that can be created'

const REMEDIES: readonly (Remedy & { readonly code: RegExp })[] = [
  {
    code: /^SQLITE_(CANTOPEN|READONLY|PERM)/,
    expected: DATABASE_FILE,
    todo: 'Name another file, or give this user read and write access.',
  },
  {
    code: /^(SQLITE_NOTADB|DATABASE_FOREIGN)/,
    expected: DATABASE_FILE,
    todo: 'Name another file. plazo does not change this one.',
  },
  {
    code: /^DATABASE_LATER$/,
    expected: 'a database of this version of plazo or an earlier one',
    todo: 'Use the version of plazo that wrote it, or a later one.',
  },
  {
    code: /^DATABASE_OTHER$/,
    expected: 'a database with the tables of its version',
    todo: 'Use the plazo that wrote it, restore a backup, or name a new file.',
  },
  {
    code: /^SQLITE_(BUSY|LOCKED)/,
    expected: 'a database that is not locked by another program',
    todo: 'Close the program that locks it, for example a database tool or a running copy, and try again.',
  },
  {
    code: /^SQLITE_CORRUPT/,
    expected: 'a database that is not damaged',
    todo: 'Copy all its files, restore the last backup, and check the disk.',
  },
  {
    code: /^(SQLITE_FULL|ENOSPC)$/,
    expected: 'a database on a disk with free space',
    todo: 'Free some space on its disk, and try again.',
  },
  {
    code: /^SQLITE_IOERR/,
    expected: 'a database on a disk that can be read and written',
    todo: 'Check whether its disk is full or failing.',
  },
]

/** Null if the failure is not about the database's file. */
export const findRemedy = (cause: unknown): Remedy | null => {
  const { code, syscall } = cause as Failure
  // The database's folder could not be created.
  const effectiveCode = syscall === 'mkdir' ? 'SQLITE_CANTOPEN' : String(code)
  return REMEDIES.find((remedy) => remedy.code.test(effectiveCode)) ?? null
}

/** The error to throw if a SQLite file cannot be opened. */
export const openError = (path: string, cause: unknown): unknown => {
  const remedy = findRemedy(cause)
  return remedy === null
    ? cause
    : invalidSetting('DATABASE_URL', `sqlite:${path}`, remedy.expected, cause, remedy.todo)
}
