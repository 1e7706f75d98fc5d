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

/** The error to throw if the server cannot listen. */
export const listenError = (
  { port, host }: Pick<Config, 'port' | 'host'>,
  cause: unknown,
): unknown => {
  switch ((cause as Failure).code) {
    case 'EADDRINUSE':
    case 'EACCES':
      return invalidSetting('PORT', String(port), 'a free port that this user may use', cause)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
      return invalidSetting('HOST', host, 'an address or host name of this machine', cause)
    default:
      return cause
  }
}

/** For a SQLite database that cannot be opened: what the setting should name, and what to do. */
type Remedy = readonly [code: RegExp, expected: string, todo: string]

const DATABASE_FILE = 'sqlite:<path> of a database, or of a new file that can be created'

const REMEDIES: readonly Remedy[] = [
  [
    /^SQLITE_(CANTOPEN|READONLY|PERM)/,
    DATABASE_FILE,
    'Name another file, or give this user read and write access.',
  ],
  [
    /^(SQLITE_NOTADB|DATABASE_FOREIGN)/,
    DATABASE_FILE,
    'Name another file. plazo does not change this one.',
  ],
  [
    /^DATABASE_LATER$/,
    'a database of this version of plazo or an earlier one',
    'Use the version of plazo that wrote it, or a later one.',
  ],
  [
    /^DATABASE_OTHER$/,
    'a database with the tables of its version',
    'Use the plazo that wrote it, restore a backup, or name a new file.',
  ],
  [
    /^SQLITE_(BUSY|LOCKED)/,
    'a database that is not locked by another program',
    'Close the program that locks it, and try again.',
  ],
  [
    /^SQLITE_CORRUPT/,
    'a database that is not damaged',
    'Copy all its files, restore the last backup, and check the disk.',
  ],
  [
    /^(SQLITE_FULL$|ENOSPC$|SQLITE_IOERR)/,
    'a database on a disk that works and has free space',
    'Free some space on its disk, or check the disk.',
  ],
]

const findRemedy = (cause: unknown): Remedy | undefined => {
  const { code, syscall } = cause as Failure
  // The database's folder could not be created.
  const effectiveCode = syscall === 'mkdir' ? 'SQLITE_CANTOPEN' : String(code)
  return REMEDIES.find(([codes]) => codes.test(effectiveCode))
}

/** The advice for a SQLite file that cannot be opened; undefined if the failure is not about it. */
export const adviceFor = (cause: unknown): string | undefined => findRemedy(cause)?.[2]

/** The error to throw if a SQLite file cannot be opened. */
export const openError = (path: string, cause: unknown): unknown => {
  const remedy = findRemedy(cause)
  if (remedy === undefined) return cause
  const [, expected, todo] = remedy
  return invalidSetting('DATABASE_URL', `sqlite:${path}`, expected, cause, todo)
}
