// Runs the write statement: one statement writes steps and results of claimed jobs of many orders.
// Here are the shapes of its rows and of its result. An absent field of a row is null, and costs
// nothing.
import type { JournalLine } from '@plazo/core'
import type { FinalStatus, OrderFacts, Outcome } from '@plazo/core/ports'
import type { Query } from '../connection/connection.ts'
import { encodeNumbered } from '../sql/values.ts'
import { WRITE } from '../sql/write-orders.sql.ts'

/** One order's part of a statement: a step, the result of a claimed job, or both. */
export type OrderChange = {
  readonly order: StepRow | UnchangedOrderRow
  readonly job: JobRow | null
  readonly lines: readonly LineRow[]
  readonly lanes: readonly LaneRow[]
  readonly effects: readonly EffectRow[]
  /** A claim may find a job because of the change from this instant on. Infinite: it does not. */
  readonly nextDueAt: number
}

/** `expected`: the revision that was decided on. Absent: nothing was decided. */
type UnchangedOrderRow = { readonly order_ref: string; readonly expected?: number }

export const toFactsRow = ({ placedAt, changedAt, search1, search2, ...facts }: OrderFacts) => ({
  ...facts,
  placed_at: placedAt,
  changed_at: changedAt,
  search_1: search1,
  search_2: search2,
})

type StepRow = ReturnType<typeof toFactsRow> & {
  readonly order_ref: string
  readonly merchant_ref: string
  /** The revision that the step was decided on. */
  readonly expected: number
  readonly revision: number
  /** Base64, as all bytes in rows. */
  readonly snapshot: string
  /**
   * `requested_reference`: no other order of the merchant may hold it. `held_reference`: the order
   * holds it from now on. `released_reference`: the order no longer holds it.
   */
  readonly requested_reference: string | undefined
  readonly held_reference: string | undefined
  readonly released_reference: string | undefined
  /**
   * Why the order waits for an operator from now on, and since when. Undefined: it does not wait.
   */
  readonly changes_task: boolean
  readonly operator_task: string | undefined
  readonly task_since: number | undefined
}

export type LineRow = Pick<JournalLine, 'seq' | 'at' | 'event'> & {
  readonly order_ref: string
  readonly detail: string | undefined
  readonly from_state: string
  readonly to_state: string
  readonly input: string | undefined
}

/** A lane that the write touches. */
export type LaneRow = {
  readonly order_ref: string
  readonly lane: string
  readonly revokes?: true
  /** Pending effects in the lane become due at this instant at the latest. */
  readonly expedited_to?: number
  /**
   * The claimed job in this lane that the write completes, and whether it leaves the lane for good.
   */
  readonly completed_id?: number
  readonly leaves_lane?: boolean
}

/** An effect that the step adds. */
export type EffectRow = {
  readonly order_ref: string
  readonly revision: number
  readonly lane: string
  readonly queue: string
  readonly merchant: string
  readonly account: string | undefined
  readonly event: string | undefined
  readonly work: string
  readonly due_at: number
  readonly expires_at: number | undefined
  readonly excludes: string | undefined
  readonly made_at: number
  /** The step that creates it also revokes it. */
  readonly is_revoked?: true
}

/** When the first of these effects is due. Infinite: none is. */
export const firstDueAt = (effects: readonly EffectRow[]): number =>
  Math.min(...effects.flatMap(({ is_revoked, due_at }) => (is_revoked ? [] : due_at)))

/** The result of a claimed job. */
export type JobRow = {
  readonly order_ref: string
  readonly id: number
  readonly token: string
  /** Absent: the job is pending again. */
  readonly final_status?: FinalStatus | 'stuck'
  /** When it is due again. Absent: unchanged. */
  readonly due_at?: number
  /** For a resend: the new state of the finished delivery. Absent: unchanged. */
  readonly delivery_status?: FinalStatus | 'stuck'
  readonly message?: string
  /** Released as if it had never been claimed. */
  readonly is_not_started?: true
  readonly outcome: Outcome
  readonly duration?: number | null
  readonly status?: number | null
  readonly error?: string | null
  readonly report?: string
  /** Absent: the shop was not called. */
  readonly is_good?: boolean | null
}

/**
 * `revoked`: done, and the claimed job was revoked while it was in flight. `changed`: the order has
 * changed since this was decided. `reference_taken`: another order holds the reference. `lost`: the
 * claim is no longer held.
 */
export type WriteOutcome = 'done' | 'revoked' | 'changed' | 'reference_taken' | 'lost'

type Row =
  | { readonly order_ref: string; readonly outcome: WriteOutcome; readonly due_at: null }
  | { readonly order_ref: string; readonly outcome: null; readonly due_at: number }

export const writeOrders = async (query: Query, changes: readonly OrderChange[]) => {
  const rows = await query<Row>(
    WRITE,
    encodeNumbered(changes.map(({ order }) => order)),
    encodeNumbered(changes.flatMap(({ job }) => job ?? [])),
    JSON.stringify(changes.flatMap(({ lanes }) => lanes)),
    JSON.stringify(changes.flatMap(({ lines }) => lines)),
    encodeNumbered(changes.flatMap(({ effects }) => effects)),
  )
  return {
    /** The outcome for each order. An order that no longer exists has none. */
    outcomes: new Map(
      rows.flatMap(({ order_ref, outcome }) => (outcome === null ? [] : [[order_ref, outcome]])),
    ),
    /**
     * When the earliest job is due that waited for one that was completed or revoked. Infinite:
     * there is none.
     */
    unblockedAt: Math.min(...rows.flatMap(({ due_at }) => due_at ?? [])),
  }
}
