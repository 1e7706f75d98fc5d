// The SQL statements of the outbox, each prepared once.
import type { QueueName, Trigger } from '@plazo/core/ports'
import { UNFINISHED } from '../queries/due-jobs.ts'
import { type Database, stablePlan } from '../schema/database.ts'

export type ClaimedRow = {
  readonly id: number
  readonly order_id: number
  /** Null for a resend. */
  readonly lane: string | null
  readonly queue: QueueName
  readonly merchant: string
  readonly excludes: string | null
  readonly revoked: number
  readonly resend_of: number | null
  /** The attempt in flight; only for deliveries. */
  readonly attempt: number | null
  readonly started_by: Trigger | null
  readonly started_at: number | null
  /**
   * `is_followed`: 1 if a job is queued in its lane. `next_excluding`: when the first pending job
   * that excludes its lane is due.
   */
  readonly is_followed: number
  readonly next_excluding: number | null
}

const CLAIMED_ROWS = `
  select id, order_id, lane, queue, merchant, excludes, revoked, resend_of, attempt, started_by, started_at,
    exists (
      select 1 from outbox q
      where q.order_id = b.order_id and q.lane = b.lane and q.${UNFINISHED} and q.state = 'queued') as is_followed,
    (select min(f.due_at) from outbox f
      where f.order_id = b.order_id and f.excludes = b.lane and f.state = 'pending') as next_excluding
  from outbox b`

export const EXPEDITE = stablePlan`
  update outbox set due_at = min(due_at, ?) where order_id = ? and lane = ? and ${UNFINISHED} and state = 'pending'`

/** @internal The driver's types have no name for its result, which a declaration would need. */
export const outboxStatements = (db: Database) => ({
  insert: db.prepare(stablePlan`
    insert into outbox (order_id, revision, lane, queue, merchant, account, work, event, state, due_at, expires_at, excludes, made_at)
    values (?, ?, ?, ?, ?, ?, ?, ?,
      case when exists (select 1 from outbox where order_id = ? and lane = ? and ${UNFINISHED}) then 'queued' else 'pending' end,
      ?, ?, ?, ?)`),
  nextInLane: db
    .prepare<[number, string], number | null>(
      stablePlan`select min(due_at) from outbox where order_id = ? and lane = ? and ${UNFINISHED} and state = 'pending'`,
    )
    .pluck(),
  nextInQueue: db
    .prepare<[string, string], number | null>(
      stablePlan`select min(due_at) from outbox where state = 'pending' and queue = ? and merchant = ?`,
    )
    .pluck(),
  unfinishedInLane: db.prepare<
    [number, string],
    Pick<ClaimedRow, 'id' | 'queue' | 'excludes'> & { readonly state: string }
  >(
    stablePlan`select id, queue, excludes, state from outbox where order_id = ? and lane = ? and ${UNFINISHED}`,
  ),
  markRevoked: db.prepare('update outbox set revoked = 1 where id = ?'),
  endClaim: db.prepare(
    'update outbox set state = ?, token = null, lease_until = null where id = ?',
  ),
  remove: db.prepare('delete from outbox where id = ?'),
  expedite: db.prepare(EXPEDITE),
  advance: db.prepare(stablePlan`
    update outbox set state = 'pending'
    where state = 'queued' and id = (select min(id) from outbox where order_id = ? and lane = ? and ${UNFINISHED})`),
  claim: db.prepare(`
    update outbox set state = 'claimed', token = ?, lease_until = ?, attempts = attempts + 1, attempt = ?,
      first_at = coalesce(first_at, ?), started_by = ?, started_at = ?,
      cause = iif(resend_of is null, null, cause)
    where id = ?`),
  insertAttempt: db.prepare(`
    insert into attempts (delivery_id, n, cause, started_at, outcome, duration, status, error, report)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?)`),
  countResend: db
    .prepare<[number], number>(
      'update outbox set attempts = attempts + 1 where id = ? returning attempts',
    )
    .pluck(),
  overdueClaims: db.prepare<[number], ClaimedRow>(
    stablePlan`${CLAIMED_ROWS} where state = 'claimed' and lease_until <= ?`,
  ),
  findClaimed: db.prepare<[number, string], ClaimedRow>(
    stablePlan`${CLAIMED_ROWS} where id = ? and state = 'claimed' and token = ?`,
  ),
  // If another attempt was requested during this one, its due time stays.
  retry: db.prepare(`
    update outbox set state = 'pending', due_at = iif(cause is null, ?, due_at), token = null, lease_until = null
    where id = ?`),
  // If the original is back in its lane by now, it finishes there.
  finishDelivery: db.prepare(
    `update outbox set state = ? where id = ? and state <> 'delivered' and not (${UNFINISHED})`,
  ),
  // Undoes a claim, as if it had never happened. If two attempts run at once, the later one keeps
  // its number.
  unclaim: db.prepare(`
    update outbox set
      attempts = attempts - (attempts = coalesce(attempt, attempts)), first_at = iif(attempts = 1, null, first_at),
      cause = coalesce(cause, nullif(started_by, 'schedule'))
    where id = ?`),
  uncountResend: db.prepare(
    'update outbox set attempts = attempts - 1 where id = ? and attempts = ?',
  ),
  markStuck: db.prepare(
    `update outbox set state = 'stuck', message = ?, token = null, lease_until = null where id = ?`,
  ),
  markDeliveryStuck: db.prepare(
    `update outbox set state = 'stuck', message = ? where id = ? and not (${UNFINISHED})`,
  ),
  retryStuck: db.prepare(`
    update outbox set message = null, due_at = ?, state = iif(
      exists (select 1 from outbox a where a.order_id = outbox.order_id and a.lane = outbox.lane and a.${UNFINISHED}),
      'queued', 'pending')
    where state = 'stuck' and id = ?`),
})
