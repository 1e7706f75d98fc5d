// Checks that the database file exists, is up to date, is whole, and has room to grow.
import { existsSync, statSync } from 'node:fs'
import { COMMIT_BYTES, type Inspection, ROOMY_BYTES } from '@plazo/adapters/sqlite'
import { errorMessage } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { findRemedy } from '../boot/startup-errors.ts'
import { type Finding, migrationsFinding, ok, problem } from './finding.ts'

const MIB = 2 ** 20
// A checkpoint empties the log at 64 MiB at the latest. A log of many times that size had no chance to be emptied.
const WAL_BYTES_MAX = 1024 * MIB

const mebibytes = (bytes: number): string => `${(bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0)} MiB`

const integrity = ({ damage }: Inspection): Finding =>
  damage.length === 0
    ? ok('integrity', 'SQLite finds the file whole')
    : problem(
        'integrity',
        damage.join(' '),
        'Stop the server and keep a copy of all the files; then go back to the last backup, and look at the disk.',
      )

// The log may take a quarter of the space that is left; the server counts the log's own space as left too.
const diskSpace = ({ freeBytes, bytes, walBytes }: Inspection): Finding => {
  const says = `${mebibytes(freeBytes)} free beside ${mebibytes(bytes)} of database and ${mebibytes(walBytes)} of log; ${mebibytes(ROOMY_BYTES)} are needed`
  if (freeBytes + walBytes >= ROOMY_BYTES) return ok('disk', says)
  return problem(
    'disk',
    says,
    freeBytes >= COMMIT_BYTES
      ? 'Make room on the disk: with less, the log is kept smaller, which makes commits slower, and a full disk stops every order.'
      : 'Make room on the disk: it is full, nothing is committed, and no order goes on. The server continues by itself when there is room.',
  )
}

const log = ({ walBytes }: Inspection): Finding =>
  walBytes <= WAL_BYTES_MAX
    ? ok('write-ahead log', mebibytes(walBytes))
    : problem(
        'write-ahead log',
        `${mebibytes(walBytes)}, which is more than is ever left for long`,
        'Something reads the database without end, and so keeps it from being emptied: a backup, or a tool left open.',
      )

const MISSING = 'Mend DATABASE_URL, or start the server, which makes a new database.'

const unreadableFile = (path: string, cause: unknown): Finding => {
  if (!existsSync(path)) return problem('database', `${path}: there is no such file that this user may see`, MISSING)
  if (statSync(path).isDirectory()) return problem('database', `${path} is a folder`, 'Name a file in DATABASE_URL.')
  return problem(
    'database',
    `${path}: ${errorMessage(cause)}`,
    findRemedy(cause)?.todo ?? 'Name another in DATABASE_URL.',
  )
}

export const databaseFindings = (path: string, inspected: E.Either<unknown, Inspection>): readonly Finding[] =>
  E.isLeft(inspected)
    ? [unreadableFile(path, inspected.left)]
    : [
        ok('database', `${path} is read`),
        ...[migrationsFinding, integrity, diskSpace, log].map((finding) => finding(inspected.right)),
      ]
