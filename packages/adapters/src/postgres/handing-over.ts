// What a commit makes due at once, for whoever takes it: written as claimed, and handed over once the commit is made.
import { type Entry, effectKey, type Store, type Taker, type Work } from '@plazo/core'
import { bytesAt } from './bytes-beside.ts'
import { writeToken } from './claim-token.ts'
import type { ClaimingOptions } from './claiming.ts'

/** An effect as a statement adds it. */
export type EffectRow = {
  readonly order_ref: string
  readonly n: number
  readonly revision: number
  readonly lane: string
  readonly class: string
  readonly queue: string
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

/** An effect as it is written, and what its carrying out needs besides. */
export type MadeEffect = {
  readonly row: Omit<EffectRow, 'n' | 'is_offered'>
  readonly work: Work
  readonly merchantRef: string
}

/** A row that was written as claimed. */
export type HandedRow = { readonly id: number; readonly token: string; readonly first_at: number }

/** One statement's effects. */
type Offered = {
  readonly rows: readonly EffectRow[]
  /** The statement's own, from `at` on. */
  readonly values: readonly unknown[]
  /** It is committed, and has handed over these; a claim may find something from then on, apart from what it added. */
  readonly committed: (handed: readonly HandedRow[], isDone: (orderRef: string) => boolean, nextDueAt: number) => void
  /** It has failed, or nobody knows. */
  readonly failed: () => void
}

export type HandingOver = {
  readonly handOver: Store['handOver']
  readonly offer: (effects: readonly MadeEffect[]) => Offered
  /** A claim may find something at once. */
  readonly tell: () => void
}

/** The instant of a statement whose values from `first` on are an offer's: real, and of the domain. */
export const instant = (first: number): string => {
  const realNow = `coalesce($${first + 2}::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint)`
  return `select ${realNow} as real_now, $${first}::bigint + ${realNow} - $${first + 1}::bigint as at`
}

/**
 * Adds the effects in `rows`, whose bytes are the value after the offer's, at the instant in a table `moment`. `isQueued`:
 * something goes before `n` in its lane.
 */
export const adding = (rows: string, first: number, isOfTheDone: string, isQueued: string): string => `
  insert into plazo.outbox (
    order_ref, revision, lane, class, queue, event, work, state, due_at, until, behind, made_at, token, lease_until,
    attempts, first_at)
  select s.order_ref, s.revision, s.lane, s.class, s.queue, s.event, ${bytesAt(first + 5, 's.work')}, s.state, s.due_at, s.until,
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
      order_ref uuid, n integer, revision integer, lane text, class text, queue text, event text, work integer,
      due_at bigint, until bigint, behind text, made_at bigint, is_stopped boolean, is_offered boolean)
    where ${isOfTheDone}) s
  left join lateral (
    select $${first + 4}::text || '.' || s.n as token, t.real_now + $${first + 3}::bigint as lease_until, 1 as attempts,
      t.at as first_at
    from moment t where s.state = 'claimed') c on true
  order by s.n
  returning order_ref, id, token, first_at`

const numberIn = (token: string): number => Number(token.slice(token.lastIndexOf('.') + 1))

const entryOf = ({ row, work, merchantRef }: MadeEffect, { id, token, first_at }: HandedRow): Entry => ({
  key: effectKey(row.order_ref, row.revision, row.lane),
  orderRef: row.order_ref,
  merchantRef,
  lane: row.lane,
  work,
  until: row.until,
  attempt: 1,
  isResend: false,
  firstAt: first_at,
  startedAt: first_at,
  token: writeToken({ held: token, id, deliveryId: id, attempt: 1, lane: row.lane, isWork: true }),
})

export const handingOver = ({ realNow, isClockOurs, boot }: ClaimingOptions): HandingOver => {
  let taker: Taker | null = null
  let underway = 0
  let offers = 0

  const offer = (effects: readonly MadeEffect[]): Offered => {
    const to = taker
    const asked = { at: 0, lease: 0 }
    const offered = new Set<MadeEffect>()
    const lanes = new Set<string>()
    const waitedFor = new Set(effects.map(({ row }) => `${row.order_ref} ${row.behind}`))
    for (const effect of effects) {
      const { row } = effect
      const lane = `${row.order_ref} ${row.lane}`
      // In this same write, too, nothing goes before it, and it stands neither before nor behind anything.
      const mayBe = row.class === 'work' && !row.is_stopped && row.behind === null
      const isFirst = !lanes.has(lane) && !waitedFor.has(lane)
      if (!row.is_stopped) lanes.add(lane)
      const request = to !== null && mayBe && isFirst ? to.request(underway + offered.size) : null
      if (request === null || row.due_at > request.at) continue
      offered.add(effect)
      Object.assign(asked, request)
    }
    underway += offered.size
    const sent = realNow()
    const ended = (): void => {
      underway -= offered.size
    }
    return {
      rows: effects.map((effect, n) => ({ n, ...effect.row, is_offered: offered.has(effect) })),
      values: [asked.at, sent, isClockOurs ? sent : null, asked.lease, `${boot}.h${offers++}`],
      committed: (handed, isDone, nextDueAt) => {
        ended()
        const taken = new Map(handed.map((row) => [effects[numberIn(row.token)], row]))
        const left = effects.filter((each) => !taken.has(each) && !each.row.is_stopped && isDone(each.row.order_ref))
        const dueAt = Math.min(nextDueAt, ...left.map(({ row }) => row.due_at))
        const entries = [...taken].flatMap(([effect, row]) => (effect === undefined ? [] : entryOf(effect, row)))
        if (entries.length > 0 || dueAt < Number.POSITIVE_INFINITY)
          to?.take(entries, dueAt === Number.POSITIVE_INFINITY ? null : dueAt)
      },
      failed: ended,
    }
  }

  return {
    handOver: (next) => {
      taker = next
    },
    offer,
    tell: () => taker?.take([], Number.NEGATIVE_INFINITY),
  }
}
