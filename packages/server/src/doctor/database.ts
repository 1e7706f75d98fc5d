// Checks that the database can be read, is up to date, keeps what it has committed, and has room to
// grow. Checks that the clock can be right: it is not behind a time that the database has, nor in a
// year before plazo existed.
import { existsSync, statSync } from 'node:fs'
import type { PostgresInspection } from '@plazo/adapters/postgres'
import {
  COMMIT_BYTES,
  type DiskInspection,
  type Inspection,
  inspectDisk,
  ROOMY_BYTES,
} from '@plazo/adapters/sqlite'
import { ANY_ORDER } from '@plazo/core'
import { type Clock, errorMessage, type FullStore } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { identity } from 'fp-ts/lib/function.js'
import type { Config } from '../settings/config.ts'
import { adviceFor } from '../settings/startup-errors.ts'
import { type Finding, judge, ok, problem } from './finding.ts'

const migrationsFinding = ({
  version,
  latest,
  fingerprint,
  fault,
}: Inspection['schema']): Finding => {
  if (fault !== null) return problem('migrations', fault.message.replace(/^The/, 'the'), fault.todo)
  if (version === latest)
    return ok('migrations', `all ${latest} are applied, fingerprint ${fingerprint}`)
  return problem(
    'migrations',
    `${version} of ${latest} are applied`,
    'Start the server of this version once. It applies the rest.',
  )
}

const MIB = 2 ** 20
// A checkpoint empties the log at 64 MiB at the latest. A log of many times that size had no chance
// to be emptied.
const WAL_BYTES_MAX = 1024 * MIB

const mebibytes = (bytes: number): string =>
  `${(bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0)} MiB`

const integrity = ({ damage }: Inspection): Finding =>
  judge('integrity', damage.length === 0, {
    right: 'the file passed SQLite’s integrity check',
    wrong: damage.join(' '),
    todo: 'Stop the server and keep a copy of all the files. Then restore the last backup and check the disk.',
  })

// The log may take a quarter of the space that is left; the server counts the log's own space as
// left too.
const diskSpace = ({ freeBytes, bytes, walBytes }: DiskInspection): Finding => {
  const says = `${mebibytes(freeBytes)} free, database ${mebibytes(bytes)}, write-ahead log ${mebibytes(walBytes)}; ${mebibytes(ROOMY_BYTES)} needed`
  return judge('disk', freeBytes + walBytes >= ROOMY_BYTES, {
    right: says,
    wrong: says,
    todo:
      freeBytes >= COMMIT_BYTES
        ? 'Free some space on the disk. With less space the log is kept smaller and commits are slower. A full disk stops every order.'
        : 'Free some space on the disk. It is full, so nothing can be committed. The server continues by itself once there is space.',
  })
}

const log = ({ walBytes }: DiskInspection): Finding =>
  judge('write-ahead log', walBytes <= WAL_BYTES_MAX, {
    right: mebibytes(walBytes),
    wrong: `${mebibytes(walBytes)}, which is larger than it should be`,
    todo: 'A long read keeps the log from being emptied. End it: it may be a backup or an open database tool.',
  })

const diskFindings = (disk: DiskInspection): readonly Finding[] => [diskSpace(disk), log(disk)]

/** Of a file, quickly. One that cannot be inspected says so by itself, as a database. */
export const diskProblems = (database: Config['database']): readonly Finding[] => {
  if (database.type !== 'sqlite' || database.path === ':memory:') return []
  const disk = E.tryCatch(() => inspectDisk(database.path), identity)
  return E.isLeft(disk) ? [] : diskFindings(disk.right).filter((finding) => !finding.ok)
}

const unreadableFile = (path: string, cause: unknown): Finding => {
  if (!existsSync(path))
    return problem(
      'database',
      `${path} does not exist, or this user may not see it`,
      'Correct DATABASE_URL, or start the server, which creates a new database.',
    )
  if (statSync(path).isDirectory())
    return problem('database', `${path} is a folder`, 'Name a file in DATABASE_URL.')
  return problem(
    'database',
    `${path}: ${errorMessage(cause)}`,
    adviceFor(cause) ?? 'Name another file in DATABASE_URL.',
  )
}

export const sqliteFindings = (
  path: string,
  inspected: E.Either<unknown, Inspection>,
): readonly Finding[] =>
  E.isLeft(inspected)
    ? [unreadableFile(path, inspected.left)]
    : [
        ok('database', `${path} can be read`),
        migrationsFinding(inspected.right.schema),
        integrity(inspected.right),
        ...diskFindings(inspected.right),
      ]

// As many connections as a server opens, and some for the command line.
const FREE_CONNECTIONS_MIN = 12
const CLOCK_DIFFERENCE_MAX = 5_000

const postgresMigrations = ({ schema }: PostgresInspection): Finding =>
  schema === null
    ? problem(
        'migrations',
        'the database has no plazo tables yet',
        'Start the server. It creates the tables.',
      )
    : migrationsFinding(schema)

const writes = ({ isReadOnly }: PostgresInspection): Finding =>
  judge('writes', !isReadOnly, {
    right: 'the database accepts writes',
    wrong: 'the database is read-only or a standby',
    todo: 'Point DATABASE_URL to the primary.',
  })

const durability = ({ off }: PostgresInspection): Finding =>
  judge('durability', off.length === 0, {
    right: 'fsync, full_page_writes and synchronous_commit are on',
    wrong: `${off.join(' and ')} ${off.length === 1 ? 'is' : 'are'} off: committed data may be lost in a crash`,
    todo: 'Turn them on in postgresql.conf. Otherwise orders and records of deliveries may be lost.',
  })

const connectionSpace = ({ connections: { used, most } }: PostgresInspection): Finding =>
  judge('connections', most - used >= FREE_CONNECTIONS_MIN, {
    right: `${used} of ${most} are in use`,
    wrong: `${used} of ${most} are in use: too few are free for another server, which opens 10`,
    todo: 'Raise max_connections, or close unused connections: `select * from pg_stat_activity` lists them.',
  })

const clocks = ({ now, realNow }: PostgresInspection): Finding => {
  const difference = Math.round(Math.abs(now - realNow))
  return judge('database clock', difference <= CLOCK_DIFFERENCE_MAX, {
    right: `differs from this machine’s clock by ${difference} ms`,
    wrong: `${Math.round(difference / 1000)} s ${now > realNow ? 'ahead of' : 'behind'} this machine’s clock`,
    todo: 'Synchronise both by NTP. Due times follow the database’s clock, and Webhook-Timestamp follows this machine’s.',
  })
}

/** `name`: without its password. */
export const postgresFindings = (
  name: string,
  inspected: E.Either<string, PostgresInspection>,
): readonly Finding[] =>
  E.isLeft(inspected)
    ? [
        problem(
          'database',
          `${name}: ${inspected.left}`,
          'Correct DATABASE_URL, start the database, or check that it can be reached from here.',
        ),
      ]
    : [
        ok('database', `${name} answers: PostgreSQL ${inspected.right.serverVersion}`),
        ...[postgresMigrations, writes, durability, connectionSpace, clocks].map((finding) =>
          finding(inspected.right),
        ),
      ]

const EARLIEST_PLAUSIBLE = Date.UTC(2025, 0, 1)
const MINUTE = 60_000

const ADVICE =
  'Set the machine’s clock and synchronise it by NTP. Signatures, schedules and one-time codes depend on it.'

/** `writtenAt`: when the database file was last written, by the same machine's clock. */
export const clockFinding = (realNow: number, writtenAt: number): Finding => {
  const now = new Date(realNow).toISOString()
  if (realNow < EARLIEST_PLAUSIBLE)
    return problem('clock', `it shows ${now}, which is in the past`, ADVICE)
  return judge('clock', writtenAt <= realNow + MINUTE, {
    right: now,
    wrong: `it shows ${now}, but the database was written at ${new Date(writtenAt).toISOString()}`,
    todo: ADVICE,
  })
}

const formatDuration = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}

/** Checks the service's own time, which orders follow and which may have been moved. */
export const serviceTimeFinding = async (
  { orders }: FullStore,
  clock: Clock,
  realNow: number,
): Promise<Finding> => {
  const newest = await orders.search(ANY_ORDER, null, 1)()
  if (E.isLeft(newest))
    return problem(
      'service time',
      newest.left.message,
      'The database cannot be read now. Try again.',
    )
  const now = clock.now()
  const last = newest.right.orders[0]?.context.updatedAt ?? 0
  if (last > now + MINUTE)
    return problem(
      'service time',
      `the newest order was last changed at ${new Date(last).toISOString()}, which is in the future`,
      ADVICE,
    )
  const offset = now - realNow
  return ok(
    'service time',
    offset < 1000
      ? 'the same as the machine’s clock'
      : `moved ${formatDuration(offset)} ahead of the machine’s clock: ${new Date(now).toISOString()}`,
  )
}
