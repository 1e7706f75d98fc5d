// What is written of orders: steps and what became of claimed effects, of many orders at once by one statement.
import type { Ending, JournalLine, Outcome } from '@plazo/core'
import type { EffectRow, HandedRow } from './added-effects.ts'
import { bytesBeside } from './bytes-beside.ts'
import type { Connection } from './connection.ts'
import { WRITE } from './write-statement.ts'

/** One of an order's in one statement: a step, what becomes of a claimed effect, or both. What is not said costs nothing. */
export type OrderWrite = Pick<StepRow, 'order_ref'> & Partial<StepRow> & Partial<EndingRow>

type OrderRow = OrderWrite & {
  readonly n: number
  /**
   * It concludes work or withdraws, and what waited for that may go on: since when anything waits is wanted. After a delivery
   * there is a claim in any case.
   */
  readonly lets_go_on: boolean
}

export type StepRow = {
  readonly order_ref: string
  readonly merchant_ref: string
  /** The revision it was decided on. */
  readonly expected: number
  readonly revision: number
  readonly snapshot: Buffer
  /** A reference that no other order of the merchant's may hold, and what it holds from now on, or no longer. */
  readonly asks: string | null
  readonly holds: string | null
  readonly releases: string | null
  /** Why it waits for an operator from now on, and since when. */
  readonly changes_waiting: boolean
  readonly waits_for: string | null
  readonly waits_since: number | null
}

export type LineRow = Pick<JournalLine, 'seq' | 'at' | 'event' | 'detail'> & {
  readonly order_ref: string
  readonly from_state: string
  readonly to_state: string
  readonly input: Buffer | null
}

/** A lane that the write touches. */
export type LaneRow = {
  readonly order_ref: string
  readonly lane: string
  readonly withdraws: boolean
  /** What is pending in it is due then at the latest. */
  readonly hastens_to: number | null
  /** The claimed effect of this lane that the write concludes, and whether it leaves the lane for good. */
  readonly concludes: number | null
  readonly ends: boolean
}

/** What becomes of a claimed effect. */
export type EndingRow = {
  readonly id: number
  readonly token: string
  /** The delivery that it sends: another row where an ended one is sent once more. */
  readonly delivery_id: number
  readonly is_work: boolean
  readonly is_beside: boolean
  /** Without: it is pending again. */
  readonly ends_as?: Ending | 'stuck'
  /** When it is due again; without: as it was. */
  readonly due_at?: number
  /** What the delivery becomes that it sent once more; without: what it is. */
  readonly delivery_becomes?: Ending | 'stuck'
  readonly message?: Buffer | null
  /** Given back as if it had never been claimed. */
  readonly is_unbegun?: true
  readonly outcome: Outcome
  readonly duration?: number | null
  readonly status?: number | null
  readonly error?: string | null
  readonly response?: Buffer | null
}

type Writes = {
  readonly orders: readonly OrderRow[]
  readonly lines: readonly LineRow[]
  readonly lanes: readonly LaneRow[]
  readonly effects: readonly EffectRow[]
  /** Of what is offered. */
  readonly offer: readonly unknown[]
}

/**
 * `withdrawn`: done, and the claimed effect had been withdrawn while it was in flight. `moved`: the order is not as it was
 * when this was decided. `taken`: another holds the reference. `lost`: the claim has passed on.
 */
export type Written = 'done' | 'withdrawn' | 'moved' | 'taken' | 'lost'

export const isDone = (came: Written | undefined): boolean => came === 'done' || came === 'withdrawn'

type WrittenRows = {
  /** What came of each order's; of one that is there no more, nothing. */
  readonly came: ReadonlyMap<string, Written>
  readonly handed: readonly HandedRow[]
  /** Since when something of an order waits that was there before. */
  readonly waitsSince: ReadonlyMap<string, number>
}

type Row = { readonly order_ref: string; readonly due_at: number | null } & (
  | { readonly came: Written }
  | (HandedRow & { readonly came: 'handed' })
)

export const writeOrders = async (
  { query }: Pick<Connection, 'query'>,
  { orders, lines, lanes, effects, offer }: Writes,
): Promise<WrittenRows> => {
  const { json, value } = bytesBeside()
  const rows = [
    json(orders, 'snapshot', 'message', 'response'),
    json(lines, 'input'),
    json(lanes),
    json(effects, 'work'),
  ]
  const came = new Map<string, Written>()
  const handed: HandedRow[] = []
  const waitsSince = new Map<string, number>()
  for (const row of await query<Row>(WRITE, ...rows, ...offer, value()))
    if (row.came === 'handed') handed.push(row)
    else {
      came.set(row.order_ref, row.came)
      if (row.due_at !== null) waitsSince.set(row.order_ref, row.due_at)
    }
  return { came, handed, waitsSince }
}
