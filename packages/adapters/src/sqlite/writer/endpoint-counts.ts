// Counts failures by endpoint, in the transaction that records the attempts. Operators see by them
// which shops fail.
import type { EndpointRef, Report } from '@plazo/core/ports'
import type { EndpointResult } from '../../sql/endpoint-counts.ts'
import type { Database } from '../schema/database.ts'

export const createEndpointCounter = (db: Database) => {
  const noteGood = db.prepare(`
    insert into endpoints (merchant, kind, last_good_at) values (?, ?, ?)
    on conflict do update set last_good_at = max(coalesce(last_good_at, 0), excluded.last_good_at),
      failing_since = null, failures = 0`)
  const noteGoodness = db.prepare(`
    insert into endpoints (merchant, kind, is_good) values (?, ?, ?)
    on conflict do update set is_good = excluded.is_good where is_good is not excluded.is_good`)
  const noteFailure = db.prepare(`
    insert into endpoints (merchant, kind, failing_since, failures) values (?, ?, ?, 1)
    on conflict do update set failing_since = coalesce(failing_since, excluded.failing_since), failures = failures + 1`)
  return {
    countAttempt: (
      { merchantRef, kind, isGood }: EndpointResult,
      startedAt: number,
      { error }: Report,
    ): void => {
      noteGoodness.run(merchantRef, kind, isGood ? 1 : 0)
      const note = error === null ? noteGood : noteFailure
      note.run(merchantRef, kind, startedAt)
    },
    noteSlow: ({ merchantRef, kind }: EndpointRef): void =>
      void noteGoodness.run(merchantRef, kind, 0),
  }
}
