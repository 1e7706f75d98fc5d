// The part of a statement that adds effects. An effect is pending, queued behind others in its lane, or claimed at once for
// this process. The offer's values are values of the statement; the value after them holds the bytes of all its rows.
import { bytesAt } from '../bytes-beside.ts'

/** An effect's row. */
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
  /** The step that creates it also withdraws it. */
  readonly is_stopped: boolean
  /** This process takes it at once, if it is the next one to be executed in its lane. */
  readonly is_offered: boolean
}

/** A row that was written as claimed. */
export type HandedRow = { readonly id: number; readonly token: string; readonly first_at: number }

/** The values of an offer. Instants and the lease are in milliseconds. */
type Offer = {
  /** Domain time, at the instant of sending. */
  readonly at: number
  readonly sentAt: number
  /** Null: the database's clock is used. */
  readonly realNow: number | null
  readonly lease: number
  /** The prefix of the tokens of all jobs that it claims. */
  readonly token: string
}

// The sequence in which they follow each other among a statement's values.
const VALUE_ORDER: readonly (keyof Offer)[] = ['at', 'sentAt', 'realNow', 'lease', 'token']

export const offerValues = (offer: Offer): readonly unknown[] => VALUE_ORDER.map((name) => offer[name])

/** `first`: the number of the offer's first value. */
const parameter = (name: keyof Offer, first: number): string => `$${first + VALUE_ORDER.indexOf(name)}`

/** The SQL that reads the bytes with this number from the value after the offer's values. */
export const bytesAfterOffer = (first: number, number: string): string => bytesAt(first + VALUE_ORDER.length, number)

/** The SQL for the statement's instant, in real time and in domain time. Its values from `first` on are an offer's. */
export const instantSql = (first: number): string => {
  const realNow = `coalesce(${parameter('realNow', first)}::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint)`
  return `select ${realNow} as real_now, ${parameter('at', first)}::bigint + ${realNow} - ${parameter('sentAt', first)}::bigint as at`
}

/**
 * The SQL that adds the effects in `rows` at the instant in the table `moment`. Their bytes are in the value after the offer's.
 * `isQueued`: the condition under which something goes before `n` in its lane.
 */
export const insertEffectsSql = (rows: string, first: number, orderCondition: string, isQueued: string): string => `
  insert into plazo.outbox (
    order_ref, revision, lane, class, queue, account, event, work, state, due_at, until, behind, made_at, token, lease_until,
    attempts, first_at)
  select s.order_ref, s.revision, s.lane, s.class, s.queue, s.account, s.event, ${bytesAfterOffer(first, 's.work')}, s.state, s.due_at, s.until,
    s.behind, s.made_at, c.token, c.lease_until, coalesce(c.attempts, 0), c.first_at
  from (
    select n.*, case
      when n.is_stopped then 'stopped'
      when ${isQueued}
        or row_number() over (partition by n.order_ref, n.lane, n.is_stopped order by n.n) > 1 then 'queued'
      when n.is_offered and n.due_at <= (select at from moment) and (
        -- It stays pending if any unfinished effect must not run at the same time as its lane.
        select true from plazo.outbox f
        where f.order_ref = n.order_ref and f.behind = n.lane and f.state || '' in ('queued', 'pending', 'claimed') limit 1
      ) is null then 'claimed'
      else 'pending' end as state
    from json_to_recordset(${rows}) as n(
      order_ref uuid, n integer, revision integer, lane text, class text, queue text, account text, event text, work integer,
      due_at bigint, until bigint, behind text, made_at bigint, is_stopped boolean, is_offered boolean)
    where ${orderCondition}) s
  left join lateral (
    select ${parameter('token', first)}::text || '.' || s.n as token, t.real_now + ${parameter('lease', first)}::bigint as lease_until, 1 as attempts,
      t.at as first_at
    from moment t where s.state = 'claimed') c on true
  order by s.n
  returning order_ref, id, token, first_at`
