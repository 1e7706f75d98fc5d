// Selects the due jobs of the outbox. Deliveries follow the rule of `ClaimRequest`; all other work
// runs in the order in which it became due. Every function here runs inside the caller's
// transaction and writes nothing.
import type { ClaimRequest, QueueName, Trigger } from '@plazo/core/ports'
import { type Database, stablePlan } from '../schema/database.ts'

export type DueJobRow = {
  readonly id: number
  readonly order_ref: string
  readonly revision: number
  readonly merchant_ref: string
  /** For a resend, its delivery's. */
  readonly lane: string
  readonly queue: QueueName
  readonly expires_at: number | null
  readonly attempts: number
  readonly first_at: number | null
  readonly due_at: number
  readonly cause: Trigger | null
  readonly resend_of: number | null
  readonly merchant: string
}

type DeliveryQueue = Exclude<QueueName, 'work'>

type DueDelivery = { readonly row: DueJobRow; readonly isGood: boolean }

/** `keyIds`: the master keys that a job may be encrypted under; null: any key. */
export type DueRequest = ClaimRequest & { readonly keyIds: readonly string[] | null }

// Exactly the condition of the index outbox_lane. With any other spelling SQLite does not use the
// index.
export const UNFINISHED = `state in ('queued', 'pending', 'claimed')`

// A job is never in flight together with a job in the lane that it excludes: the earlier one runs
// first.
const dueSql = (keyCondition: string): string => stablePlan`
  select b.id, o.order_ref, o.merchant_ref, b.revision,
    coalesce(b.lane, (select lane from outbox r where r.id = b.resend_of)) as lane, b.queue, b.expires_at, b.attempts, b.first_at,
    b.due_at, b.cause, b.resend_of, b.merchant
  from outbox b join orders o on o.id = b.order_id
  where b.state = 'pending' and b.queue = ? and b.merchant = ? and b.due_at <= ?
    and (b.excludes is null or not exists (
      select 1 from outbox a
      where a.order_id = b.order_id and a.lane = b.excludes and a.${UNFINISHED} and a.state = 'claimed'))
    and not exists (
      select 1 from outbox f
      where f.order_id = b.order_id and f.excludes = b.lane
        and (f.state = 'claimed' or f.state = 'pending' and f.due_at <= b.due_at))
    ${keyCondition}
  order by b.due_at, b.id limit ?`

const UNDER_KEYS = stablePlan`
  and exists (
    select 1 from data_keys k
    where k.order_id = b.order_id and k.key_id in (select value from json_each(?)))`

// When each merchant's first job is due, and whether the merchant is good. This costs three index
// steps per merchant with pending jobs, however many these are.
const firstDueSql = (first: string, next: string, condition = 'true'): string => stablePlan`
  with recursive q(merchant) as (
    select min(merchant) from outbox where state = 'pending' and queue = +@queue and ${first}
    union all
    select (select min(merchant) from outbox where state = 'pending' and queue = +@queue and ${next})
    from q where q.merchant is not null)
  select q.merchant, coalesce(e.is_good, 0) as is_good,
    (select min(due_at) from outbox where state = 'pending' and queue = +@queue and merchant = q.merchant and ${condition}) as due_at
  from q left join endpoints e on e.merchant = q.merchant and e.kind = +@queue
  where q.merchant is not null`

const FIRST_DUE = firstDueSql('true', 'merchant > q.merchant')

// The instant is null for a merchant that has no such job.
const FIRST_DUE_AFTER = firstDueSql('true', 'merchant > q.merchant', 'due_at > +@after')

const fromNextGood = (after: string): string => `merchant >= (
  select min(g.merchant) from endpoints g where g.kind = +@queue and g.is_good = 1 and g.merchant > ${after})`

// When the first job of every good merchant is due. From each merchant it steps to the next good one,
// and from there to the next with pending jobs, which need not be good. So its steps are as many as
// there are good merchants or merchants with pending jobs, whichever are fewer.
const GOOD_FIRST_DUE = firstDueSql(fromNextGood(`''`), fromNextGood('q.merchant'))

const IN_FLIGHT = stablePlan`
  select b.merchant, count(*) as count, coalesce(e.is_good, 0) as is_good
  from outbox b left join endpoints e on e.merchant = b.merchant and e.kind = b.queue
  where b.state = 'claimed' and b.queue = ? group by b.merchant`

type MerchantRow = { readonly merchant: string; readonly is_good: number }
type FirstDue = MerchantRow & { readonly due_at: number }

/** `rank`: counts the deliveries of its account and goodness, with those in flight, from 1. */
type Ranked = { readonly rank: number; readonly dueAt: number; readonly isGood: boolean }

type WaitingMerchant = Ranked & { readonly merchant: string; readonly group: string }

type Candidate = DueDelivery & Ranked & { readonly group: string }

// The first of every account goes before the second of any, and then the longest wait.
const byRank = (a: Ranked, b: Ranked): number => a.rank - b.rank || a.dueAt - b.dueAt

// Some jobs must wait for a lane in flight. So some more merchants are looked at than there is room
// for.
const SPARE_MERCHANTS = 64

// A merchant never changes its account, so this is cached. Each delivery that finishes asks which
// merchants share the account.
const merchantAccounts = (db: Database) => {
  const read = db
    .prepare<[string, string, string, string], string | null>(
      stablePlan`select coalesce(
         (select account from outbox where state = 'pending' and queue = ? and merchant = ? limit 1),
         (select account from outbox where state = 'claimed' and queue = ? and merchant = ? limit 1))`,
    )
    .pluck()
  const accountOfMerchant = new Map<
    string,
    { readonly account: string; readonly merchants: string[] }
  >()
  const merchantsOf = new Map<string, string[]>()

  const loadAccount = (queue: QueueName, merchant: string): string => {
    const account = read.get(queue, merchant, queue, merchant) ?? merchant
    const merchants = merchantsOf.get(account) ?? []
    merchants.push(merchant)
    merchantsOf.set(account, merchants)
    accountOfMerchant.set(merchant, { account, merchants })
    return account
  }

  return {
    of: (queue: QueueName, merchant: string): string =>
      accountOfMerchant.get(merchant)?.account ?? loadAccount(queue, merchant),
    /** The merchants of a merchant's account, including itself, as far as claims have seen them. */
    siblingsOf: (merchant: string): readonly string[] =>
      accountOfMerchant.get(merchant)?.merchants ?? [merchant],
  }
}

const QUEUES: readonly QueueName[] = ['work', 'event', 'ipn']

const earliestOf = (rows: readonly { readonly due_at: number | null }[]): number | null => {
  const instants = rows.map(({ due_at }) => due_at).filter((at) => at !== null)
  return instants.length === 0 ? null : Math.min(...instants)
}

export const createDueJobs = (db: Database) => {
  const dueUnderAnyKey = db.prepare<[string, string, number, number], DueJobRow>(dueSql(''))
  const dueUnderKeys = db.prepare<[string, string, number, string, number], DueJobRow>(
    dueSql(UNDER_KEYS),
  )
  const inFlight = db.prepare<[string], MerchantRow & { readonly count: number }>(IN_FLIGHT)
  const firstDue = db.prepare<{ queue: QueueName }, FirstDue>(FIRST_DUE)
  const goodFirstDue = db.prepare<{ queue: QueueName }, FirstDue>(GOOD_FIRST_DUE)
  const firstDueAfter = db.prepare<
    { queue: QueueName; after: number },
    { readonly due_at: number | null }
  >(FIRST_DUE_AFTER)
  const firstDueOf = (queue: QueueName): readonly FirstDue[] => firstDue.all({ queue })
  const accounts = merchantAccounts(db)

  const readDue = (
    queue: QueueName,
    merchant: string,
    { at, keyIds }: DueRequest,
    limit: number,
  ): readonly DueJobRow[] =>
    keyIds === null
      ? dueUnderAnyKey.all(queue, merchant, at, limit)
      : dueUnderKeys.all(queue, merchant, at, JSON.stringify(keyIds), limit)

  /** The merchants with something due and a place for it, with the rank of their first job. */
  const waitingMerchants = (
    queue: DeliveryQueue,
    { at, perAccount, capacity }: DueRequest,
  ): readonly WaitingMerchant[] => {
    const looksAtAll = perAccount === null || capacity.notGood > 0
    const first = looksAtAll ? firstDueOf(queue) : goodFirstDue.all({ queue })
    const due = first.filter(({ due_at }) => due_at <= at)
    if (due.length === 0) return []
    const isGood = ({ is_good }: MerchantRow): boolean => perAccount === null || is_good === 1
    const groupOf = (each: MerchantRow): string =>
      `${queue} ${isGood(each)} ${accounts.of(queue, each.merchant)}`
    const counts = new Map<string, number>()
    const busyMerchants = new Set<string>()
    for (const each of inFlight.all(queue)) {
      busyMerchants.add(each.merchant)
      counts.set(groupOf(each), (counts.get(groupOf(each)) ?? 0) + each.count)
    }
    return due
      .filter((each) => isGood(each) || !busyMerchants.has(each.merchant))
      .toSorted((a, b) => a.due_at - b.due_at)
      .map((each) => {
        const group = groupOf(each)
        const rank = (counts.get(group) ?? 0) + 1
        counts.set(group, rank)
        return { merchant: each.merchant, group, rank, dueAt: each.due_at, isGood: isGood(each) }
      })
      .filter((each) => !each.isGood || perAccount === null || each.rank <= perAccount)
  }

  /** The jobs of these merchants that their accounts have places for. */
  const candidatesOf = (queue: DeliveryQueue, request: DueRequest): readonly Candidate[] => {
    const { capacity, perAccount } = request
    const waiting = waitingMerchants(queue, request)
    const firstOf = (isGood: boolean, room: number): readonly WaitingMerchant[] =>
      waiting
        .filter((each) => each.isGood === isGood)
        .toSorted(byRank)
        .slice(0, room > 0 ? room + SPARE_MERCHANTS : 0)
    const good = firstOf(true, capacity.deliveries)
    // Twice as many ranks as fill the room if every merchant has so many jobs due. If some have fewer,
    // a claim may find less than there is room for, and the next one finds the rest.
    const ranks = Math.ceil((2 * capacity.deliveries) / good.length)
    const lastRank = Math.min(
      perAccount ?? Number.POSITIVE_INFINITY,
      (good.at(-1)?.rank ?? 0) + ranks,
    )
    const notGood = firstOf(false, Math.min(capacity.notGood, capacity.deliveries))
    const counts = new Map<string, number>()
    for (const { group, rank } of [...good, ...notGood])
      counts.set(group, Math.min(rank - 1, counts.get(group) ?? rank))
    return [...good, ...notGood]
      .flatMap(({ merchant, group, rank, isGood }) => {
        const limit = isGood ? Math.min(lastRank - rank + 1, capacity.deliveries) : 1
        return readDue(queue, merchant, request, limit).map((row) => ({ row, group, isGood }))
      })
      .toSorted((a, b) => a.row.due_at - b.row.due_at || a.row.id - b.row.id)
      .map((each) => {
        const rank = (counts.get(each.group) ?? 0) + 1
        counts.set(each.group, rank)
        return { ...each, rank, dueAt: each.row.due_at }
      })
      .filter(({ isGood, rank }) => !isGood || perAccount === null || rank <= perAccount)
  }

  const deliveries = (request: DueRequest): readonly DueDelivery[] => {
    let placesLeft = request.capacity.notGood
    return [...candidatesOf('ipn', request), ...candidatesOf('event', request)]
      .toSorted((a, b) => byRank(a, b) || a.row.id - b.row.id)
      .filter(({ isGood }) => isGood || placesLeft-- > 0)
      .slice(0, request.capacity.deliveries)
  }

  return {
    /** At most as many as there is room for. */
    deliveries: (request: DueRequest): readonly DueDelivery[] =>
      request.capacity.deliveries > 0 ? deliveries(request) : [],
    work: (request: DueRequest): readonly DueJobRow[] =>
      request.capacity.internal > 0 ? readDue('work', '', request, request.capacity.internal) : [],
    /**
     * When the next pending job of these queues is due, which may lie in the past. Null: none is
     * pending.
     */
    nextDueAtOf: (...queues: readonly QueueName[]): number | null =>
      earliestOf(queues.flatMap(firstDueOf)),
    /** When the next pending job of any queue is due that is due later than `after`. */
    nextDueAfter: (after: number): number | null =>
      earliestOf(QUEUES.flatMap((queue) => firstDueAfter.all({ queue, after }))),
    siblingsOf: accounts.siblingsOf,
  }
}
