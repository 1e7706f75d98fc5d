// Checks that the PostgreSQL database answers, is up to date, keeps what it has committed, and has room for connections.
import type { PostgresInspection } from '@plazo/adapters/postgres'
import * as E from 'fp-ts/lib/Either.js'
import { type Finding, migrationsFinding, ok, problem } from './finding.ts'

// As many connections as a server opens, and some for the command line.
const FREE_CONNECTIONS_MIN = 12
const CLOCK_DIFFERENCE_MAX = 5_000

const migrations = ({ version, latest }: PostgresInspection): Finding =>
  version === null
    ? problem('migrations', 'nothing of plazo’s is in it yet', 'Start the server: it makes what it needs.')
    : migrationsFinding({ version, latest })

const writes = ({ isReadOnly }: PostgresInspection): Finding =>
  isReadOnly
    ? problem('writes', 'it takes none: a standby, or read-only', 'Have DATABASE_URL lead to the primary.')
    : ok('writes', 'it takes them')

const durability = ({ off }: PostgresInspection): Finding =>
  off.length === 0
    ? ok('durability', 'fsync, full_page_writes and synchronous_commit are on')
    : problem(
        'durability',
        `${off.join(' and ')} ${off.length === 1 ? 'is' : 'are'} off: what is committed may be lost in a crash`,
        'Turn them on in postgresql.conf: orders, and what merchants were told of them, are not to be lost.',
      )

const connectionSpace = ({ connections: { used, most } }: PostgresInspection): Finding =>
  most - used >= FREE_CONNECTIONS_MIN
    ? ok('connections', `${used} of ${most} are taken`)
    : problem(
        'connections',
        `${used} of ${most} are taken: another server, which opens 10, finds too few`,
        'Raise max_connections, or end what holds them: `select * from pg_stat_activity` shows it.',
      )

const clocks = ({ now, realNow }: PostgresInspection): Finding => {
  const difference = Math.round(Math.abs(now - realNow))
  return difference <= CLOCK_DIFFERENCE_MAX
    ? ok('database clock', `${difference} ms from this machine’s`)
    : problem(
        'database clock',
        `${Math.round(difference / 1000)} s ${now > realNow ? 'ahead of' : 'behind'} this machine’s`,
        'Keep both by NTP: what is due goes by the database’s, Webhook-Timestamp by this machine’s.',
      )
}

/** `name`: without its password. */
export const postgresFindings = (name: string, inspected: E.Either<string, PostgresInspection>): readonly Finding[] =>
  E.isLeft(inspected)
    ? [
        problem(
          'database',
          `${name}: ${inspected.left}`,
          'Mend DATABASE_URL, start the database, or see that it is reached.',
        ),
      ]
    : [
        ok('database', `${name} answers: PostgreSQL ${inspected.right.serverVersion}`),
        ...[migrations, writes, durability, connectionSpace, clocks].map((finding) => finding(inspected.right)),
      ]
