// Writes the row of an endpoint in the transaction that records an attempt. Operators see by it
// which shops fail, and the dispatcher which are good.
import type { EndpointRef } from '@plazo/core/ports'
import type { Database } from '../schema/database.ts'
import type { ClaimedRow } from './outbox-statements.ts'

/** @internal The driver's types have no name for its result, which a declaration would need. */
export const createEndpointRows = (db: Database) => {
  // The row of an endpoint that is well is written once a minute.
  const note = db.prepare(`
    insert into endpoints as e (merchant, kind, is_good, last_good_at, failing_since, failures)
    values (@merchant, @queue, @isGood, @goodAt, @failedAt, @failedAt is not null)
    on conflict do update set is_good = excluded.is_good,
      last_good_at = coalesce(max(e.last_good_at, excluded.last_good_at), excluded.last_good_at, e.last_good_at),
      failing_since = iif(@goodAt is null, coalesce(e.failing_since, @failedAt), null),
      failures = iif(@goodAt is null, e.failures + 1, 0)
    where @goodAt is null or e.failing_since is not null or e.last_good_at is null
      or @goodAt - e.last_good_at > 60000 or e.is_good is not excluded.is_good`)
  const noteSlow = db.prepare(`
    insert into endpoints as e (merchant, kind, is_good) values (?, ?, 0)
    on conflict do update set is_good = 0 where e.is_good is not 0`)
  return {
    noteAttempt: (
      { merchant, queue, started_at }: ClaimedRow,
      isAccepted: boolean,
      isGood: boolean,
    ): void => {
      const [goodAt, failedAt] = isAccepted ? [started_at, null] : [null, started_at]
      note.run({ merchant, queue, isGood: isGood ? 1 : 0, goodAt, failedAt })
    },
    noteSlow: ({ merchantRef, kind }: EndpointRef): void => void noteSlow.run(merchantRef, kind),
  }
}
