// Checks that the database can be read, is up to date, keeps what it has committed, and has room to
// grow.
import { existsSync } from 'node:fs'
import type { PostgresInspection } from '@plazo/adapters/internal/postgres'
import {
  COMMIT_BYTES,
  type DiskInspection,
  type Inspection,
  inspectDisk,
  ROOMY_BYTES,
} from '@plazo/adapters/internal/sqlite'
import { errorMessage } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { identity } from 'fp-ts/lib/function.js'
import type { Config } from '../settings/config.ts'
import { adviceFor } from '../settings/startup-errors.ts'

/** What a check has found, as `--json` prints it. */
export type Finding = {
  readonly check: string
  readonly ok: boolean
  readonly says: string
  /** The advice; null if nothing is wrong. */
  readonly todo: string | null
}

/** `todo`: the advice if it is wrong. */
export const judge = (check: string, isRight: boolean, says: string, todo: string): Finding => ({
  check,
  ok: isRight,
  says,
  todo: isRight ? null : todo,
})

export const ok = (check: string, says: string): Finding => judge(check, true, says, '')

export const problem = (check: string, says: string, todo: string): Finding =>
  judge(check, false, says, todo)

const migrationsFinding = ({
  version,
  latest,
  fingerprint,
  fault,
}: Inspection['schema']): Finding =>
  fault === null
    ? judge(
        'migrations',
        version === latest,
        `${version} of ${latest} are applied, fingerprint ${fingerprint}`,
        'Start the server of this version once. It applies the rest.',
      )
    : problem('migrations', fault.message.replace(/^The/, 'the'), fault.todo)

const MIB = 2 ** 20
// A checkpoint empties the log at 64 MiB at the latest. A log of many times that size had no chance
// to be emptied.
const WAL_BYTES_MAX = 1024 * MIB

const mebibytes = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`

// The log may take a quarter of the space that is left; the server counts the log's own space as
// left too.
const diskFindings = ({
  freeBytes,
  bytes,
  walBytes,
}: DiskInspection): readonly [Finding, Finding] => [
  judge(
    'disk',
    freeBytes + walBytes >= ROOMY_BYTES,
    `${mebibytes(freeBytes)} free, database ${mebibytes(bytes)}; ${mebibytes(ROOMY_BYTES)} needed`,
    freeBytes >= COMMIT_BYTES
      ? 'Free some space on the disk. With less space the log is kept smaller and commits are slower. A full disk stops every order.'
      : 'Free some space on the disk. It is full, so nothing can be committed. The server continues by itself once there is space.',
  ),
  judge(
    'write-ahead log',
    walBytes <= WAL_BYTES_MAX,
    mebibytes(walBytes),
    'A long read keeps the log from being emptied. End it: it may be a backup or an open database tool.',
  ),
]

/** Of a file, quickly. One that cannot be inspected says so by itself, as a database. */
export const diskProblems = (database: Config['database']): readonly Finding[] => {
  if (database.type !== 'sqlite' || database.path === ':memory:') return []
  const disk = E.tryCatch(() => inspectDisk(database.path), identity)
  return E.isLeft(disk) ? [] : diskFindings(disk.right).filter((finding) => !finding.ok)
}

export const sqliteFindings = (
  path: string,
  inspected: E.Either<unknown, Inspection>,
): readonly Finding[] => {
  if (E.isLeft(inspected)) {
    const reason = existsSync(path) ? errorMessage(inspected.left) : 'there is no such file'
    const todo = adviceFor(inspected.left) ?? 'Name another file in DATABASE_URL.'
    return [problem('database', `${path}: ${reason}`, todo)]
  }
  const { schema, damage } = inspected.right
  return [
    ok('database', `${path} can be read`),
    migrationsFinding(schema),
    judge(
      'integrity',
      damage.length === 0,
      damage.join(' ') || 'the file passed SQLite’s integrity check',
      'Stop the server and keep a copy of all the files. Then restore the last backup and check the disk.',
    ),
    ...diskFindings(inspected.right),
  ]
}

// As many connections as a server opens, and some for the command line.
const FREE_CONNECTIONS_MIN = 12

/** `name`: without its password. */
export const postgresFindings = (
  name: string,
  inspected: E.Either<string, PostgresInspection>,
): readonly Finding[] => {
  if (E.isLeft(inspected))
    return [
      problem(
        'database',
        `${name}: ${inspected.left}`,
        'Correct DATABASE_URL, start the database, or check that it can be reached from here.',
      ),
    ]
  const { serverVersion, schema, off, isReadOnly, connections } = inspected.right
  const { used, most } = connections
  return [
    ok('database', `${name} answers: PostgreSQL ${serverVersion}`),
    schema === null
      ? problem('migrations', 'there are no tables of plazo', 'Start the server. It creates them.')
      : migrationsFinding(schema),
    judge(
      'writes',
      !isReadOnly,
      isReadOnly ? 'read-only, or a standby' : 'accepted',
      'Point DATABASE_URL to the primary.',
    ),
    judge(
      'durability',
      off.length === 0,
      `settings that are off: ${off.join(', ') || 'none'}`,
      'Turn them on in postgresql.conf. Otherwise a crash may lose orders and records of deliveries.',
    ),
    judge(
      'connections',
      most - used >= FREE_CONNECTIONS_MIN,
      `${used} of ${most} are in use`,
      'Another server opens 11. Raise max_connections, or close unused connections: `select * from pg_stat_activity` lists them.',
    ),
  ]
}
