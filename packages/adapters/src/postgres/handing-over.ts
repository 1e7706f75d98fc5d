// Claims due jobs in the same commit that creates them, and hands them to this process after the commit. Without this, each of
// them would need a claim of its own before it runs.
import { type EffectPayload, effectKey, type Job, type Store, type Taker } from '@plazo/core'
import type { ClaimingOptions } from './claim.ts'
import { encodeToken } from './claim-token.ts'
import { type EffectRow, type HandedRow, offerValues } from './sql/insert-effects.sql.ts'

/** An effect's row, and what else is needed to execute it. */
export type MadeEffect = {
  readonly row: Omit<EffectRow, 'n' | 'is_offered'>
  readonly work: EffectPayload
  readonly merchantRef: string
}

/** One statement's effects. */
type Offered = {
  readonly rows: readonly EffectRow[]
  /** The offer's values among those of the statement. */
  readonly values: readonly unknown[]
  /**
   * To be called after the commit, with the rows that it claimed. `nextDueAt`: when a claim may find something more because of
   * the commit, apart from the effects that it added.
   */
  readonly committed: (handed: readonly HandedRow[], isDone: (orderRef: string) => boolean, nextDueAt: number) => void
  /** To be called if the statement failed, or if its outcome is unknown. */
  readonly failed: () => void
}

export type HandingOver = {
  readonly handOver: Store['handOver']
  readonly offer: (effects: readonly MadeEffect[]) => Offered
  /** Reports that a claim may find something at once. */
  readonly tell: () => void
}

const numberIn = (token: string): number => Number(token.slice(token.lastIndexOf('.') + 1))

const entryOf = ({ row, work, merchantRef }: MadeEffect, { id, token, first_at }: HandedRow): Job => ({
  key: effectKey(row.order_ref, row.revision, row.lane),
  orderRef: row.order_ref,
  merchantRef,
  lane: row.lane,
  work,
  expiresAt: row.until,
  attempt: 1,
  isResend: false,
  firstAt: first_at,
  startedAt: first_at,
  token: encodeToken({ held: token, id, deliveryId: id, attempt: 1, lane: row.lane, isWork: true }),
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
      // Also within this write, no effect may precede it in its lane, it may wait for no lane, and none may wait for its lane.
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
      values: offerValues({
        ...asked,
        sentAt: sent,
        realNow: isClockOurs ? sent : null,
        token: `${boot}.h${offers++}`,
      }),
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
