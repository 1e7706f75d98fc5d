// Finds the merchants with deliveries, and tells when the next job is due, however many are pending.
import { statement } from '../connection/connection.ts'

// When each merchant's first delivery is due. No index begins with the due time of all jobs, so this
// reads the index from one merchant to the next. To find one row, PostgreSQL reads the rest of a page.
// So a step looks at eight rows, and after that at eight for each merchant that the last step found:
// merchants with few jobs cost a part of a step, and one with many costs a whole one.
const firstDueSql = (condition: string): string => `
first_due(queue, merchant, due_at, account, found, is_last) as (
  select queue, '', null::bigint, '' collate "C", 1::bigint, true from unnest(array['event', 'ipn']) as q(queue) where ${condition}
  union all
  select d.queue, n.* from first_due d cross join lateral (
    select merchant, due_at, account, count(*) over (), row_number() over () = count(*) over () from (
      select distinct on (merchant) merchant, due_at, coalesce(account, merchant) collate "C" as account from (
        select merchant, due_at, account from plazo.outbox b
        where b.state = 'pending' and b.queue = d.queue and b.merchant > d.merchant
        order by b.merchant, b.due_at limit least(8 * d.found, 1024)) b
      order by merchant, due_at) b) n
  where d.is_last)`

/**
 * The sub-query `merchants`, and those before it: each merchant with deliveries that are pending or in
 * flight (`count`), one row for each queue. Deliveries that become due during a pause are due at its
 * end. `is_good` is null if the merchant was never called. Nothing is read if `condition` is false.
 *
 * The rows are joined by grouping, which is one pass. The planner would look up each endpoint alone.
 */
export const merchantsSql = (condition = 'true'): string => `${firstDueSql(condition)},
in_flight as materialized (
  select b.queue, b.merchant, coalesce(b.account, b.merchant) collate "C" as account from plazo.outbox b
  where b.state = 'claimed' and b.queue < 'work' and ${condition}),
merchants as materialized (
  select queue, merchant, min(account) as account, sum(count)::integer as count, bool_or(is_good) as is_good,
    min(due_at) is not null as is_pending, greatest(min(due_at), max(paused_until)) as due_at
  from (
    select queue, merchant, account, due_at, 0 as count, null::boolean as is_good, null::bigint as paused_until
    from first_due where due_at is not null
    union all
    select queue, merchant, account, null, 1, null, null from in_flight
    union all
    select kind collate "default", merchant collate "default", null, null, 0, is_good, paused_until from plazo.endpoints
    where merchant = any (array(select merchant from first_due union all select merchant from in_flight))) m
  group by queue, merchant)`

/** When the first job is due, of all queues and of each, and what is in flight or stuck. */
export const NEXT_DUE = statement('outbox-next-due')`
with recursive ${merchantsSql()}
select least(n.work, n.event, n.ipn) as first, row_to_json(n) as "nextDueAt",
  (select count(*)::integer from plazo.outbox where state = 'claimed') as "inFlight",
  (select count(*)::integer from plazo.outbox where state = 'stuck') as "stuckCount",
  array(select distinct merchant from merchants where count > 0 and not is_good limit 100) as "slowMerchants"
from (
  select
    (select min(due_at) from plazo.outbox where state = 'pending' and queue = 'work' and merchant = '') as work,
    min(due_at) filter (where queue = 'event') as event, min(due_at) filter (where queue = 'ipn') as ipn
  from merchants where is_pending) n`
