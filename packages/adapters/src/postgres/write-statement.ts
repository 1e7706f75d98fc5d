// The one statement that writes: steps and what became of claimed effects, of many orders at once, each whole or not at
// all. It is its own transaction, and its rows are of one instant; what came between that instant and its locks shows in
// the order's version, and then the order is left alone: whoever asked decides again, and the others stand.
import { adding, bytesAfter, instant } from './added-effects.ts'
import type { Statement } from './connection.ts'
import { isOf } from './of-one-order.ts'

// Its first four values are rows.
const OFFER = 5

const bytes = (number: string): string => bytesAfter(OFFER, number)

// A write's rows, one for each order, and what the rows of this statement's instant say of it (`seen`); then whether that still
// stands once they are locked (`still`), always in one order, so that no two statements wait for each other.
const LOOKED_AT = `
job as materialized (
  select * from json_to_recordset($1) as j(
    n integer, order_ref uuid, merchant_ref text, expected integer, revision integer, snapshot integer, asks text, holds text,
    releases text, changes_waiting boolean, waits_for text, waits_since bigint,
    id bigint, token text, delivery_id bigint, is_work boolean, is_beside boolean, ends_as text, due_at bigint,
    delivery_becomes text, message integer, is_unbegun boolean, outcome text, duration bigint, status integer, error text,
    response integer, lets_go_on boolean)),
seen as materialized (
  -- What was handed over is numbered by how many have begun, and so is what a server of the version before has begun, which is
  -- still running and writes an attempt as it begins.
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

// Orders that have not moved, whose claim is held, and whose reference no other holds (`free`); of two that ask at once for the
// same one, whoever came first is `done`. All that follows is written of these alone.
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

// The order itself: its version, which tells all other writes that it has moved, its snapshot, references and journal, and
// why it waits for an operator.
const ORDERS = `
moved as (
  update plazo.orders o set version = o.version + 1, revision = coalesce(d.revision, o.revision),
    has_journal = o.has_journal or coalesce(d.revision > d.expected, false)
  from done d where ${isOf('o', 'd')}),
released as (
  delete from plazo.held_references h using done d
  where d.releases is not null and h.merchant_ref = any (array[d.merchant_ref]) and h.reference = any (array[d.releases])
    and h.order_ref = d.order_ref),
left_as as (
  update plazo.snapshots s set snapshot = ${bytes('d.snapshot')}
  from done d where ${isOf('s', 'd')} and d.snapshot is not null),
told as (
  insert into plazo.journal (order_ref, seq, at, event, detail, from_state, to_state, input)
  select l.order_ref, l.seq, l.at, l.event, l.detail, l.from_state, l.to_state, ${bytes('l.input')}
  from json_to_recordset($2) as l(
    order_ref uuid, seq integer, at bigint, event text, detail text, from_state text, to_state text, input integer)
  where (l.order_ref in (select order_ref from done)) is true),
waits as (
  insert into plazo.waiting (order_ref, number, why, since)
  select order_ref, number, waits_for, waits_since from done where changes_waiting and waits_for is not null
  on conflict (order_ref) do update set why = excluded.why, since = excluded.since),
waits_no_more as (
  delete from plazo.waiting w using done d
  where ${isOf('w', 'd')} and d.changes_waiting and d.waits_for is null)`

// The claimed effect, and its attempt: the effect is removed, ends, or is pending again; a delivery that was sent once more
// stands in another row, which learns of it.
const CLAIMED = `
attempted as (
  insert into plazo.attempts (
    order_ref, delivery_id, n, cause, started_at, outcome, duration, status, error, response)
  select order_ref, delivery_id, attempt, started_by, started_at, outcome, duration, status, error,
    ${bytes('response')}
  from done where not is_work and is_unbegun is not true
  on conflict (order_ref, delivery_id, n) do update set outcome = excluded.outcome, duration = excluded.duration,
    status = excluded.status, error = excluded.error, response = excluded.response
  where attempts.outcome is null),
removed as (
  delete from plazo.outbox b using done d
  where ${isOf('b', 'd')} and b.id = d.id
    and not d.goes_on and (d.is_beside or d.is_work and d.ends_as is distinct from 'stuck')),
concluded as (
  update plazo.outbox b set
    state = case
      when d.goes_on then 'pending'
      when d.withdrawn and d.ends_as is distinct from 'stuck' then 'stopped'
      else d.ends_as end,
    -- Of two attempts at once the later one keeps its number.
    attempts = case when d.is_unbegun and not d.is_beside and b.attempts = d.attempt then b.attempts - 1 else b.attempts end,
    first_at = case when d.is_unbegun and not d.is_beside and b.attempts = 1 then null else b.first_at end,
    cause = case when d.is_unbegun then coalesce(b.cause, nullif(b.started_by, 'schedule')) else b.cause end,
    -- Asked for while it was in flight: at once.
    due_at = case when d.goes_on and b.cause is null then coalesce(d.due_at, b.due_at) else b.due_at end,
    token = null, lease_until = null, attempt = null, started_at = null, started_by = null,
    message = coalesce(${bytes('d.message')}, b.message)
  from done d
  where ${isOf('b', 'd')} and b.id = d.id
    and (d.goes_on or not d.is_beside and (not d.is_work or d.ends_as = 'stuck'))),
concluded_beside as (
  update plazo.outbox b set state = d.delivery_becomes, message = coalesce(${bytes('d.message')}, b.message)
  from done d
  where d.is_beside and d.delivery_becomes is not null and ${isOf('b', 'd')}
    and b.id = d.delivery_id
    -- What has come back into its lane meanwhile ends there.
    and b.state not in ('queued', 'pending', 'claimed') and (d.delivery_becomes = 'stuck' or b.state <> 'delivered')),
uncounted_beside as (
  update plazo.outbox b set attempts = b.attempts - 1
  from done d
  where d.is_beside and d.is_unbegun and ${isOf('b', 'd')} and b.id = d.delivery_id and b.attempts = d.attempt)`

// What else stands in the lanes that the write touches (`standing`): a claim may have come between, which the lock shows. What
// is withdrawn goes, but for what is in flight; of what stays, the first of each lane (`head`) goes on where none is on its way.
const LANES = `
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
  where ${isOf('b', 's')} and b.id = s.id and s.withdraws and s.state <> 'claimed' and s.class = 'work'),
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
  where ${isOf('b', 's')} and b.id = s.id and not s.is_concluded
    and not (s.withdraws and s.state <> 'claimed' and s.class = 'work')
    and (s.withdraws or h.is_missing and h.id = s.id or s.state = 'pending' and s.hastens_to < b.due_at)),
added as (${adding(
  '$4',
  OFFER,
  '(n.order_ref in (select order_ref from done)) is true',
  '(n.order_ref, n.lane) in (select order_ref, lane from head)',
)})`

export const WRITE: Statement = {
  name: 'orders-write',
  text: `
with moment as materialized (${instant(OFFER)}),
${[LOOKED_AT, DONE, ORDERS, CLAIMED, LANES].join(',\n')}

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
