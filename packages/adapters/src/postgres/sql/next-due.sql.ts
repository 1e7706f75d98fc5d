// Tells when the next job is due, however many are pending. No index begins with the due time of all
// jobs, so these statements take one index step for each merchant with pending jobs.
import { statement } from '../connection/connection.ts'

/**
 * The sub-query `first_due`: when each merchant's first job is due, in these queues. It takes no step
 * if `condition` is false.
 */
export const firstDueSql = (queues: readonly string[], condition = 'true'): string => `
first_due(queue, merchant, due_at, account) as (
  (select q.queue, n.* from unnest(array['${queues.join(`', '`)}']) as q(queue) cross join lateral (
    select merchant, due_at, coalesce(account, merchant) collate "C" from plazo.outbox b
    where b.state = 'pending' and b.queue = q.queue and ${condition} order by b.merchant, b.due_at limit 1) n)
  union all
  select d.queue, n.* from first_due d cross join lateral (
    select merchant, due_at, coalesce(account, merchant) collate "C" from plazo.outbox b
    where b.state = 'pending' and b.queue = d.queue and b.merchant > d.merchant
    order by b.merchant, b.due_at limit 1) n)`

/**
 * When the first job is due, of all queues and of each, and what is in flight or stuck. Deliveries
 * that become due during a pause are due at its end.
 */
export const NEXT_DUE = statement('outbox-next-due')`
with recursive ${firstDueSql(['work', 'event', 'ipn'])}
select least(n.work, n.event, n.ipn) as first, row_to_json(n) as "nextDueAt",
  (select count(*)::integer from plazo.outbox where state = 'claimed') as "inFlight",
  (select count(*)::integer from plazo.outbox where state = 'stuck') as "stuckCount",
  array(select distinct b.merchant from plazo.outbox b
    join plazo.endpoints e on e.merchant = b.merchant and e.kind = b.queue and not e.is_good
    where b.state = 'claimed' and b.queue < 'work' limit 100) as "slowMerchants"
from (
  select min(due_at) filter (where queue = 'work') as work, min(due_at) filter (where queue = 'event') as event,
    min(due_at) filter (where queue = 'ipn') as ipn
  from (
    select d.queue, greatest(d.due_at, e.paused_until) as due_at from first_due d
    left join plazo.endpoints e on e.paused_until is not null and e.kind = d.queue and e.merchant = d.merchant) d) n`
