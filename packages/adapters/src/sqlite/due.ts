// Selects the due jobs of the outbox. Accounts take turns with their deliveries; all other work runs in the order in which it
// became due. Every function here runs inside the caller's transaction and writes nothing.
import type { ClaimRequest, QueueName, Trigger } from '@plazo/core'
import { earliest } from '../rows/earliest.ts'
import { readingShares } from '../rows/listed-shares.ts'
import type { Database } from './database.ts'

export type DueRow = {
  readonly id: number
  readonly order_ref: string
  readonly revision: number
  readonly merchant_ref: string
  readonly lane: string
  readonly class: QueueName
  readonly until: number | null
  readonly attempts: number
  readonly first_at: number | null
  readonly due_at: number
  readonly cause: Trigger | null
  readonly resend_of: number | null
  readonly queue: string
}

/** `share`: the reduced share under which it is claimed. Null: its merchant has the full share. */
export type DueDelivery = { readonly row: DueRow; readonly share: number | null }

/**
 * `keyIds`: the master keys that a job may be encrypted under; null: any key. `shares`: merchants' shares, the lists as JSON;
 * null: all merchants have the same.
 */
export type DueRequest = Omit<ClaimRequest, 'shares'> & {
  readonly keyIds: readonly string[] | null
  readonly shares: { readonly others: number; readonly event: string; readonly ipn: string } | null
}

type Due = {
  /** At most as many as there is room for. */
  readonly deliveries: (request: DueRequest) => readonly DueDelivery[]
  readonly work: (request: DueRequest) => readonly DueRow[]
  /** When the next pending job of the class is due, which may lie in the past. Null: none is pending. */
  readonly nextOf: (kind: QueueName) => number | null
  /** The merchants of a merchant's account, including itself, as far as claims have seen them. */
  readonly siblingsOf: (queue: string) => readonly string[]
}

// Exactly the condition of the index outbox_lane. With any other spelling SQLite does not use the index.
export const UNFINISHED = `state in ('queued', 'pending', 'claimed')`

// A job and another job that is `behind` its lane are never in flight together: the earlier one runs first.
const due = (sealed: string): string => `
  select b.id, o.order_ref, o.merchant_ref, b.revision, b.lane, b.class, b.until, b.attempts, b.first_at, b.due_at,
    b.cause, b.resend_of, b.queue
  from outbox b join orders o on o.id = b.order_id
  where b.state = 'pending' and b.class = ? and b.queue = ? and b.due_at <= ?
    and (b.behind is null or not exists (
      select 1 from outbox a
      where a.order_id = b.order_id and a.lane = b.behind and a.${UNFINISHED} and a.state = 'claimed'))
    and not exists (
      select 1 from outbox f
      where f.order_id = b.order_id and f.behind = b.lane
        and (f.state = 'claimed' or f.state = 'pending' and f.due_at <= b.due_at))
    ${sealed}
  order by b.due_at, b.id limit ?`

const UNDER = `
  and exists (
    select 1 from data_keys k
    where k.order_id = b.order_id and k.key_id in (select value from json_each(?)))`

// When each merchant's first job is due. This costs two index steps per merchant with pending jobs, however many these are.
const HEADS = `
  with recursive q(queue) as (
    select min(queue) from outbox where state = 'pending' and class = ?
    union all
    select (select min(queue) from outbox where state = 'pending' and class = ? and queue > q.queue)
    from q where q.queue is not null)
  select q.queue, (select min(due_at) from outbox where state = 'pending' and class = ? and queue = q.queue) as due_at
  from q where q.queue is not null`

type Head = { readonly queue: string; readonly due_at: number }

/** A merchant with something due. `rank`: how many its account has in flight. `room`: how many more the merchant may have. */
type Waiting = {
  readonly queue: string
  readonly account: string
  readonly due_at: number
  readonly rank: number
  readonly room: number
  readonly share: number | null
}

type Ranked = DueDelivery & { readonly account: string; readonly rank: number }

// Rank one of every account goes before rank two of any. Within a rank, the longest wait goes first.
const inTurns = (ranked: readonly Ranked[], limit: number): readonly Ranked[] =>
  ranked.toSorted((a, b) => a.rank - b.rank || a.row.due_at - b.row.due_at || a.row.id - b.row.id).slice(0, limit)

/** Continues the ranks over all merchants of an account, up to the number that the account may have in flight. */
const withinAccounts = (found: readonly Ranked[], perAccount: number): readonly Ranked[] => {
  const counted = new Map<string, number>()
  const ordered = found.toSorted((a, b) => a.rank - b.rank || a.row.due_at - b.row.due_at || a.row.id - b.row.id)
  return ordered.flatMap((each) => {
    const next = counted.get(each.account)
    const rank = next === undefined ? each.rank : Math.max(next, each.rank)
    counted.set(each.account, rank + 1)
    return rank < perAccount ? { ...each, rank } : []
  })
}

/** The number of ranks that fill the room if every merchant has enough due deliveries. `waiting`: lowest rank first. */
const turnsFor = (waiting: readonly Waiting[], room: number): number => {
  let filled = room
  return Math.min(
    ...waiting.map(({ rank }, index) => {
      filled += rank
      return Math.ceil(filled / (index + 1))
    }),
  )
}

// A merchant never changes its account, so this is cached. Each delivery that finishes asks which merchants share the account.
const merchantAccounts = (db: Database) => {
  const read = db
    .prepare<[string, string, string, string], string | null>(
      `select coalesce(
         (select account from outbox where state = 'pending' and class = ? and queue = ? limit 1),
         (select account from outbox where state = 'claimed' and class = ? and queue = ? limit 1))`,
    )
    .pluck()
  const known = new Map<string, { readonly account: string; readonly queues: string[] }>()
  const queuesOf = new Map<string, string[]>()

  const learn = (kind: QueueName, queue: string): string => {
    const account = read.get(kind, queue, kind, queue) ?? queue
    const queues = queuesOf.get(account) ?? []
    queues.push(queue)
    queuesOf.set(account, queues)
    known.set(queue, { account, queues })
    return account
  }

  return {
    of: (kind: QueueName, queue: string): string => known.get(queue)?.account ?? learn(kind, queue),
    siblingsOf: (queue: string): readonly string[] => known.get(queue)?.queues ?? [queue],
  }
}

export const dueEntries = (db: Database): Due => {
  const sealedAnyhow = db.prepare<[string, string, number, number], DueRow>(due(''))
  const sealedUnder = db.prepare<[string, string, number, string, number], DueRow>(due(UNDER))
  const inFlight = db.prepare<[string], { readonly queue: string; readonly count: number }>(
    `select queue, count(*) as count from outbox where state = 'claimed' and class = ? group by queue`,
  )
  const sharesInFlight = db.prepare<[string], { readonly queue: string; readonly share: number }>(
    `select queue, min(share) as share from outbox
     where state = 'claimed' and share is not null and class = ? group by queue`,
  )
  const heads = db.prepare<[string, string, string], Head>(HEADS)
  const accounts = merchantAccounts(db)
  const sharesOf = { event: readingShares(), ipn: readingShares() }

  const dueIn = (kind: QueueName, queue: string, { at, keyIds }: DueRequest, limit: number): readonly DueRow[] =>
    keyIds === null
      ? sealedAnyhow.all(kind, queue, at, limit)
      : sealedUnder.all(kind, queue, at, JSON.stringify(keyIds), limit)

  const waitingFor = (kind: 'event' | 'ipn', { at, perMerchant, shares }: DueRequest): readonly Waiting[] => {
    const first = heads.all(kind, kind, kind).filter(({ due_at }) => due_at <= at)
    if (first.length === 0) return []
    const flying = new Map<string, number>()
    const ofAccounts = new Map<string, number>()
    for (const { queue, count } of inFlight.all(kind)) {
      const account = accounts.of(kind, queue)
      flying.set(queue, count)
      ofAccounts.set(account, count + (ofAccounts.get(account) ?? 0))
    }
    // Another node may have granted a smaller share.
    const granted = new Map(sharesInFlight.all(kind).map(({ queue, share }) => [queue, share]))
    const others = shares?.others ?? perMerchant
    const listed = shares && sharesOf[kind](shares[kind])
    return first
      .map(({ queue, due_at }) => {
        const account = accounts.of(kind, queue)
        const own = listed?.get(queue) ?? others
        const share = Math.min(own, granted.get(queue) ?? own)
        return {
          ...{ queue, account, due_at },
          rank: ofAccounts.get(account) ?? 0,
          room: share - (flying.get(queue) ?? 0),
          share: share < others ? share : null,
        }
      })
      .filter(({ rank, room }) => room > 0 && rank < perMerchant)
      .toSorted((a, b) => a.rank - b.rank || a.due_at - b.due_at)
  }

  const dueOf = (kind: 'event' | 'ipn', request: DueRequest): readonly Ranked[] => {
    const { perMerchant } = request
    const room = request.room.deliveries
    const waiting = waitingFor(kind, request)
    // Usually each account has only one merchant here, and its ranks are already right.
    const hasSiblings = new Set(waiting.map(({ account }) => account)).size < waiting.length
    const ranked = (found: readonly Ranked[]): readonly Ranked[] =>
      hasSiblings ? withinAccounts(found, perMerchant) : found
    const rowsOf = ({ queue, account, rank, share, room: own }: Waiting, limit: number) =>
      dueIn(kind, queue, request, Math.min(limit, own)).map(
        (row, index): Ranked => ({ row, share, account, rank: rank + index }),
      )
    const upTo = (turns: number): readonly Ranked[] =>
      ranked(waiting.flatMap((each) => (each.rank < turns ? rowsOf(each, Math.min(turns - each.rank, room)) : [])))
    if (waiting.length < room) {
      const turns = turnsFor(waiting, room)
      const few = turns < perMerchant ? upTo(turns) : []
      return few.length < room ? upTo(perMerchant) : few
    }
    // At least as many merchants wait as there is room, so one row of each is enough. Only a merchant whose rank is below that
    // of the last selected row adds more, up to that rank.
    let last: Ranked | undefined
    const firsts: (readonly Ranked[])[] = []
    for (const each of waiting) {
      if (last !== undefined && (each.rank > last.rank || (each.rank === last.rank && each.due_at > last.row.due_at)))
        break
      firsts.push(rowsOf(each, 1))
      if (firsts.length >= room) last = inTurns(ranked(firsts.flat()), room)[room - 1]
    }
    const turns = last?.rank ?? perMerchant - 1
    return ranked(
      waiting.slice(0, firsts.length).flatMap((each, index) => {
        const more = Math.min(turns + 1, perMerchant) - each.rank
        return more > 1 ? rowsOf(each, more) : (firsts[index] ?? [])
      }),
    )
  }

  const deliveries = (request: DueRequest): readonly DueDelivery[] =>
    inTurns([...dueOf('ipn', request), ...dueOf('event', request)], request.room.deliveries)

  return {
    deliveries: (request) => (request.room.deliveries > 0 ? deliveries(request) : []),
    work: (request) => (request.room.work > 0 ? dueIn('work', '', request, request.room.work) : []),
    nextOf: (kind) => earliest(heads.all(kind, kind, kind).map(({ due_at }) => due_at)),
    siblingsOf: accounts.siblingsOf,
  }
}
