// The statement that commits the changes of many orders. Each order is written completely or not at
// all: its row shows by its version whether anybody has changed it since it was read, and if its
// reference is taken, nothing of it is written.
//
// The statement is its own transaction and reads one snapshot. All orders are locked before anything
// is written, always in the same sequence, so that two of these statements cannot deadlock.
//
// A number is counted once in a statement. Other orders that send a code to it are decided again.
//
// $8: for how long it waits for a lock of another transaction.
//
// Rows of each kind are one JSON value, in which `k` is the number of their change. The array `ids` has
// the number of each order that may be written, and 0 for the others: rows find their order in it at
// once, while a join without hashes would compare all rows with all orders.

import { codeIsOfDay, mayGetCode } from '../../sql/code-limits.ts'
import { statement } from '../connection/connection.ts'
import { belongsToOrder, bytes } from './values.ts'

const FACTS = Object.entries({
  checkout: 'checkout',
  lasting: 'lasting',
  risk: 'risk',
  cancellation: 'cancellation',
  search_1: '"search1"',
  search_2: '"search2"',
  placed_at: '"placedAt"',
  changed_at: '"changedAt"',
  person: 'person',
})
const FACT_COLUMNS = FACTS.map(([column]) => column).join(', ')

const ORDERS = `
read_orders as materialized (
  select c.*, o.version is not distinct from c.version as is_current,
    coalesce(o.id, nextval('plazo.orders_id_seq')) as order_id
  from (
    select * from json_to_recordset($1) as c(
      k integer, ref uuid, version integer, "jobCount" integer, placed text, payload text, "keyId" text, tag bigint,
      ciphertext text, merchant text, revision integer, snapshot text, requested text, held text, released text,
      "changesTask" boolean, why text, since bigint, checkout text, lasting text, risk text, cancellation text,
      "search1" text, "search2" text, "placedAt" bigint, "changedAt" bigint, person text, code text, "codeAt" bigint)
    where $8::text is null or set_config('lock_timeout', $8, true) is not null
    order by case when version is null then k end, ref) c
  left join lateral (select id, version from plazo.orders o where o.order_ref = c.ref for update) o on true),
unreserved_orders as materialized (
  select * from read_orders c where is_current and order_id = coalesce(
    (select h.order_id from plazo.held_references h where h.merchant_ref = c.merchant and h.reference = c.requested),
    order_id)),
reserved_references as (
  insert into plazo.held_references (merchant_ref, reference, order_id)
  select merchant, held, order_id from unreserved_orders where held is not null order by merchant, held, k
  on conflict do nothing returning order_id),
reserved_orders as materialized (
  select *, row_number() over (partition by code order by k) as code_turn
  from unreserved_orders where held is null or order_id in (select order_id from reserved_references)),
placed_orders as (
  insert into plazo.orders (id, order_ref, merchant_ref, revision, job_count, ${FACT_COLUMNS})
  select order_id, ref, merchant, revision, "jobCount", ${FACTS.map(([, name]) => name).join(', ')}
  from reserved_orders where version is null
  on conflict do nothing returning id),
counted_codes as (
  insert into plazo.code_counts as c (number, sent_at, last_at)
  select code, array["codeAt"], "codeAt" from reserved_orders where code is not null and code_turn = 1 order by code
  on conflict (number) do update set last_at = excluded.last_at,
    sent_at = excluded.sent_at || array(select s from unnest(c.sent_at) s where ${codeIsOfDay('excluded.last_at', 's')})
  where (
    select ${mayGetCode('excluded.last_at', 's')} from unnest(c.sent_at) s where ${codeIsOfDay('excluded.last_at', 's')})
  returning number),
accepted_orders as materialized (
  select * from reserved_orders where (version is not null or order_id in (select id from placed_orders))
    and (code is null or code_turn = 1 and code in (select number from counted_codes))),
accepted as materialized (
  select array_agg(case when order_id in (select order_id from accepted_orders) then order_id else 0 end order by k) as ids
  from read_orders)`

const WRITE_ORDERS = `
updated_orders as (
  update plazo.orders o set version = o.version + 1, job_count = a."jobCount", revision = coalesce(a.revision, o.revision),
    ${FACTS.map(([column, name]) => `${column} = case when a.revision is null then o.${column} else a.${name} end`).join(', ')}
  from accepted_orders a where a.version is not null and o.id = any (array[a.order_id])),
released_references as (
  delete from plazo.held_references h using accepted_orders a
  where a.released is not null and h.merchant_ref = any (array[a.merchant]) and h.reference = any (array[a.released])
    and h.order_id = a.order_id),
inserted_snapshots as (
  insert into plazo.snapshots (order_id, snapshot)
  select order_id, ${bytes('snapshot')} from accepted_orders where version is null),
updated_snapshots as (
  update plazo.snapshots s set snapshot = ${bytes('a.snapshot')}
  from accepted_orders a where a.version is not null and a.snapshot is not null and ${belongsToOrder('s', 'a')}),
placements as (
  insert into plazo.placements (order_id, placed, payload)
  select order_id, ${bytes('placed')}, ${bytes('payload')} from accepted_orders where version is null),
data_keys as (
  insert into plazo.data_keys (order_id, key_id, tag, ciphertext)
  select order_id, "keyId", tag, ${bytes('ciphertext')} from accepted_orders where version is null),
opened_tasks as (
  insert into plazo.operator_tasks (order_id, merchant_ref, why, since)
  select order_id, merchant, why, since from accepted_orders where why is not null
  on conflict (order_id) do update set why = excluded.why, since = excluded.since),
closed_tasks as (
  delete from plazo.operator_tasks t using accepted_orders a
  where a."changesTask" and a.why is null and ${belongsToOrder('t', 'a')}),
journal_lines as (
  insert into plazo.journal (order_id, seq, at, event, detail, from_state, to_state, input)
  select ids[k], seq, at, event, detail, "from", "to", ${bytes('input')}
  from accepted, json_to_recordset($2) as l(
    k integer, seq integer, at bigint, event text, detail text, "from" text, "to" text, input text)
  where ids[k] > 0)`

const JOB = `
  k integer, n integer, revision integer, lane text, queue text, "merchantRef" text, account text, event text, state text,
  "dueAt" bigint, "expiresAt" bigint, excludes text, attempts integer, tries integer, "firstAt" bigint, "isRevoked" boolean,
  cause text, "resendOf" integer, "madeAt" bigint, message text, work text`

/**
 * The jobs of an array of rows, with the numbers of their orders. Without the offset, the planner could
 * look a job up by its number alone, which every order has.
 */
const jobsOf = (rows: string, columns: string): string => `(
  select ids[k] as order_id, j.* from accepted, json_to_recordset(${rows}) as j(${columns}) where ids[k] > 0 offset 0) j`

// A job that sends a delivery once more sends what the delivery does.
const WRITE_JOBS = `
added_jobs as (
  insert into plazo.outbox (
    order_id, n, revision, lane, queue, merchant, account, event, state, due_at, expires_at, excludes, attempts, tries, first_at,
    revoked, cause, resend_of, made_at, message, work)
  select ids[k], n, revision, lane, queue, "merchantRef", account, event, state, "dueAt", "expiresAt", excludes, attempts, tries,
    "firstAt", "isRevoked", cause, "resendOf", "madeAt", ${bytes('message')}, coalesce(
      ${bytes('work')}, (select b.work from plazo.outbox b where b.order_id = ids[k] and b.n = j."resendOf"))
  from accepted, json_to_recordset($3) as j(${JOB}) where ids[k] > 0),
changed_jobs as (
  update plazo.outbox b set state = j.state, due_at = j."dueAt", attempts = j.attempts, tries = j.tries, first_at = j."firstAt",
    revoked = j."isRevoked", cause = j.cause,
    message = case when j.state = 'stuck' then coalesce(${bytes('j.message')}, b.message) end
  from ${jobsOf('$4', JOB)} where ${belongsToOrder('b', 'j')} and b.n = j.n),
dropped_jobs as (
  delete from plazo.outbox b using ${jobsOf('$5', 'k integer, n integer')}
  where ${belongsToOrder('b', 'j')} and b.n = j.n),
attempts as (
  insert into plazo.attempts (order_id, job, n, cause, started_at, outcome, duration, status, error, report)
  select ids[k], n, number, cause, "startedAt", outcome, "durationMillis", status, error, ${bytes('report')}
  from accepted, json_to_recordset($6) as t(
    k integer, n integer, number integer, cause text, "startedAt" bigint, outcome text, "durationMillis" bigint, status integer,
    error text, report text)
  where ids[k] > 0)`

// Nodes that write at the same time lock the rows of endpoints in the same sequence. The row of an
// endpoint that is well is written once a minute, so that nodes seldom wait for each other.
const WRITE_ENDPOINTS = `
endpoints as (
  insert into plazo.endpoints as e (merchant, kind, last_good_at, failing_since, failures, is_good)
  select n.merchant, n.kind, n.good_at, case when n.good_at is null then n.failed_at end,
    case when n.good_at is null then n.failures else 0 end, n.is_good
  from (
    select merchant, kind, max("startedAt") filter (where "isAccepted") as good_at,
      min("startedAt") filter (where not "isAccepted") as failed_at,
      count(*) filter (where not "isAccepted")::integer as failures, (array_agg("isGood" order by k desc))[1] as is_good
    from accepted, json_to_recordset($7) as a(
      k integer, merchant text, kind text, "startedAt" bigint, "isAccepted" boolean, "isGood" boolean)
    where ids[k] > 0 group by 1, 2) n
  left join plazo.endpoints known on known.merchant = n.merchant and known.kind = n.kind
  where n.good_at is null or known.failing_since is not null or known.last_good_at is null
    or n.good_at - known.last_good_at > 60000 or known.is_good is distinct from n.is_good
  order by 1, 2
  on conflict (merchant, kind) do update set
    is_good = excluded.is_good,
    last_good_at = greatest(e.last_good_at, excluded.last_good_at),
    failing_since = case when excluded.last_good_at is null then coalesce(e.failing_since, excluded.failing_since) end,
    failures = case when excluded.last_good_at is null then e.failures + excluded.failures else 0 end)`

/** Returns for each change its number `k`, what has become of it, and the number of its order. */
export const COMMIT = statement('orders-write')`
with
${[ORDERS, WRITE_ORDERS, WRITE_JOBS, WRITE_ENDPOINTS].join(',')}
select k, order_id as id,
  case
    when order_id in (select order_id from accepted_orders) then 'done'
    when is_current and code in (select number from counted_codes) then 'changed'
    when is_current and code is not null then 'refused'
    when is_current then 'taken'
    when version is null then 'exists'
    else 'changed' end as result
from read_orders`
