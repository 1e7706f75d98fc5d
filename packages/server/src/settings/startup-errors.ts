// A well-formed setting may turn out to be unusable. It is then reported like any other wrong
// setting. Contract §7.
import { errorMessage } from '@plazo/core/internal'
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

const DATABASE_FILE = 'sqlite:<path> of a database, or of a new file that can be created'

/** What to do about a SQLite database that cannot be opened. */
const REMEDIES: readonly (readonly [code: RegExp, todo: string])[] = [
  [
    /^(SQLITE_(CANTOPEN|READONLY|PERM)|EACCES$)/,
    'Name another file, or give this user read and write access.',
  ],
  [/^(SQLITE_NOTADB|DATABASE_FOREIGN)/, 'Name another file. plazo does not change this one.'],
  [/^DATABASE_LATER$/, 'Use the version of plazo that wrote it, or a later one.'],
  [/^DATABASE_OTHER$/, 'Use the plazo that wrote it, restore a backup, or name a new file.'],
  [
    /^DATABASE_LOG$/,
    'If the file is a backup, move that log to another folder, or run `plazo backup --restore <file>`. Otherwise put its own file back.',
  ],
  [/^SQLITE_(BUSY|LOCKED)/, 'Close the program that locks it, and try again.'],
  [/^SQLITE_CORRUPT/, 'Copy all its files, restore the last backup, and check the disk.'],
  [/^(SQLITE_FULL$|ENOSPC$|SQLITE_IOERR)/, 'Free some space on its disk, or check the disk.'],
]

/** The advice for a SQLite file that cannot be opened; undefined if the failure is not about it. */
export const adviceFor = (cause: unknown): string | undefined => {
  const { code, syscall } = cause as Failure
  // The database's folder could not be created.
  const effectiveCode = syscall === 'mkdir' ? 'SQLITE_CANTOPEN' : String(code)
  return REMEDIES.find(([codes]) => codes.test(effectiveCode))?.[1]
}

/** The error to throw if a SQLite file cannot be opened. */
export const openError = (path: string, cause: unknown): unknown => {
  const todo = adviceFor(cause)
  return todo === undefined
    ? cause
    : invalidSetting('DATABASE_URL', `sqlite:${path}`, DATABASE_FILE, cause, todo)
}
