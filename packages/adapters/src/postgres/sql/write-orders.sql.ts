// The statement that writes steps and results of claimed jobs, of many orders at once. It has three
// chains: orders ($1, with their journal lines $4), claimed jobs ($2), and lanes ($3, with the new
// effects $5). They meet in `accepted_orders`. Each order is written completely or not at all.
//
// The statement is its own transaction and reads one snapshot. If another write comes between the
// snapshot and the locks, the order's version shows it. The statement then skips that order, whose
// caller decides again, and writes the others.
//
// If 64 deliveries are completed together, one costs the database 112 µs and the server 85, on two
// busy cores (117 and 84 with one record set for all). A chain in a statement of its own would cost
// both sides some 300 µs more, however little it writes. Rows of other chains are found by hashed
// lists (`in`), because a lookup of each row in a list is quadratic.
import { statement } from '../connection/connection.ts'
import { belongsToOrder, bytes } from './values.ts'

/** The SQL that appends the lines in `rows` to the journals of `accepted_orders`. */
export const insertLinesSql = (rows: string): string => `
  insert into plazo.journal (order_id, seq, at, event, detail, from_state, to_state, input)
  select d.order_id, l.seq, l.at, l.event, l.detail, l.from_state, l.to_state, ${bytes('l.input')}
  from json_to_recordset(${rows}) as l(
    order_ref uuid, seq integer, at bigint, event text, detail text, from_state text, to_state text, input text)
  join accepted_orders d on d.order_ref = l.order_ref`

/**
 * The SQL that adds the effects in `rows` of `accepted_orders`. An effect is pending, or queued
 * behind others in its lane. `isQueued`: the condition under which something goes before `n` in its
 * lane.
 */
export const insertEffectsSql = (rows: string, isQueued: string): string => `
  insert into plazo.outbox (
    order_id, revision, lane, queue, merchant, account, event, work, state, due_at, expires_at, excludes, made_at, attempts)
  select d.order_id, n.revision, n.lane, n.queue, n.merchant, n.account, n.event, ${bytes('n.work')},
    case
      when n.is_revoked then 'stopped'
      when ${isQueued}
        or row_number() over (partition by d.order_id, n.lane, n.is_revoked order by n.n) > 1 then 'queued'
      else 'pending' end,
    n.due_at, n.expires_at, n.excludes, n.made_at, 0
  from json_to_recordset(${rows}) as n(
    order_ref uuid, n integer, revision integer, lane text, queue text, merchant text, account text, event text, work text,
    due_at bigint, expires_at bigint, excludes text, made_at bigint, is_revoked boolean)
  join accepted_orders d on d.order_ref = n.order_ref
  order by n.n`

const FACT_TEXTS = ['checkout', 'lasting', 'risk', 'cancellation', 'search_1', 'search_2']
const FACT_NUMBERS = ['placed_at', 'changed_at']

/** The columns of an order's facts. */
export const FACTS: readonly string[] = [...FACT_TEXTS, ...FACT_NUMBERS]

/** Their definitions in rows of JSON. */
export const FACT_DEFINITIONS = [
  ...FACT_TEXTS.map((column) => `${column} text`),
  ...FACT_NUMBERS.map((column) => `${column} bigint`),
].join(', ')

// The claimed jobs whose results the write brings (`claimed_jobs`; if `revoked` is null, the claim is
// no longer held), and the orders that it changes (`locked_orders`): the order's version shows whether
// the snapshot is still true once the order is locked. Orders are always locked in the same sequence,
// so two statements cannot deadlock.
const READ_AND_LOCK = `
read_orders as materialized (
  select j.*, o.order_id, o.version
  from json_to_recordset($1) as j(
    n integer, order_ref uuid, merchant_ref text, expected integer, revision integer, snapshot text, requested_reference text,
    held_reference text, released_reference text, changes_task boolean, operator_task text, task_since bigint,
    ${FACT_DEFINITIONS})
  cross join lateral (select id as order_id, version from plazo.orders o where o.order_ref = j.order_ref limit 1) o),
claimed_jobs as materialized (
  select j.*, o.order_id, b.revoked, b.attempt, b.started_at, b.started_by, b.excludes, b.merchant, b.queue,
    b.queue = 'work' as is_work, b.resend_of is not null as is_resend, coalesce(b.resend_of, j.id) as delivery_id,
    j.final_status is null and not b.revoked as stays_pending
  from json_to_recordset($2) as j(
    n integer, order_ref uuid, id bigint, token text, final_status text, due_at bigint, delivery_status text, message text,
    is_not_started boolean, outcome text, duration bigint, status integer, error text, report text, is_good boolean)
  join read_orders o on o.order_ref = j.order_ref
  left join lateral (
    select b.revoked, b.attempt, b.started_at, b.started_by, b.excludes, b.merchant, b.queue, b.resend_of from plazo.outbox b
    where b.order_id = o.order_id and b.id = j.id and b.state || '' = 'claimed' and b.token = j.token limit 1) b on true),
locked_orders as materialized (
  select s.*, l.version = s.version and (s.expected is null or l.revision = s.expected) as is_unchanged,
    s.order_id not in (select order_id from claimed_jobs where revoked is null) as holds_claim
  from (select * from read_orders order by order_id) s
  cross join lateral (
    select o.version, o.revision from plazo.orders o where o.id = s.order_id for update) l)`

// Orders that have not changed, whose claim is held, and whose reference no other order holds
// (`unreserved_orders`). If two orders ask for the same reference at once, only the first one is in
// `accepted_orders`. Everything below is written only for those: first what the steps change, then the
// jobs that are completed, then the lanes.
const ACCEPT = `
unreserved_orders as materialized (
  select j.* from locked_orders j
  left join lateral (
    select true as is_there from plazo.held_references h
    where j.requested_reference is not null and h.merchant_ref = j.merchant_ref and h.reference = j.requested_reference and h.order_id <> j.order_id
    limit 1) other on true
  where j.is_unchanged and j.holds_claim and other.is_there is null),
reserved_references as (
  insert into plazo.held_references (merchant_ref, reference, order_id)
  select merchant_ref, held_reference, order_id from unreserved_orders where held_reference is not null order by merchant_ref, held_reference, n
  on conflict do nothing returning order_id),
accepted_orders as materialized (
  select * from unreserved_orders j where j.held_reference is null or j.order_id in (select order_id from reserved_references))`

// Writes the order itself: its snapshot, references and journal, and why it waits for an operator.
// Its new version tells all other writers that it has changed.
const WRITE_ORDERS = `
updated_orders as (
  update plazo.orders o set version = o.version + 1, revision = coalesce(d.revision, o.revision),
    ${FACTS.map((column) => `${column} = case when d.revision is null then o.${column} else d.${column} end`).join(', ')}
  from accepted_orders d where o.id = any (array[d.order_id])),
released_references as (
  delete from plazo.held_references h using accepted_orders d
  where d.released_reference is not null and h.merchant_ref = any (array[d.merchant_ref]) and h.reference = any (array[d.released_reference])
    and h.order_id = d.order_id),
updated_snapshots as (
  update plazo.snapshots s set snapshot = ${bytes('d.snapshot')}
  from accepted_orders d where ${belongsToOrder('s', 'd')} and d.snapshot is not null),
journal_lines as (${insertLinesSql('$4')}),
opened_tasks as (
  insert into plazo.operator_tasks (order_id, merchant_ref, why, since)
  select order_id, merchant_ref, operator_task, task_since from accepted_orders where changes_task and operator_task is not null
  on conflict (order_id) do update set why = excluded.why, since = excluded.since),
closed_tasks as (
  delete from plazo.operator_tasks t using accepted_orders d
  where ${belongsToOrder('t', 'd')} and d.changes_task and d.operator_task is null)`

// Writes the claimed job and its attempt. The job is removed, finished, or pending again. The
// result of a resend is also written to the row of the delivery that was sent again.
const WRITE_JOBS = `
jobs as materialized (
  select * from claimed_jobs j where (j.order_id in (select order_id from accepted_orders)) is true),
recorded_attempts as (
  insert into plazo.attempts (
    order_id, delivery_id, n, cause, started_at, outcome, duration, status, error, report)
  select order_id, delivery_id, attempt, started_by, started_at, outcome, duration, status, error, ${bytes('report')}
  from jobs where not is_work and is_not_started is not true
  on conflict do nothing),
removed_jobs as (
  delete from plazo.outbox b using jobs d
  where ${belongsToOrder('b', 'd')} and b.id = d.id
    and not d.stays_pending and (d.is_resend or d.is_work and d.final_status is distinct from 'stuck')),
completed_jobs as (
  update plazo.outbox b set
    state = case
      when d.stays_pending then 'pending'
      when d.revoked and d.final_status is distinct from 'stuck' then 'stopped'
      else d.final_status end,
    -- If a later attempt is in flight at the same time, it keeps its number.
    attempts = case when d.is_not_started and not d.is_resend and b.attempts = d.attempt then b.attempts - 1 else b.attempts end,
    first_at = case when d.is_not_started and not d.is_resend and b.attempts = 1 then null else b.first_at end,
    cause = case when d.is_not_started then coalesce(b.cause, nullif(b.started_by, 'schedule')) else b.cause end,
    -- If a resend was requested while it was in flight, it is due at once.
    due_at = case when d.stays_pending and b.cause is null then coalesce(d.due_at, b.due_at) else b.due_at end,
    token = null, lease_until = null, attempt = null, started_at = null, started_by = null,
    message = coalesce(${bytes('d.message')}, b.message)
  from jobs d
  where ${belongsToOrder('b', 'd')} and b.id = d.id
    and (d.stays_pending or not d.is_resend and (not d.is_work or d.final_status = 'stuck'))),
resent_deliveries as (
  update plazo.outbox b set state = d.delivery_status, message = coalesce(${bytes('d.message')}, b.message)
  from jobs d
  where d.is_resend and d.delivery_status is not null and ${belongsToOrder('b', 'd')}
    and b.id = d.delivery_id
    -- A delivery that is back in its lane meanwhile finishes there.
    and b.state not in ('queued', 'pending', 'claimed') and (d.delivery_status = 'stuck' or b.state <> 'delivered')),
uncounted_resends as (
  update plazo.outbox b set attempts = b.attempts - 1
  from jobs d
  where d.is_resend and d.is_not_started and ${belongsToOrder('b', 'd')} and b.id = d.delivery_id and b.attempts = d.attempt)`

// Writes the rows of endpoints. Nodes that write at the same time lock these rows in the same sequence.
// The row of an endpoint that is well is written once a minute, so that nodes seldom wait for each
// other.
const WRITE_ENDPOINTS = `
noted_endpoints as (
  insert into plazo.endpoints as e (merchant, kind, last_good_at, failing_since, failures, is_good)
  select c.merchant, c.kind, c.good_at, case when c.good_at is null then c.failed_at end,
    case when c.good_at is null then c.failures else 0 end, c.is_good
  from (
    select merchant, queue as kind, max(started_at) filter (where error is null) as good_at,
      min(started_at) filter (where error is not null) as failed_at, count(error)::integer as failures,
      (array_agg(is_good order by n desc))[1] as is_good
    from jobs where is_good is not null and not is_work group by 1, 2) c
  left join plazo.endpoints k on k.merchant = c.merchant and k.kind = c.kind
  where c.good_at is null or k.failing_since is not null or k.last_good_at is null or c.good_at - k.last_good_at > 60000
    or k.is_good is distinct from c.is_good
  order by 1, 2
  on conflict (merchant, kind) do update set
    is_good = excluded.is_good,
    last_good_at = greatest(e.last_good_at, excluded.last_good_at),
    failing_since = case when excluded.last_good_at is null then coalesce(e.failing_since, excluded.failing_since) end,
    failures = case when excluded.last_good_at is null then e.failures + excluded.failures else 0 end)`

// The other effects in the lanes that the write touches (`lane_jobs`). They are locked, because a
// claim may have come between. Revoked effects are deleted or stopped, except those in flight. If
// no effect that stays in a lane is pending or claimed, the first one (`is_next`) becomes pending.
const WRITE_LANES = `
lanes as materialized (
  select d.order_id, l.lane, l.revokes, l.expedited_to, l.completed_id, l.leaves_lane
  from json_to_recordset($3) as l(
    order_ref uuid, lane text, revokes boolean, expedited_to bigint, completed_id bigint, leaves_lane boolean)
  join accepted_orders d on d.order_ref = l.order_ref),
lane_jobs as materialized (
  select j.*, j.stays and row_number() over first_staying = 1 and bool_and(j.state = 'queued') over staying as is_next
  from (
    select l.order_id, l.lane, l.revokes is true as revokes, l.expedited_to, b.id, b.queue, b.state, b.excludes,
      b.id is not distinct from l.completed_id as is_completed, l.revokes is not true or b.state = 'claimed' as stays
    from lanes l
    cross join lateral (
      select b.id, b.queue, b.state, b.excludes from plazo.outbox b
      where b.order_id = l.order_id and b.lane = l.lane and b.state in ('queued', 'pending', 'claimed')
        and (b.id is distinct from l.completed_id or l.leaves_lane is not true and not b.revoked)
      for update) b) j
  window staying as (partition by j.order_id, j.lane, j.stays), first_staying as (staying order by j.id)),
deleted_jobs as (
  delete from plazo.outbox b using lane_jobs s
  where ${belongsToOrder('b', 's')} and b.id = s.id and not s.stays and s.queue = 'work'),
updated_jobs as (
  update plazo.outbox b set
    state = case when not s.stays then 'stopped' when s.is_next then 'pending' else s.state end,
    revoked = b.revoked or s.revokes and s.stays,
    due_at = case when s.is_next or s.state = 'pending' then least(b.due_at, s.expedited_to) else b.due_at end
  from lane_jobs s
  where ${belongsToOrder('b', 's')} and b.id = s.id and not s.is_completed and (s.stays or s.queue <> 'work')
    and (s.revokes or s.is_next or s.state = 'pending' and s.expedited_to < b.due_at)
  returning b.order_id, b.state, b.due_at),
inserted_effects as (${insertEffectsSql(
  '$5',
  '(d.order_id, n.lane) in (select order_id, lane from lane_jobs where stays)',
)})`

// A write can unblock jobs in three ways. It frees a lane, so the next job in the lane is due. It
// ends a job, so jobs that exclude its lane are due. It removes a job, so the lane that this job
// excluded is due.
const UNBLOCKED_JOBS = `
select null, null, due_at from updated_jobs where state = 'pending'
union all
select null, null, b.due_at from lanes l cross join lateral (
  select due_at from plazo.outbox b
  where l.completed_id is not null and b.order_id = l.order_id and b.excludes = l.lane and b.state || '' = 'pending' limit 1) b
union all
select null, null, 0 from jobs where excludes is not null
union all
select null, null, 0 from lane_jobs where revokes and excludes is not null`

export const WRITE = statement('orders-write')`
with
${[READ_AND_LOCK, ACCEPT, WRITE_ORDERS, WRITE_JOBS, WRITE_LANES, WRITE_ENDPOINTS].join(',\n')}

select s.order_ref,
  case
    when s.order_id in (select order_id from accepted_orders) then 
      case when s.order_id in (select order_id from jobs where revoked) then 'revoked' else 'done' end
    when not s.is_unchanged then 'changed'
    when not s.holds_claim then 'lost'
    else 'reference_taken' end as outcome,
  null::bigint as due_at
from locked_orders s
union all
${UNBLOCKED_JOBS}`
