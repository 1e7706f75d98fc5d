// The statement that writes steps and results of claimed jobs, of many orders at once. Each order is written completely or not
// at all. The statement is its own transaction and reads one snapshot. If another write comes between the snapshot and the
// locks, the order's version shows it. The statement then skips that order, whose caller decides again, and writes the others.

import { belongsToOrder, type Statement } from '../connection/connection.ts'
import { bytesAfterOffer, insertEffectsSql, instantSql } from './insert-effects.sql.ts'

// The statement's first four values are rows.
const OFFER_POSITION = 5

const bytesSql = (number: string): string => bytesAfterOffer(OFFER_POSITION, number)

// The rows to write, one for each order (`job`); what the snapshot says about each (`seen`); and whether that is still true
// once the orders are locked (`unchanged`). Orders are always locked in the same sequence, so two statements cannot deadlock.
const READ_AND_LOCK = `
job as materialized (
  select * from json_to_recordset($1) as j(
    n integer, order_ref uuid, merchant_ref text, expected integer, revision integer, snapshot integer, asks text, holds text,
    releases text, changes_waiting boolean, waits_for text, waits_since bigint,
    id bigint, token text, delivery_id bigint, is_work boolean, is_beside boolean, ends_as text, due_at bigint,
    delivery_becomes text, message integer, is_unbegun boolean, outcome text, duration bigint, status integer, error text,
    response integer, lets_go_on boolean)),
seen as materialized (
  -- A job that was handed over has no attempt number, so the count of attempts is used. The same is true for a job of a server
  -- of the previous version that is still running. Such a server writes an attempt when it begins.
  select j.*, o.version, coalesce(b.attempt, b.attempts) as attempt, coalesce(b.started_at, b.first_at) as started_at,
    coalesce(b.started_by, 'schedule') as started_by, j.id is null or b.withdrawn is not null as holds_claim,
    j.ends_as is null and not b.withdrawn as goes_on, b.withdrawn
  from job j
  cross join lateral (select version from plazo.orders o where o.order_ref = j.order_ref limit 1) o
  left join lateral (
    select b.withdrawn, b.attempt, b.attempts, b.started_at, b.first_at, b.started_by from plazo.outbox b
    where b.order_ref = j.order_ref and b.id = j.id and b.state || '' = 'claimed' and b.token = j.token limit 1) b on true),
still as materialized (
  select s.*, l.number, l.version = s.version and (s.expected is null or l.revision = s.expected) as stands
  from (select * from seen order by order_ref) s
  cross join lateral (
    select o.version, o.revision, o.number from plazo.orders o where o.order_ref = s.order_ref for update) l)`

// Orders that have not changed, whose claim is held, and whose reference no other order holds (`free`). If two orders ask for
// the same reference at once, only the first one is `done`. Everything below is written only for orders that are `done`.
const DONE = `
free as materialized (
  select j.* from still j
  left join lateral (
    select true as found from plazo.held_references h
    where j.asks is not null and h.merchant_ref = j.merchant_ref and h.reference = j.asks and h.order_ref <> j.order_ref
    limit 1) other on true
  where j.stands and j.holds_claim and other.found is null),
reserved as (
  insert into plazo.held_references (merchant_ref, reference, order_ref)
  select merchant_ref, holds, order_ref from free where holds is not null order by merchant_ref, holds, n
  on conflict do nothing returning order_ref),
done as materialized (
  select * from free j where j.holds is null or j.order_ref in (select order_ref from reserved))`

// Writes the order itself: its snapshot, references and journal, and why it waits for an operator. Its new version tells all
// other writers that it has changed.
const WRITE_ORDERS = `
moved as (
  update plazo.orders o set version = o.version + 1, revision = coalesce(d.revision, o.revision),
    has_journal = o.has_journal or coalesce(d.revision > d.expected, false)
  from done d where ${belongsToOrder('o', 'd')}),
released as (
  delete from plazo.held_references h using done d
  where d.releases is not null and h.merchant_ref = any (array[d.merchant_ref]) and h.reference = any (array[d.releases])
    and h.order_ref = d.order_ref),
left_as as (
  update plazo.snapshots s set snapshot = ${bytesSql('d.snapshot')}
  from done d where ${belongsToOrder('s', 'd')} and d.snapshot is not null),
told as (
  insert into plazo.journal (order_ref, seq, at, event, detail, from_state, to_state, input)
  select l.order_ref, l.seq, l.at, l.event, l.detail, l.from_state, l.to_state, ${bytesSql('l.input')}
  from json_to_recordset($2) as l(
    order_ref uuid, seq integer, at bigint, event text, detail text, from_state text, to_state text, input integer)
  where (l.order_ref in (select order_ref from done)) is true),
waits as (
  insert into plazo.waiting (order_ref, number, why, since)
  select order_ref, number, waits_for, waits_since from done where changes_waiting and waits_for is not null
  on conflict (order_ref) do update set why = excluded.why, since = excluded.since),
waits_no_more as (
  delete from plazo.waiting w using done d
  where ${belongsToOrder('w', 'd')} and d.changes_waiting and d.waits_for is null)`

// Writes the claimed job and its attempt. The job is removed, finished, or pending again. The result of a resend is also
// written to the row of the delivery that was sent again.
const WRITE_CLAIMED_JOBS = `
attempted as (
  insert into plazo.attempts (
    order_ref, delivery_id, n, cause, started_at, outcome, duration, status, error, response)
  select order_ref, delivery_id, attempt, started_by, started_at, outcome, duration, status, error,
    ${bytesSql('response')}
  from done where not is_work and is_unbegun is not true
  on conflict (order_ref, delivery_id, n) do update set outcome = excluded.outcome, duration = excluded.duration,
    status = excluded.status, error = excluded.error, response = excluded.response
  where attempts.outcome is null),
removed as (
  delete from plazo.outbox b using done d
  where ${belongsToOrder('b', 'd')} and b.id = d.id
    and not d.goes_on and (d.is_beside or d.is_work and d.ends_as is distinct from 'stuck')),
concluded as (
  update plazo.outbox b set
    state = case
      when d.goes_on then 'pending'
      when d.withdrawn and d.ends_as is distinct from 'stuck' then 'stopped'
      else d.ends_as end,
    -- If a later attempt is in flight at the same time, it keeps its number.
    attempts = case when d.is_unbegun and not d.is_beside and b.attempts = d.attempt then b.attempts - 1 else b.attempts end,
    first_at = case when d.is_unbegun and not d.is_beside and b.attempts = 1 then null else b.first_at end,
    cause = case when d.is_unbegun then coalesce(b.cause, nullif(b.started_by, 'schedule')) else b.cause end,
    -- If a resend was requested while it was in flight, it is due at once.
    due_at = case when d.goes_on and b.cause is null then coalesce(d.due_at, b.due_at) else b.due_at end,
    token = null, lease_until = null, attempt = null, started_at = null, started_by = null,
    message = coalesce(${bytesSql('d.message')}, b.message)
  from done d
  where ${belongsToOrder('b', 'd')} and b.id = d.id
    and (d.goes_on or not d.is_beside and (not d.is_work or d.ends_as = 'stuck'))),
concluded_beside as (
  update plazo.outbox b set state = d.delivery_becomes, message = coalesce(${bytesSql('d.message')}, b.message)
  from done d
  where d.is_beside and d.delivery_becomes is not null and ${belongsToOrder('b', 'd')}
    and b.id = d.delivery_id
    -- A delivery that is back in its lane meanwhile finishes there.
    and b.state not in ('queued', 'pending', 'claimed') and (d.delivery_becomes = 'stuck' or b.state <> 'delivered')),
uncounted_beside as (
  update plazo.outbox b set attempts = b.attempts - 1
  from done d
  where d.is_beside and d.is_unbegun and ${belongsToOrder('b', 'd')} and b.id = d.delivery_id and b.attempts = d.attempt)`

// The other effects in the lanes that the write touches (`standing`). They are locked, because a claim may have come between.
// Withdrawn effects are deleted or stopped, except those in flight. If no effect that stays in a lane is pending or claimed,
// the first one (`head`) becomes pending.
const WRITE_LANES = `
standing as materialized (
  select l.order_ref, l.lane, l.withdraws, l.hastens_to, b.id, b.class, b.state,
    b.id is not distinct from l.concludes as is_concluded
  from json_to_recordset($3) as l(
    order_ref uuid, lane text, withdraws boolean, hastens_to bigint, concludes bigint, ends boolean)
  cross join lateral (
    select b.id, b.class, b.state from plazo.outbox b
    where b.order_ref = l.order_ref and b.lane = l.lane and b.state in ('queued', 'pending', 'claimed')
      and (b.id is distinct from l.concludes or not l.ends and not b.withdrawn)
    for update) b
  where (l.order_ref in (select order_ref from done)) is true),
staying as materialized (
  select * from standing s where not s.withdraws or s.state = 'claimed'),
head as materialized (
  select order_ref, lane, min(id) as id, bool_and(state = 'queued') as is_missing from staying group by order_ref, lane),
dropped as (
  delete from plazo.outbox b using standing s
  where ${belongsToOrder('b', 's')} and b.id = s.id and s.withdraws and s.state <> 'claimed' and s.class = 'work'),
changed as (
  update plazo.outbox b set
    state = case
      when s.withdraws and s.state <> 'claimed' then 'stopped'
      when h.is_missing and h.id = s.id then 'pending'
      else s.state end,
    withdrawn = b.withdrawn or s.withdraws and s.state = 'claimed',
    due_at = case
      when s.state = 'pending' or h.is_missing and h.id = s.id then least(b.due_at, s.hastens_to)
      else b.due_at end
  from standing s left join head h on h.order_ref = s.order_ref and h.lane = s.lane
  where ${belongsToOrder('b', 's')} and b.id = s.id and not s.is_concluded
    and not (s.withdraws and s.state <> 'claimed' and s.class = 'work')
    and (s.withdraws or h.is_missing and h.id = s.id or s.state = 'pending' and s.hastens_to < b.due_at)),
added as (${insertEffectsSql(
  '$4',
  OFFER_POSITION,
  '(n.order_ref in (select order_ref from done)) is true',
  '(n.order_ref, n.lane) in (select order_ref, lane from head)',
)})`

export const WRITE: Statement = {
  name: 'orders-write',
  text: `
with moment as materialized (${instantSql(OFFER_POSITION)}),
${[READ_AND_LOCK, DONE, WRITE_ORDERS, WRITE_CLAIMED_JOBS, WRITE_LANES].join(',\n')}

select s.order_ref,
  case
    when s.order_ref in (select order_ref from done) then case when s.withdrawn then 'withdrawn' else 'done' end
    when not s.stands then 'moved'
    when not s.holds_claim then 'lost'
    else 'taken' end as came,
  (select min(b.due_at) from plazo.outbox b
    where s.lets_go_on and b.order_ref = s.order_ref and b.state || '' in ('queued', 'pending')) as due_at,
  null::bigint as id, null::text as token, null::bigint as first_at
from still s
union all
select order_ref, 'handed', null, id, token, first_at from added where token is not null`,
}
