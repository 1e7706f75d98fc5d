// Selects the due jobs of the outbox. Accounts take turns with their deliveries; all other work
// runs in the order in which it became due. Every function here runs inside the caller's
// transaction and writes nothing.
import type { ClaimRequest, QueueName, Trigger } from '@plazo/core/ports'
import { createSharesDecoder } from '../../sql/merchant-shares.ts'
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

/** `share`: the reduced share under which it is claimed. Null: its merchant has the full share. */
export type DueDelivery = { readonly row: DueJobRow; readonly share: number | null }

/**
 * `keyIds`: the master keys that a job may be encrypted under; null: any key. `shares`: merchants'
 * shares, the lists as JSON; null: all merchants have the same.
 */
export type DueRequest = Omit<ClaimRequest, 'shares'> & {
  readonly keyIds: readonly string[] | null
  readonly shares: { readonly others: number; readonly event: string; readonly ipn: string } | null
}

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

// When each merchant's first job is due. This costs two index steps per merchant with pending jobs,
// however many these are.
const NEXT_BY_MERCHANT = stablePlan`
  with recursive q(merchant) as (
    select min(merchant) from outbox where state = 'pending' and queue = ?
    union all
    select (select min(merchant) from outbox where state = 'pending' and queue = ? and merchant > q.merchant)
    from q where q.merchant is not null)
  select q.merchant, (select min(due_at) from outbox where state = 'pending' and queue = ? and merchant = q.merchant) as due_at
  from q where q.merchant is not null`

type MerchantHead = { readonly merchant: string; readonly due_at: number }

/**
 * A merchant with something due. `rank`: how many its account has in flight. `remaining`: how many
 * more the merchant may have.
 */
type WaitingMerchant = {
  readonly merchant: string
  readonly account: string
  readonly due_at: number
  readonly rank: number
  readonly remaining: number
  readonly share: number | null
}

type RankedDelivery = DueDelivery & { readonly account: string; readonly rank: number }

// Rank one of every account goes before rank two of any. Within a rank, the longest wait goes
// first.
const orderByTurn = (ranked: readonly RankedDelivery[]): readonly RankedDelivery[] =>
  ranked.toSorted((a, b) => a.rank - b.rank || a.row.due_at - b.row.due_at || a.row.id - b.row.id)

/**
 * Continues the ranks over all merchants of an account, up to the number that the account may have
 * in flight.
 */
const rankWithinAccounts = (
  deliveries: readonly RankedDelivery[],
  perAccount: number,
): readonly RankedDelivery[] => {
  const counted = new Map<string, number>()
  return orderByTurn(deliveries).flatMap((each) => {
    const next = counted.get(each.account)
    const rank = next === undefined ? each.rank : Math.max(next, each.rank)
    counted.set(each.account, rank + 1)
    return rank < perAccount ? { ...each, rank } : []
  })
}

/**
 * The number of ranks that fill the capacity if every merchant has enough due deliveries.
 * `waiting`: lowest rank first.
 */
const ranksToFill = (waiting: readonly WaitingMerchant[], capacity: number): number => {
  let filled = capacity
  return Math.min(
    ...waiting.map(({ rank }, index) => {
      filled += rank
      return Math.ceil(filled / (index + 1))
    }),
  )
}

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

export const createDueJobs = (db: Database) => {
  const dueUnderAnyKey = db.prepare<[string, string, number, number], DueJobRow>(dueSql(''))
  const dueUnderKeys = db.prepare<[string, string, number, string, number], DueJobRow>(
    dueSql(UNDER_KEYS),
  )
  const inFlight = db.prepare<[string], { readonly merchant: string; readonly count: number }>(
    stablePlan`select merchant, count(*) as count from outbox where state = 'claimed' and queue = ? group by merchant`,
  )
  const sharesInFlight = db.prepare<
    [string],
    { readonly merchant: string; readonly share: number }
  >(
    stablePlan`select merchant, min(share) as share from outbox
     where state = 'claimed' and share is not null and queue = ? group by merchant`,
  )
  const heads = db.prepare<[string, string, string], MerchantHead>(NEXT_BY_MERCHANT)
  const pauses = db.prepare<[string], { readonly merchant: string; readonly until: number }>(
    stablePlan`select merchant, paused_until as until from endpoints where paused_until is not null and kind = ?`,
  )

  // Deliveries that become due during a pause are due at its end.
  const headsOf = (queue: QueueName): readonly MerchantHead[] => {
    const paused = queue === 'work' ? [] : pauses.all(queue)
    const first = heads.all(queue, queue, queue)
    if (paused.length === 0) return first
    const untilOf = new Map(paused.map(({ merchant, until }) => [merchant, until]))
    return first.map(({ merchant, due_at }) => ({
      merchant,
      due_at: Math.max(due_at, untilOf.get(merchant) ?? due_at),
    }))
  }
  const accounts = merchantAccounts(db)
  const sharesOf = { event: createSharesDecoder(), ipn: createSharesDecoder() }

  const readDue = (
    queue: QueueName,
    merchant: string,
    { at, keyIds }: DueRequest,
    limit: number,
  ): readonly DueJobRow[] =>
    keyIds === null
      ? dueUnderAnyKey.all(queue, merchant, at, limit)
      : dueUnderKeys.all(queue, merchant, at, JSON.stringify(keyIds), limit)

  const waitingMerchants = (
    queue: 'event' | 'ipn',
    { at, perMerchant, shares }: DueRequest,
  ): readonly WaitingMerchant[] => {
    const first = headsOf(queue).filter(({ due_at }) => due_at <= at)
    if (first.length === 0) return []
    const inFlightByMerchant = new Map<string, number>()
    const inFlightByAccount = new Map<string, number>()
    for (const { merchant, count } of inFlight.all(queue)) {
      const account = accounts.of(queue, merchant)
      inFlightByMerchant.set(merchant, count)
      inFlightByAccount.set(account, count + (inFlightByAccount.get(account) ?? 0))
    }
    // Another node may have granted a smaller share.
    const grantedShares = new Map(
      sharesInFlight.all(queue).map(({ merchant, share }) => [merchant, share]),
    )
    const others = shares?.others ?? perMerchant
    const listed = shares && sharesOf[queue](shares[queue])
    return first
      .map(({ merchant, due_at }) => {
        const account = accounts.of(queue, merchant)
        const limit = listed?.get(merchant) ?? others
        const share = Math.min(limit, grantedShares.get(merchant) ?? limit)
        return {
          merchant,
          account,
          due_at,
          rank: inFlightByAccount.get(account) ?? 0,
          remaining: share - (inFlightByMerchant.get(merchant) ?? 0),
          share: share < others ? share : null,
        }
      })
      .filter(({ rank, remaining }) => remaining > 0 && rank < perMerchant)
      .toSorted((a, b) => a.rank - b.rank || a.due_at - b.due_at)
  }

  const rankDue = (queue: 'event' | 'ipn', request: DueRequest): readonly RankedDelivery[] => {
    const { perMerchant } = request
    const capacity = request.capacity.deliveries
    const waiting = waitingMerchants(queue, request)
    // Usually each account has only one merchant here, and its ranks are already right.
    const hasSiblings = new Set(waiting.map(({ account }) => account)).size < waiting.length
    const rankIfShared = (ranked: readonly RankedDelivery[]): readonly RankedDelivery[] =>
      hasSiblings ? rankWithinAccounts(ranked, perMerchant) : ranked
    const rowsOf = (
      { merchant, account, rank, share, remaining }: WaitingMerchant,
      limit: number,
    ) =>
      readDue(queue, merchant, request, Math.min(limit, remaining)).map(
        (row, index): RankedDelivery => ({ row, share, account, rank: rank + index }),
      )
    const readRanks = (turns: number): readonly RankedDelivery[] =>
      rankIfShared(
        waiting.flatMap((each) =>
          each.rank < turns ? rowsOf(each, Math.min(turns - each.rank, capacity)) : [],
        ),
      )
    if (waiting.length < capacity) {
      const turns = ranksToFill(waiting, capacity)
      const firstPass = turns < perMerchant ? readRanks(turns) : []
      return firstPass.length < capacity ? readRanks(perMerchant) : firstPass
    }
    // At least as many merchants wait as there is room, so one row of each is enough. Only a
    // merchant whose rank is below that of the last selected row adds more, up to that rank.
    let last: RankedDelivery | undefined
    const firsts: (readonly RankedDelivery[])[] = []
    for (const each of waiting) {
      if (
        last !== undefined &&
        (each.rank > last.rank || (each.rank === last.rank && each.due_at > last.row.due_at))
      )
        break
      firsts.push(rowsOf(each, 1))
      if (firsts.length >= capacity) last = orderByTurn(rankIfShared(firsts.flat()))[capacity - 1]
    }
    const turns = last?.rank ?? perMerchant - 1
    return rankIfShared(
      waiting.slice(0, firsts.length).flatMap((each, index) => {
        const more = Math.min(turns + 1, perMerchant) - each.rank
        return more > 1 ? rowsOf(each, more) : (firsts[index] ?? [])
      }),
    )
  }

  const deliveries = (request: DueRequest): readonly DueDelivery[] =>
    orderByTurn([...rankDue('ipn', request), ...rankDue('event', request)]).slice(
      0,
      request.capacity.deliveries,
    )

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
    nextDueAtOf: (...queues: readonly QueueName[]): number | null => {
      const instants = queues.flatMap(headsOf).map(({ due_at }) => due_at)
      return instants.length === 0 ? null : Math.min(...instants)
    },
    siblingsOf: accounts.siblingsOf,
  }
}
