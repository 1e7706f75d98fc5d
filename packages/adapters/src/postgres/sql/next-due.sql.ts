// The statement that tells when the next job is due, and how many are in flight or stuck. A queue holds the jobs of many merchants,
// and no index begins with the due time of all. So it looks at each merchant's first job, as a claim does.
import type { Statement } from '../connection/connection.ts'

/**
 * A sub-query `name`: when each merchant's first job is due. It takes one index step per merchant with pending jobs, no matter how
 * many jobs these are, and no step if `condition` is false.
 */
export const firstDueSql = (name: string, queue: string, condition = 'true'): string => `
${name}(merchant, due_at, account) as (
  (select merchant, due_at, coalesce(account, merchant) from plazo.outbox
    where state = 'pending' and queue = '${queue}' and ${condition} order by merchant, due_at limit 1)
  union all
  select n.merchant, n.due_at, n.account from ${name} q cross join lateral (
    select b.merchant, b.due_at, coalesce(b.account, b.merchant) as account from plazo.outbox b
    where b.state = 'pending' and b.queue = '${queue}' and b.merchant > q.merchant
    order by b.merchant, b.due_at limit 1) n)`

const QUEUES = ['work', 'event', 'ipn'] as const

export const NEXT_DUE: Statement = {
  name: 'outbox-next-due',
  text: `
with recursive ${QUEUES.map((queue) => firstDueSql(`${queue}s`, queue)).join(', ')}
select n.*, least(${QUEUES.join(', ')}) as first,
  (select count(*)::integer from plazo.outbox where state = 'claimed') as in_flight,
  (select count(*)::integer from plazo.outbox where state = 'stuck') as stuck,
  array(select distinct merchant from plazo.outbox
    where state = 'claimed' and queue in ('event', 'ipn') and share is not null limit 100) as slow
from (select ${QUEUES.map((queue) => `(select min(due_at) from ${queue}s) as ${queue}`).join(', ')}) n`,
}

export type NextDue = {
  /** Of all queues. */
  readonly first: number | null
  readonly work: number | null
  readonly event: number | null
  readonly ipn: number | null
  readonly in_flight: number
  readonly stuck: number
  readonly slow: readonly string[]
}
