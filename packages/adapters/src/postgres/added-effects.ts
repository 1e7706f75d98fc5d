// The effects that a statement adds: pending, queued behind others of their lane, or claimed at once for whoever is offered
// them. What it is offered with are values of the statement's, the bytes of all its rows the value behind these.
import { bytesAt } from './bytes-beside.ts'

/** An effect as a statement adds it. */
export type EffectRow = {
  readonly order_ref: string
  readonly n: number
  readonly revision: number
  readonly lane: string
  readonly class: string
  readonly queue: string
  readonly account: string | null
  readonly event: string | null
  readonly work: Buffer
  readonly due_at: number
  readonly until: number | null
  readonly behind: string | null
  readonly made_at: number
  /** Withdrawn by the very step that makes it. */
  readonly is_stopped: boolean
  /** Somebody takes it, where it is the next to be carried out. */
  readonly is_offered: boolean
}

/** A row that was written as claimed. */
export type HandedRow = { readonly id: number; readonly token: string; readonly first_at: number }

/** What an offer is made with: instants and the lease in milliseconds. */
type Offer = {
  /** The domain's, when it was sent. */
  readonly at: number
  readonly sentAt: number
  /** Null: the database tells it. */
  readonly realNow: number | null
  readonly lease: number
  /** What the tokens of all that it claims begin with. */
  readonly token: string
}

// As they stand among a statement's values, one after the other.
const ORDER: readonly (keyof Offer)[] = ['at', 'sentAt', 'realNow', 'lease', 'token']

export const offerValues = (offer: Offer): readonly unknown[] => ORDER.map((name) => offer[name])

/** `first`: the number of the first of them. */
const parameter = (name: keyof Offer, first: number): string => `$${first + ORDER.indexOf(name)}`

/** Bytes that a row names by their number, in the value that follows the offer's. */
export const bytesAfter = (first: number, number: string): string => bytesAt(first + ORDER.length, number)

/** The instant of a statement whose values from `first` on are an offer's: real, and of the domain. */
export const instant = (first: number): string => {
  const realNow = `coalesce(${parameter('realNow', first)}::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint)`
  return `select ${realNow} as real_now, ${parameter('at', first)}::bigint + ${realNow} - ${parameter('sentAt', first)}::bigint as at`
}

/**
 * Adds the effects in `rows`, whose bytes are the value after the offer's, at the instant in a table `moment`. `isQueued`:
 * something goes before `n` in its lane.
 */
export const adding = (rows: string, first: number, isOfTheDone: string, isQueued: string): string => `
  insert into plazo.outbox (
    order_ref, revision, lane, class, queue, account, event, work, state, due_at, until, behind, made_at, token, lease_until,
    attempts, first_at)
  select s.order_ref, s.revision, s.lane, s.class, s.queue, s.account, s.event, ${bytesAfter(first, 's.work')}, s.state, s.due_at, s.until,
    s.behind, s.made_at, c.token, c.lease_until, coalesce(c.attempts, 0), c.first_at
  from (
    select n.*, case
      when n.is_stopped then 'stopped'
      when ${isQueued}
        or row_number() over (partition by n.order_ref, n.lane, n.is_stopped order by n.n) > 1 then 'queued'
      when n.is_offered and n.due_at <= (select at from moment) and (
        -- It waits where anything stands behind it, or might.
        select true from plazo.outbox f
        where f.order_ref = n.order_ref and f.behind = n.lane and f.state || '' in ('queued', 'pending', 'claimed') limit 1
      ) is null then 'claimed'
      else 'pending' end as state
    from json_to_recordset(${rows}) as n(
      order_ref uuid, n integer, revision integer, lane text, class text, queue text, account text, event text, work integer,
      due_at bigint, until bigint, behind text, made_at bigint, is_stopped boolean, is_offered boolean)
    where ${isOfTheDone}) s
  left join lateral (
    select ${parameter('token', first)}::text || '.' || s.n as token, t.real_now + ${parameter('lease', first)}::bigint as lease_until, 1 as attempts,
      t.at as first_at
    from moment t where s.state = 'claimed') c on true
  order by s.n
  returning order_ref, id, token, first_at`
