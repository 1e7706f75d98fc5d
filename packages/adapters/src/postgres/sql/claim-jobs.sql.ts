// The statements that claim due jobs, and that tell when the next one is due. A claim takes one
// round trip, and its cost does not grow with the number of pending jobs. Encrypted payloads are
// read afterwards, if this process does not have them. These are the sub-queries of a claim, in the
// order in which they build on each other.
//
// - `events, ipns`: when each merchant's first job is due
// - `claim_time … claim_turn_held`: one claim runs at a time and sees all earlier claims
// - `in_flight … waiting_merchants`: the merchants with due jobs and room in their share
// - `turns … ranked_jobs, deliveries`: their jobs, account by account in turns, locked unless a write has locked them
// - `internal_jobs, claimable_jobs`: due internal work, and the jobs that can be claimed together
// - `counted_resends … claimed_jobs`: marks jobs as claimed, and reads what the caller needs to run them
import { statement } from '../connection/connection.ts'
import type { KeyColumns } from '../encryption/data-keys.ts'
import { belongsToOrder } from './values.ts'

export type ClaimRow = {
  /**
   * `state`: a row in which `id` is the number of data keys that were replaced, and `lease_until`
   * when the first lease ends.
   */
  readonly what: 'job' | 'overdue' | 'late' | 'state'
  readonly order_ref: string
  readonly merchant_ref: string
  readonly id: number
  readonly token: string
  readonly delivery_id: number
  readonly attempt: number
  readonly revision: number
  /** For a resend, its delivery's. */
  readonly lane: string
  readonly queue: string
  /** Null if it is encrypted. */
  readonly plain_work: Buffer | null
  readonly expires_at: number | null
  readonly first_at: number
  readonly started_at: number
  readonly due_at: number
  readonly rank: number
  readonly is_resend: boolean
  readonly lease_until: number | null
}

const JOB_COLUMNS =
  'order_ref merchant_ref id token delivery_id attempt revision lane queue plain_work expires_at first_at ' +
  'started_at due_at rank is_resend'
const COLUMNS = `${JOB_COLUMNS} lease_until`

/**
 * Selects one kind of the rows that a claim returns: the columns in `selected`, and null for the
 * others.
 */
const selectKind = (what: ClaimRow['what'], selected: string): string => {
  const columns = COLUMNS.split(' ').map((column) =>
    selected.split(' ').includes(column) ? column : `null as ${column}`,
  )
  return `select '${what}' as what, ${columns.join(', ')}`
}

// The statement's parameters, in the order of their numbers.
const AT = '$1::bigint'
const SENT_AT = '$2::bigint'
const LEASE_MILLIS = '$3::bigint'
const DELIVERY_CAPACITY = '$4::integer'
const INTERNAL_CAPACITY = '$5::integer'
const PER_MERCHANT = '$6::integer'
/** For tests: real time instead of the database's clock. Null: the database's clock. */
const OWN_CLOCK = '$7::bigint'
const TOKEN_PREFIX = '$8::text'
/** The master keys that a job may be encrypted under. Null: any key. */
const KEY_IDS = '$9::text[]'
const EVENT_SHARES = '$10::jsonb'
const IPN_SHARES = '$11::jsonb'
const OTHER_SHARE = '$12::integer'
const CHECKS_LEASES = '$13::boolean'

/**
 * A sub-query `name`: when each merchant's first job is due. A queue holds the jobs of many
 * merchants, and no index begins with the due time of all. So this takes one index step per
 * merchant with pending jobs, and no step if `condition` is false.
 */
const firstDueSql = (name: string, queue: string, condition = 'true'): string => `
${name}(merchant, due_at, account) as (
  (select merchant, due_at, coalesce(account, merchant) from plazo.outbox
    where state = 'pending' and queue = '${queue}' and ${condition} order by merchant, due_at limit 1)
  union all
  select n.merchant, n.due_at, n.account from ${name} q cross join lateral (
    select b.merchant, b.due_at, coalesce(b.account, b.merchant) as account from plazo.outbox b
    where b.state = 'pending' and b.queue = '${queue}' and b.merchant > q.merchant
    order by b.merchant, b.due_at limit 1) n)`

// A claim takes the row `claim_turn`, so that each one sees what the one before it has claimed. If
// another claim holds the row, or held it after this statement took its snapshot, this claim takes
// nothing (`late`). A job whose lease has expired (`overdue`) must be released first.
// `claim_turn_held` has one row if neither is the case, and the time of the claim.
const REAL_NOW = `coalesce(${OWN_CLOCK}, (extract(epoch from clock_timestamp()) * 1000)::bigint)`
const TAKE_TURN = `
claim_time as materialized (select ${REAL_NOW} as real_now, ${AT} + ${REAL_NOW} - ${SENT_AT} as at),
turn_before as materialized (select version from plazo.claim_turn),
turn as materialized (select version from plazo.claim_turn for update skip locked),
leased_jobs as materialized (
  select b.order_ref, b.id, b.token, b.lane, b.queue, coalesce(b.resend_of, b.id) as delivery_id,
    coalesce(b.attempt, 0) as attempt, b.resend_of is not null as is_resend, b.lease_until
  from plazo.outbox b where ${CHECKS_LEASES} and b.state = 'claimed'),
overdue_jobs as materialized (
  select * from leased_jobs where lease_until <= (select real_now from claim_time) limit 200),
claim_turn_held as materialized (
  select t.at, t.real_now from claim_time t
  where exists (select from turn n join turn_before s on s.version = n.version) and not exists (select from overdue_jobs))`

const CLAIMS_AT = '(select at from claim_turn_held)'
const CLAIMS_DELIVERIES = `${DELIVERY_CAPACITY} > 0 and ${CLAIMS_AT} is not null`

// How many jobs each merchant has in flight, and the smallest share under which any of them was
// claimed.
const IN_FLIGHT = `
in_flight as materialized (
  select b.queue, b.merchant, min(coalesce(b.account, b.merchant)) as account, count(*)::integer as count, min(b.share) as share
  from plazo.outbox b
  where b.state = 'claimed' and b.queue in ('event', 'ipn') and ${CLAIMS_DELIVERIES} group by b.queue, b.merchant)`

// All merchants with jobs pending or in flight. PostgreSQL runs a full join by a hash, no matter
// how many rows the planner expects. A nested loop over a thousand merchants and a thousand jobs in
// flight would take a second.
const MERCHANTS = `
merchants as materialized (
  select queue, merchant, coalesce(h.account, f.account) as account, h.due_at, coalesce(f.count, 0) as count, f.share
  from (select 'event' as queue, * from events union all select 'ipn', * from ipns) h
  full join in_flight f using (queue, merchant))`

// Merchants with due jobs and room in their share. `rank`: how many jobs their account has in
// flight. If as many merchants wait as there is room, one job of each is enough. Some more are
// added, because some jobs may have to wait for a lane in flight.
const WAITING_MERCHANTS = `
waiting_merchants as materialized (
  select s.queue, s.merchant, s.account, s.due_at, s.rank, s.share - s.count as remaining,
    case when s.share < ${OTHER_SHARE} then s.share end as share
  from (
    select m.queue, m.merchant, m.account, m.due_at, m.count,
      (sum(m.count) over (partition by m.queue, m.account collate "C"))::integer as rank,
      least(
        coalesce(((case m.queue when 'event' then ${EVENT_SHARES} else ${IPN_SHARES} end) ->> m.merchant)::integer, ${OTHER_SHARE}),
        m.share) as share
    from merchants m) s
  where (s.queue, s.merchant) not in (
      select kind, merchant from plazo.endpoints where paused_until > ${CLAIMS_AT})
    and s.due_at <= ${CLAIMS_AT} and s.rank < ${PER_MERCHANT} and s.count < s.share
  order by s.rank, s.due_at limit ${DELIVERY_CAPACITY} + 64)`

// A job that names a lane in `excludes` is never in flight together with a job in that lane; the
// one due first goes first. Both are among the few rows of one order, so the state is concatenated,
// which keeps the planner from an index on it. If keys are named, the job must be encrypted under
// one of them.
const IS_CLAIMABLE = `
  (b.excludes is null or (select true from plazo.outbox a
    where a.order_ref = b.order_ref and a.lane = b.excludes and a.state || '' = 'claimed' limit 1) is null)
  and (select true from plazo.outbox f
    where f.order_ref = b.order_ref and f.excludes = b.lane
      and (f.state = 'claimed' or f.state = 'pending' and f.due_at <= b.due_at) limit 1) is null
  and (${KEY_IDS} is null or (select true from plazo.data_keys k
    where k.order_ref = b.order_ref and k.key_id = any (${KEY_IDS}) limit 1))`

// The jobs of each merchant with due jobs that fit into the merchant's share. Ranks are counted per
// account, up to `turns`.
const rankedSql = (turns: string): string => `
  select a.order_ref, a.id, a.due_at, a.share, a.rank from (
    select c.order_ref, c.id, c.due_at, w.share,
      w.rank + row_number() over (partition by w.queue, w.account order by c.due_at, c.id) as rank
    from waiting_merchants w cross join lateral (
      select b.order_ref, b.id, b.due_at from plazo.outbox b
      where b.state = 'pending' and b.queue = w.queue and b.merchant = w.merchant and b.due_at <= ${CLAIMS_AT} and ${IS_CLAIMABLE}
      order by b.due_at, b.id limit greatest(0, least(${turns} - w.rank, w.remaining, ${DELIVERY_CAPACITY}))) c) a
  where a.rank <= ${PER_MERCHANT}`

// Every account gets its first job before any account gets a second one; within a rank, the longest
// wait goes first.
//
// There are two passes, because reading every rank is the expensive part: it looks up as many jobs
// of each merchant as a merchant may have in flight. The first pass reads only `turns` ranks, which
// fill the capacity if every account has that many due jobs. That is almost always enough. The
// second pass reads all ranks. PostgreSQL runs it only if the first pass found too few jobs,
// because some accounts have fewer or their jobs wait for a lane.
const RANKED_DELIVERIES = `
turns as materialized (
  select least(${PER_MERCHANT}, min((${DELIVERY_CAPACITY} + sum + n - 1) / n)) as count from (
    select row_number() over ranks as n, (sum(rank) over ranks)::integer as sum from waiting_merchants
    window ranks as (order by rank rows unbounded preceding)) w),
first_ranks as materialized (${rankedSql('(select count from turns)')}),
is_filled as materialized (
  select (select count from turns) = ${PER_MERCHANT} or count(*) >= ${DELIVERY_CAPACITY} as yes from first_ranks),
ranked_jobs as materialized (
  select * from first_ranks where (select yes from is_filled)
  union all
  select * from (${rankedSql(PER_MERCHANT)}) a where not (select yes from is_filled))`

const LOCKED_DELIVERIES = `
deliveries as materialized (
  select b.order_ref, b.id, b.lane, b.resend_of, r.rank, r.share
  from (select * from ranked_jobs order by rank, due_at, id limit ${DELIVERY_CAPACITY}) r
  cross join lateral (
    select * from plazo.outbox b where b.order_ref = r.order_ref and b.id = r.id and b.state || '' = 'pending'
    for update skip locked) b)`

// Internal work in the order in which it became due. It also waits for a delivery that this
// statement is about to claim.
const LOCKED_INTERNAL_JOBS = `
internal_jobs as materialized (
  select b.order_ref, b.id, b.lane, b.resend_of, 0::bigint as rank, null::integer as share from plazo.outbox b
  where b.state = 'pending' and b.queue = 'work' and b.merchant = '' and b.due_at <= ${CLAIMS_AT} and ${IS_CLAIMABLE}
    and (b.order_ref, coalesce(b.excludes, '')) not in (select order_ref, lane from deliveries where lane is not null)
  order by b.due_at, b.id limit ${INTERNAL_CAPACITY} for update skip locked)`

// A delivery that is back in its lane and its resend are two attempts. Both count on the delivery's
// row, which one statement can update only once, so the resend waits for a later claim.
const CLAIMABLE_JOBS = `
claimable_jobs as materialized (
  select * from internal_jobs
  union all
  select * from deliveries d where d.resend_of is null or not exists (
    select from deliveries o where o.order_ref = d.order_ref and o.id = d.resend_of))`

// Marks the jobs as claimed, and numbers their attempts. A resend counts on the row of its
// delivery.
const MARK_CLAIMED = `
counted_resends as (
  update plazo.outbox b set attempts = b.attempts + 1
  from claimable_jobs t
  where t.resend_of is not null and ${belongsToOrder('b', 't')} and b.id = t.resend_of
  returning b.order_ref, b.id, b.attempts),
marked_jobs as (
  update plazo.outbox b set state = 'claimed', token = ${TOKEN_PREFIX} || '.' || b.id,
    lease_until = m.real_now + ${LEASE_MILLIS}, attempts = b.attempts + 1, attempt = coalesce(t.resend_attempts, b.attempts + 1),
    first_at = coalesce(b.first_at, m.at), started_at = m.at, share = t.share, started_by = coalesce(b.cause, 'schedule'),
    cause = case when b.resend_of is null then null else b.cause end
  from (
    select t.order_ref, t.id, t.rank, t.share, n.attempts as resend_attempts
    from claimable_jobs t left join counted_resends n on n.order_ref = t.order_ref and n.id = t.resend_of) t, claim_turn_held m
  where ${belongsToOrder('b', 't')} and b.id = t.id
  returning b.order_ref, b.id, b.token, b.revision, b.lane, b.queue, b.work, b.expires_at, b.attempt, b.first_at, b.due_at,
    b.resend_of, b.started_at, t.rank),
turn_advanced as (update plazo.claim_turn set version = version + 1 where exists (select from marked_jobs))`

// The payload is encrypted, or it is JSON without personal data, which begins with a brace.
const isUnencrypted = (work: string): string => `get_byte(${work}, 0) = ascii('{')`

const CLAIMED_JOBS = `
claimed_jobs as (
  select c.order_ref, o.merchant_ref, c.id, c.token, coalesce(c.resend_of, c.id) as delivery_id, c.attempt, c.revision,
    coalesce(c.lane, (select r.lane from plazo.outbox r where r.order_ref = c.order_ref and r.id = c.resend_of)) as lane,
    c.queue, case when ${isUnencrypted('c.work')} then c.work end as plain_work, c.expires_at, c.first_at, c.started_at, c.due_at,
    c.rank, c.resend_of is not null as is_resend
  from marked_jobs c
  cross join lateral (select merchant_ref from plazo.orders o where o.order_ref = c.order_ref limit 1) o)`

export const CLAIM = statement('outbox-claim')`
with recursive ${[
  firstDueSql('events', 'event', CLAIMS_DELIVERIES),
  firstDueSql('ipns', 'ipn', CLAIMS_DELIVERIES),
  TAKE_TURN,
  IN_FLIGHT,
  MERCHANTS,
  WAITING_MERCHANTS,
  RANKED_DELIVERIES,
  LOCKED_DELIVERIES,
  LOCKED_INTERNAL_JOBS,
  CLAIMABLE_JOBS,
  MARK_CLAIMED,
  CLAIMED_JOBS,
].join(',')}

${selectKind('state', 'id lease_until')} from (
  select count as id, (select min(lease_until) from leased_jobs) as lease_until from plazo.key_changes) k
union all
${selectKind('job', JOB_COLUMNS)} from claimed_jobs
union all
${selectKind('overdue', 'order_ref id token delivery_id attempt lane queue is_resend')} from overdue_jobs
union all
${selectKind('late', '')} where not exists (select from claim_turn_held) and not exists (select from overdue_jobs)`

const QUEUES = ['work', 'event', 'ipn'] as const

// Deliveries that become due during a pause are due at its end.
const minDueSql = (queue: (typeof QUEUES)[number]): string => `
  select min(greatest(q.due_at, p.paused_until)) from ${queue}s q
  left join plazo.endpoints p on p.paused_until is not null and p.kind = '${queue}' and p.merchant = q.merchant`

/** When the first job is due, of all queues and of each, and what is in flight or stuck. */
export const NEXT_DUE = statement('outbox-next-due')`
with recursive ${QUEUES.map((queue) => firstDueSql(`${queue}s`, queue)).join(', ')}
select least(${QUEUES.join(', ')}) as first, row_to_json(n) as "nextDueAt",
  (select count(*)::integer from plazo.outbox where state = 'claimed') as "inFlight",
  (select count(*)::integer from plazo.outbox where state = 'stuck') as "stuckCount",
  array(select distinct merchant from plazo.outbox
    where state = 'claimed' and queue in ('event', 'ipn') and share is not null limit 100) as "slowMerchants"
from (select ${QUEUES.map((queue) => `(${minDueSql(queue)}) as ${queue}`).join(', ')}) n`

export type PayloadRow = KeyColumns & { readonly id: number; readonly work: Buffer }

export const READ_PAYLOADS = statement('outbox-payloads')`
  select b.id, b.work, k.key_id, k.tag, k.ciphertext
  from unnest($1::uuid[], $2::bigint[]) as j(order_ref, id)
  cross join lateral (select id, work from plazo.outbox b where b.order_ref = j.order_ref and b.id = j.id limit 1) b
  cross join lateral (select key_id, tag, ciphertext from plazo.data_keys k where k.order_ref = j.order_ref limit 1) k`
