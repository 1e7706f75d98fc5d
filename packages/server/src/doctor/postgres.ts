// Checks that the PostgreSQL database answers, is up to date, keeps what it has committed, and has room for connections.
import type { PostgresInspection } from '@plazo/adapters/postgres'
import * as E from 'fp-ts/lib/Either.js'
import { type Finding, migrationsFinding, ok, problem } from './finding.ts'

// As many connections as a server opens, and some for the command line.
const FREE_CONNECTIONS_MIN = 12
const CLOCK_DIFFERENCE_MAX = 5_000

const migrations = ({ version, latest }: PostgresInspection): Finding =>
  version === null
    ? problem('migrations', 'the database has no plazo tables yet', 'Start the server. It creates the tables.')
    : migrationsFinding({ version, latest })

const writes = ({ isReadOnly }: PostgresInspection): Finding =>
  isReadOnly
    ? problem('writes', 'the database is read-only or a standby', 'Point DATABASE_URL to the primary.')
    : ok('writes', 'the database accepts writes')

const durability = ({ off }: PostgresInspection): Finding =>
  off.length === 0
    ? ok('durability', 'fsync, full_page_writes and synchronous_commit are on')
    : problem(
        'durability',
        `${off.join(' and ')} ${off.length === 1 ? 'is' : 'are'} off: committed data may be lost in a crash`,
        'Turn them on in postgresql.conf. Otherwise orders and records of deliveries may be lost.',
      )

const connectionSpace = ({ connections: { used, most } }: PostgresInspection): Finding =>
  most - used >= FREE_CONNECTIONS_MIN
    ? ok('connections', `${used} of ${most} are in use`)
    : problem(
        'connections',
        `${used} of ${most} are in use: too few are free for another server, which opens 10`,
        'Raise max_connections, or close unused connections: `select * from pg_stat_activity` lists them.',
      )

const clocks = ({ now, realNow }: PostgresInspection): Finding => {
  const difference = Math.round(Math.abs(now - realNow))
  return difference <= CLOCK_DIFFERENCE_MAX
    ? ok('database clock', `differs from this machine’s clock by ${difference} ms`)
    : problem(
        'database clock',
        `${Math.round(difference / 1000)} s ${now > realNow ? 'ahead of' : 'behind'} this machine’s clock`,
        'Synchronise both by NTP. Due times follow the database’s clock, and Webhook-Timestamp follows this machine’s.',
      )
}

/** `name`: without its password. */
export const postgresFindings = (name: string, inspected: E.Either<string, PostgresInspection>): readonly Finding[] =>
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
        ...[migrations, writes, durability, connectionSpace, clocks].map((finding) => finding(inspected.right)),
      ]
