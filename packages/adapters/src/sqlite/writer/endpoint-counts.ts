// Counts attempts and lost orders by endpoint, in the transaction that records them. Operators see by
// these counts which shops fail.
import type { EndpointRef, Report } from '@plazo/core/ports'
import { type EndpointResult, HOUR_MILLIS } from '../../sql/endpoint-counts.ts'
import type { Database } from '../schema/database.ts'
import type { Commands } from './commands.ts'

export const createEndpointCounter = (db: Database) => {
  const countAttempt = db.prepare(`
    insert into endpoint_hours (merchant, kind, address, hour, attempts, failures, last_at, last_status, last_error)
    values (?, ?, ?, ?, 1, ?, ?, ?, ?)
    on conflict do update set attempts = attempts + 1, failures = failures + excluded.failures,
      last_at = excluded.last_at, last_status = excluded.last_status, last_error = excluded.last_error`)
  const countLost = db.prepare(`
    insert into endpoint_hours (merchant, kind, address, hour, lost, last_at) values (?, 'ipn', ?, ?, 1, ?)
    on conflict do update set lost = lost + 1`)
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
  const hourOf = (at: number): number => at - (at % HOUR_MILLIS)

  return {
    countAttempt: (
      { merchantRef, kind, address, isGood }: EndpointResult,
      startedAt: number,
      { status, error }: Report,
    ): void => {
      noteGoodness.run(merchantRef, kind, isGood ? 1 : 0)
      if (address === null) return
      countAttempt.run(
        ...[merchantRef, kind, address, hourOf(startedAt)],
        ...[error === null ? 0 : 1, startedAt, status, error],
      )
      const note = error === null ? noteGood : noteFailure
      note.run(merchantRef, kind, startedAt)
    },
    noteSlow: ({ merchantRef, kind }: EndpointRef): void =>
      void noteGoodness.run(merchantRef, kind, 0),
    countLost: (merchantRef: string, address: string, at: number): void =>
      void countLost.run(merchantRef, address, hourOf(at), at),
  }
}

type EndpointCommands = Pick<Commands, 'dropEndpointHours'>

export const createEndpointCommands = (db: Database): EndpointCommands => {
  const drop = db.prepare('delete from endpoint_hours where hour < ?')
  return {
    dropEndpointHours: (before: number) => void drop.run(before),
  }
}
