// The statements that claim due jobs by the rule of `ClaimRequest`. A claim takes one round trip, and
// its cost does not grow with the number of pending jobs. Encrypted payloads are read afterwards, if
// this process does not have them. Leases that have expired are found by a statement of their own.
import { statement } from '../connection/connection.ts'
import type { KeyColumns } from '../encryption/data-keys.ts'
import { firstDueSql, goodFirstDueSql } from './next-due.sql.ts'
import { belongsToOrder } from './values.ts'

export type ClaimedRow = {
  readonly order_ref: string
  readonly id: number
  readonly token: string
  readonly delivery_id: number
  readonly attempt: number
  /** For a resend, its delivery's. */
  readonly lane: string
  readonly queue: string
  readonly is_resend: boolean
  readonly merchant_ref: string
}

export type ClaimRow = ClaimedRow & {
  readonly order_id: number
  readonly revision: number
  /** Null if it is encrypted. */
  readonly plain_work: Buffer | null
  readonly expires_at: number | null
  readonly first_at: number
  readonly started_at: number
  readonly due_at: number
  readonly rank: number
  readonly is_good: boolean
}

/** Every row of a claim has the first two. If no job was claimed, there is one row without a job. */
export type ClaimState = {
  /** False: another claim came first, and this one took nothing. */
  readonly has_turn: boolean
  /** The number of data keys that were replaced. */
  readonly key_changes: number
}

// The parameters of a claim, in the order of their numbers.
/** Domain time of the request, less the real time at which it was sent. */
const AT_OFFSET = '$1::bigint'
/** For tests: real time instead of the database's clock. Null: the database's clock. */
const TEST_CLOCK = '$2::bigint'
const LEASE_MILLIS = '$3::bigint'
const DELIVERIES = '$4::integer'
const NOT_GOOD = '$5::integer'
const INTERNAL = '$6::integer'
/** Null: no limit. */
const PER_ACCOUNT = '$7::integer'
const TOKEN_PREFIX = '$8::text'
/** The master keys that a job may be encrypted under. Null: any key. */
const KEY_IDS = '$9::text[]'

const realNow = (testClock: string): string =>
  `coalesce(${testClock}, (extract(epoch from clock_timestamp()) * 1000)::bigint)`

const CLAIMS_AT = '(select at from turn)'
const CLAIMS_DELIVERIES = `${DELIVERIES} > 0 and ${CLAIMS_AT} is not null`
const FIRST_DELIVERIES = { queues: ['event', 'ipn'], condition: CLAIMS_DELIVERIES }

// One claim runs at a time and sees all earlier ones. It locks the row `claim_turn`, and reads it
// once more in the statement's snapshot. If another claim holds the lock, there is no row. If another
// one committed after the snapshot was taken, the locked version is newer than the one of the
// snapshot, and there is no row either. So no claim counts what is in flight from a snapshot that
// misses a claim, on whatever node.
const TURN = `
turn as materialized (
  select t.now, t.now + ${AT_OFFSET} as at
  from (select version, ${realNow(TEST_CLOCK)} as now from plazo.claim_turn for update skip locked) t
  where t.version = (select version from plazo.claim_turn))`

const IN_FLIGHT = `
in_flight as materialized (
  select b.queue, b.merchant, min(coalesce(b.account, b.merchant) collate "C") as account, count(*)::integer as count
  from plazo.outbox b
  where b.state = 'claimed' and b.queue < 'work' and ${CLAIMS_DELIVERIES} group by b.queue, b.merchant)`

// Some jobs must wait for a lane in flight, so some more merchants are looked at than there is room
// for.
const SPARE_MERCHANTS = 64

// Merchants with a due job and a place for it. `rank` counts the deliveries of an account and
// goodness with those in flight, from 1. PostgreSQL runs a full join by a hash, no matter how many
// rows the planner expects.
const WAITING_MERCHANTS = `
waiting_merchants as materialized (
  select queue, merchant, account, is_good, rank, in_account
  from (
    select r.*, row_number() over (partition by is_good order by rank, due_at) as place
    from (
      select m.*, in_account + row_number() over (partition by queue, account, is_good order by due_at, merchant) as rank
      from (
        select m.*, sum(count) over (partition by queue, account, is_good) as in_account
        from (
          select coalesce(d.queue, f.queue) as queue, coalesce(d.merchant, f.merchant) as merchant, coalesce(d.account, f.account) as account, 
            coalesce(f.count, 0) as count, d.due_at, d.due_at is not null as is_pending,
            (${PER_ACCOUNT} is null or e.is_good) is true as is_good
          from first_due d full join in_flight f on f.queue = d.queue and f.merchant = d.merchant
          left join plazo.endpoints e on e.merchant = coalesce(d.merchant, f.merchant) and e.kind = coalesce(d.queue, f.queue)) m) m
      where is_pending and due_at <= ${CLAIMS_AT} and (is_good or count = 0)) r
    where not is_good or ${PER_ACCOUNT} is null or rank <= ${PER_ACCOUNT}) p
  where place <= case when is_good then ${DELIVERIES} + ${SPARE_MERCHANTS} when ${NOT_GOOD} > 0 then ${NOT_GOOD} + ${SPARE_MERCHANTS} else 0 end)`

// A job that names a lane in `excludes` is never in flight together with a job in that lane; the
// one due first goes first. Both are among the few rows of one order, so the state is concatenated,
// which keeps the planner from an index on it. If keys are named, the job must be encrypted under
// one of them.
const IS_CLAIMABLE = `
  (b.excludes is null or (select true from plazo.outbox a
    where a.order_id = b.order_id and a.lane = b.excludes and a.state || '' = 'claimed' limit 1) is null)
  and (select true from plazo.outbox f
    where f.order_id = b.order_id and f.excludes = b.lane
      and (f.state = 'claimed' or f.state = 'pending' and f.due_at <= b.due_at) limit 1) is null
  and (${KEY_IDS} is null or (select true from plazo.data_keys k
    where k.order_id = b.order_id and k.key_id = any (${KEY_IDS}) limit 1))`

// Twice as many ranks as fill the room if every merchant has so many jobs due. If some have fewer,
// a claim may find less than there is room for, and the next one finds the rest.
const LAST_RANK = `(
  select least(${PER_ACCOUNT}, max(rank) + 2 * ${DELIVERIES} / greatest(count(*), 1)) from waiting_merchants where is_good)`

// The next jobs of these merchants, ranked within their account.
const CANDIDATES = `
candidates as materialized (
  select c.order_id, c.id, c.due_at, w.is_good,
    w.in_account + row_number() over (partition by w.queue, w.account, w.is_good order by c.due_at, c.id) as rank
  from waiting_merchants w cross join lateral (
    select b.order_id, b.id, b.due_at from plazo.outbox b
    where b.state = 'pending' and b.queue = w.queue and b.merchant = w.merchant and b.due_at <= ${CLAIMS_AT} and ${IS_CLAIMABLE}
    order by b.due_at, b.id
    limit case when w.is_good then least(${LAST_RANK} - w.rank + 1, ${DELIVERIES}) else 1 end) c)`

// The first of every account goes before the second of any, and then the longest wait.
const DELIVERIES_CHOSEN = `
deliveries as materialized (
  select b.order_id, b.id, b.lane, b.resend_of, r.rank, r.is_good
  from (
    select * from (
      select c.*, row_number() over (partition by is_good order by rank, due_at, id) as place from candidates c
      where not is_good or ${PER_ACCOUNT} is null or rank <= ${PER_ACCOUNT}) p
    where is_good or place <= ${NOT_GOOD}
    order by rank, due_at, id limit ${DELIVERIES}) r
  cross join lateral (
    select * from plazo.outbox b where b.order_id = r.order_id and b.id = r.id and b.state || '' = 'pending'
    for update skip locked) b)`

// Internal work in the order in which it became due. It also waits for a delivery that this
// statement is about to claim.
const INTERNAL_JOBS = `
internal_jobs as materialized (
  select b.order_id, b.id, b.lane, b.resend_of, 0::bigint as rank, true as is_good from plazo.outbox b
  where b.state = 'pending' and b.queue = 'work' and b.merchant = '' and b.due_at <= ${CLAIMS_AT} and ${IS_CLAIMABLE}
    and (b.order_id, coalesce(b.excludes, '')) not in (select order_id, lane from deliveries where lane is not null)
  order by b.due_at, b.id limit ${INTERNAL} for update skip locked)`

// A delivery that is back in its lane and its resend are two attempts. Both count on the delivery's
// row, which one statement can update only once, so the resend waits for a later claim.
const CLAIMABLE_JOBS = `
claimable_jobs as materialized (
  select * from internal_jobs
  union all
  select * from deliveries d where d.resend_of is null or not exists (
    select from deliveries o where o.order_id = d.order_id and o.id = d.resend_of))`

// Marks the jobs as claimed, and numbers their attempts. A resend counts on the row of its
// delivery.
const CLAIMED_JOBS = `
counted_resends as (
  update plazo.outbox b set attempts = b.attempts + 1
  from claimable_jobs t
  where t.resend_of is not null and ${belongsToOrder('b', 't')} and b.id = t.resend_of
  returning b.order_id, b.id, b.attempts),
claimed_jobs as (
  update plazo.outbox b set state = 'claimed', token = ${TOKEN_PREFIX} || '.' || b.id,
    lease_until = m.now + ${LEASE_MILLIS}, attempts = b.attempts + 1, attempt = coalesce(t.resend_attempts, b.attempts + 1),
    first_at = coalesce(b.first_at, m.at), started_at = m.at, started_by = coalesce(b.cause, 'schedule'),
    cause = case when b.resend_of is null then null else b.cause end
  from (
    select t.order_id, t.id, t.rank, t.is_good, n.attempts as resend_attempts
    from claimable_jobs t left join counted_resends n on n.order_id = t.order_id and n.id = t.resend_of) t, turn m
  where ${belongsToOrder('b', 't')} and b.id = t.id
  returning b.order_id, b.id, b.token, b.revision, b.lane, b.queue, b.work, b.expires_at, b.attempt, b.first_at, b.due_at,
    b.resend_of, b.started_at, t.rank, t.is_good),
turn_advanced as (update plazo.claim_turn set version = version + 1 where exists (select from claimed_jobs))`

// The payload is encrypted, or it is JSON without personal data, which begins with a brace.
const isUnencrypted = (work: string): string => `get_byte(${work}, 0) = ascii('{')`

// The merchants with pending jobs are found by one index step each, then each one's next jobs by
// another, so finished and pending jobs cost nothing. The sub-queries build on each other in this
// order. With 900 merchants that wait and 900 deliveries in flight, a claim takes 19 to 32 ms on two
// busy cores (25 to 35 ms with a share for each merchant), and one for good merchants 5 ms on an idle
// machine. One search over queues by a row comparison took 45 ms. In the same run as graphile-worker,
// deliveries were 0.76 times as fast.
const claimText = (firstDue: string): string => `
with recursive ${[
  TURN,
  firstDue,
  IN_FLIGHT,
  WAITING_MERCHANTS,
  CANDIDATES,
  DELIVERIES_CHOSEN,
  INTERNAL_JOBS,
  CLAIMABLE_JOBS,
  CLAIMED_JOBS,
].join(',')}
select exists (select from turn) as has_turn, k.count as key_changes, c.* from plazo.key_changes k left join (
  select o.order_ref, c.order_id, o.merchant_ref, c.id, c.token, coalesce(c.resend_of, c.id) as delivery_id, c.attempt, c.revision,
    coalesce(c.lane, (select r.lane from plazo.outbox r where r.order_id = c.order_id and r.id = c.resend_of)) as lane,
    c.queue, case when ${isUnencrypted('c.work')} then c.work end as plain_work, c.expires_at, c.first_at, c.started_at, c.due_at,
    c.rank, c.is_good, c.resend_of is not null as is_resend
  from claimed_jobs c
  cross join lateral (select order_ref, merchant_ref from plazo.orders o where o.id = c.order_id limit 1) o) c on true`

export const CLAIM = statement('outbox-claim')`${claimText(firstDueSql(FIRST_DELIVERIES))}`

/** A claim without a place for a merchant that is not good: it steps over most of these. */
export const CLAIM_GOOD = statement(
  'outbox-claim-good',
)`${claimText(goodFirstDueSql(FIRST_DELIVERIES))}`

export type LeasedRow = ClaimedRow & { readonly lease_until: number; readonly is_overdue: boolean }

/** The leases that end first. Those that are over must be released before the next claim. */
export const LEASES = statement('outbox-leases')`
  select o.order_ref, b.id, b.token, b.lane, b.queue, coalesce(b.resend_of, b.id) as delivery_id, coalesce(b.attempt, 0) as attempt,
    b.resend_of is not null as is_resend, b.merchant as merchant_ref, b.lease_until, b.lease_until <= ${realNow('$1::bigint')} as is_overdue
  from plazo.outbox b cross join lateral (select order_ref from plazo.orders o where o.id = b.order_id limit 1) o
  where b.state = 'claimed' order by b.lease_until limit 200`

/** Marks endpoints as not good. */
export const NOTE_SLOW = statement('endpoints-slow')`
  insert into plazo.endpoints as e (merchant, kind, is_good)
  select distinct merchant, kind, false from unnest($1::text[], $2::text[]) as s(merchant, kind) order by merchant, kind
  on conflict (merchant, kind) do update set is_good = false where e.is_good is not false`

export type PayloadRow = KeyColumns & { readonly id: number; readonly work: Buffer }

export const READ_PAYLOADS = statement('outbox-payloads')`
  select b.id, b.work, k.key_id, k.tag, k.ciphertext
  from unnest($1::bigint[], $2::bigint[]) as j(order_id, id)
  cross join lateral (select id, work from plazo.outbox b where b.order_id = j.order_id and b.id = j.id limit 1) b
  cross join lateral (select key_id, tag, ciphertext from plazo.data_keys k where k.order_id = j.order_id limit 1) k`
