// Tells when the next job is due, however many are pending. No index begins with the due time of all
// jobs, so these statements take one index step for each merchant with pending jobs.
import { statement } from '../connection/connection.ts'

const firstJobSql = (queue: string, merchant: string): string => `
  select b.merchant, b.due_at, coalesce(b.account, b.merchant) collate "C" from plazo.outbox b
  where b.state = 'pending' and b.queue = ${queue} and b.merchant ${merchant} order by b.merchant, b.due_at limit 1`

const goodFirstJobSql = (queue: string, merchant: string): string => `
  select n.* from (
    select e.merchant collate "default" as merchant from plazo.endpoints e
    where e.kind = ${queue} and e.is_good and e.merchant collate "default" ${merchant}
    order by e.merchant collate "default" limit 1) g
  cross join lateral (${firstJobSql(queue, '>= g.merchant')}) n`

type FirstDue = {
  readonly queues: readonly string[]
  /** If it is false, no step is taken. */
  readonly condition?: string
}

const firstDue =
  (jobSql: typeof firstJobSql) =>
  ({ queues, condition = 'true' }: FirstDue): string =>
    `
first_due(queue, merchant, due_at, account) as (
  select q.queue, n.* from unnest(array['${queues.join(`', '`)}']) as q(queue)
  cross join lateral (${jobSql('q.queue', `>= '' and ${condition}`)}) n
  union all
  select d.queue, n.* from first_due d cross join lateral (${jobSql('d.queue', '> d.merchant')}) n)`

/** The sub-query `first_due`: when each merchant's first job is due. */
export const firstDueSql = firstDue(firstJobSql)

/**
 * The sub-query `first_due` with every good merchant. From each it steps to the next one, and from
 * there to the next merchant with pending jobs, which need not be good. So its steps are as many as
 * there are good merchants or merchants with pending jobs, whichever are fewer.
 */
export const goodFirstDueSql = firstDue(goodFirstJobSql)

/**
 * When the first job is due, of all queues and of each, and what is in flight or stuck.
 */
export const NEXT_DUE = statement('outbox-next-due')`
with recursive ${firstDueSql({ queues: ['work', 'event', 'ipn'] })}
select least(n.work, n.event, n.ipn) as first, row_to_json(n) as "nextDueAt",
  (select count(*)::integer from plazo.outbox where state = 'claimed') as "inFlight",
  (select count(*)::integer from plazo.outbox where state = 'stuck') as "stuckCount",
  array(select distinct b.merchant from plazo.outbox b
    join plazo.endpoints e on e.merchant = b.merchant and e.kind = b.queue and not e.is_good
    where b.state = 'claimed' and b.queue < 'work' limit 100) as "slowMerchants"
from (
  select min(due_at) filter (where queue = 'work') as work, min(due_at) filter (where queue = 'event') as event,
    min(due_at) filter (where queue = 'ipn') as ipn
  from first_due) n`

/** When the first job is due that is due later than an instant. */
export const NEXT_DUE_AFTER = statement('outbox-next-due-after')`
with recursive ${firstDue((queue, merchant) => firstJobSql(queue, `${merchant} and b.due_at > $1`))({ queues: ['work', 'event', 'ipn'] })}
select min(due_at) as first from first_due`
