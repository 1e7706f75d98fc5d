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
    ? ok('integrity', 'the file passed SQLite’s integrity check')
    : problem(
        'integrity',
        damage.join(' '),
        'Stop the server and keep a copy of all the files. Then restore the last backup and check the disk.',
      )

// The log may take a quarter of the space that is left; the server counts the log's own space as left too.
const diskSpace = ({ freeBytes, bytes, walBytes }: Inspection): Finding => {
  const says = `${mebibytes(freeBytes)} free, database ${mebibytes(bytes)}, write-ahead log ${mebibytes(walBytes)}; ${mebibytes(ROOMY_BYTES)} needed`
  if (freeBytes + walBytes >= ROOMY_BYTES) return ok('disk', says)
  return problem(
    'disk',
    says,
    freeBytes >= COMMIT_BYTES
      ? 'Free some space on the disk. With less space the log is kept smaller and commits are slower. A full disk stops every order.'
      : 'Free some space on the disk. It is full, so nothing can be committed. The server continues by itself once there is space.',
  )
}

const log = ({ walBytes }: Inspection): Finding =>
  walBytes <= WAL_BYTES_MAX
    ? ok('write-ahead log', mebibytes(walBytes))
    : problem(
        'write-ahead log',
        `${mebibytes(walBytes)}, which is larger than it should be`,
        'A long read keeps the log from being emptied. End it: it may be a backup or an open database tool.',
      )

const MISSING = 'Correct DATABASE_URL, or start the server, which creates a new database.'

const unreadableFile = (path: string, cause: unknown): Finding => {
  if (!existsSync(path)) return problem('database', `${path} does not exist, or this user may not see it`, MISSING)
  if (statSync(path).isDirectory()) return problem('database', `${path} is a folder`, 'Name a file in DATABASE_URL.')
  return problem(
    'database',
    `${path}: ${errorMessage(cause)}`,
    findRemedy(cause)?.todo ?? 'Name another file in DATABASE_URL.',
  )
}

export const databaseFindings = (path: string, inspected: E.Either<unknown, Inspection>): readonly Finding[] =>
  E.isLeft(inspected)
    ? [unreadableFile(path, inspected.left)]
    : [
        ok('database', `${path} can be read`),
        ...[migrationsFinding, integrity, diskSpace, log].map((finding) => finding(inspected.right)),
      ]
