// The group commit of PostgreSQL: one statement writes the steps, completions and releases of many
// orders. Only one statement is in flight: jobs that arrive meanwhile share the next one, and so
// its cost.
import {
  type Committed,
  type Encoded,
  type GroupCommit,
  groupCommit,
  type Outcome,
} from '../sql/group-commit.ts'
import type { OrderWrite, WriteResult } from '../sql/order-jobs.ts'
import type { CommitListeners } from '../sql/storage.ts'
import type { Query } from './connection/connection.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import type { CachedOrder } from './order-cache.ts'
import { toOrderChange } from './step-rows.ts'
import { isConflict, isRowError, postgresUnavailable } from './unavailable.ts'
import { firstDueAt, type OrderChange, type WriteOutcome, writeOrders } from './writer/orders.ts'

type QueuedWrite = OrderWrite<CachedOrder>

type WriteQueue = GroupCommit<QueuedWrite, WriteResult>

export type WriteQueueOptions = {
  /**
   * How many jobs may wait before further requests are refused. New orders and steps are counted
   * separately.
   */
  readonly capacity?: number
  /** For tests: called right before a write is sent, and right after it was answered. */
  readonly onCommit?: ((moment: 'before' | 'after') => void) | undefined
}

/** `rows`: null if the claim's token names no job, so there is nothing to write. */
type EncodedWrite = Encoded<QueuedWrite, OrderChange | null>

const NOTHING_DUE = Number.POSITIVE_INFINITY

export const openWriteQueue = (
  query: Query,
  dataKeys: DataKeys,
  { notify }: Pick<CommitListeners, 'notify'>,
  { capacity, onCommit }: WriteQueueOptions = {},
): WriteQueue => {
  const writeAll = async (changes: readonly OrderChange[]) => {
    if (changes.length === 0)
      return { outcomes: new Map<string, WriteOutcome>(), nextDueAt: NOTHING_DUE }
    onCommit?.('before')
    const { outcomes, unblockedAt } = await writeOrders(query, changes)
    onCommit?.('after')
    const written = changes.filter(({ order }) => isDone(outcomes.get(order.order_ref)))
    return { outcomes, nextDueAt: Math.min(unblockedAt, ...written.map(dueAfter)) }
  }

  return groupCommit<QueuedWrite, OrderChange | null, WriteResult>({
    encode: (write) => toOrderChange(write, dataKeys),
    commit: commitOrSplit(async (writes: readonly EncodedWrite[]) => {
      const { outcomes, nextDueAt } = await writeAll(writes.flatMap(({ rows }) => rows ?? []))
      return { outcomes: writes.map((each) => toOutcome(each, outcomes)), nextDueAt }
    }),
    notify,
    capacity,
  })
}

const isDone = (outcome: WriteOutcome | undefined): boolean =>
  outcome === 'done' || outcome === 'revoked'

/**
 * Returns a commit that never rejects. If one of the writes has wrong rows, each is tried alone, so
 * that only this one fails.
 */
export const commitOrSplit = <Write, Result>(
  commit: (writes: readonly Write[]) => Promise<Committed<Result>>,
): ((writes: readonly Write[]) => Promise<Committed<Result>>) => {
  const reportAll = (writes: readonly Write[], outcome: Outcome<Result>): Committed<Result> => ({
    outcomes: writes.map(() => outcome),
    nextDueAt: NOTHING_DUE,
  })
  const commitAll = async (writes: readonly Write[]): Promise<Committed<Result>> => {
    try {
      return await commit(writes)
    } catch (cause) {
      if (isConflict(cause)) return reportAll(writes, { type: 'conflict', reason: 'changed' })
      if (isRowError(cause) && writes.length > 1) return commitEach(writes)
      return reportAll(writes, { type: 'failed', error: postgresUnavailable(cause) })
    }
  }
  const commitEach = async (writes: readonly Write[]): Promise<Committed<Result>> => {
    const commits: Committed<Result>[] = []
    for (const write of writes) commits.push(await commitAll([write]))
    return {
      outcomes: commits.flatMap(({ outcomes }) => outcomes),
      nextDueAt: Math.min(...commits.map(({ nextDueAt }) => nextDueAt)),
    }
  }
  return commitAll
}

/**
 * The instant from which a claim may find a job that the change made due, or another one of the
 * order's merchant.
 */
const dueAfter = ({ order, lanes, effects }: OrderChange): number => {
  // A delivery has freed its place for another delivery of the merchant.
  if (order.is_work === false) return Number.NEGATIVE_INFINITY
  const isPendingAgain = order.is_work === true && order.final_status === undefined
  return Math.min(
    firstDueAt(effects),
    isPendingAgain ? (order.due_at ?? Number.NEGATIVE_INFINITY) : Number.POSITIVE_INFINITY,
    ...lanes.map(({ expedited_to }) => expedited_to ?? Number.POSITIVE_INFINITY),
  )
}

const toOutcome = (
  { write, rows }: EncodedWrite,
  outcomes: ReadonlyMap<string, WriteOutcome>,
): Outcome<WriteResult> => {
  if (rows === null) return { type: 'committed', result: 'lost' }
  switch (outcomes.get(rows.order.order_ref)) {
    case 'done':
      return {
        type: 'committed',
        result: write.type === 'completion' ? (rows.order.final_status ?? 'retry') : 'done',
      }
    // Another step has revoked the claimed job meanwhile.
    case 'revoked':
      return {
        type: 'committed',
        result: rows.order.final_status === 'stuck' ? 'stuck' : 'stopped',
      }
    case 'lost':
      return { type: 'committed', result: 'lost' }
    // The first decision of a step does not know that the reference is taken, so the step is
    // decided once more.
    case 'reference_taken':
      return 'isReferenceTaken' in write && !write.isReferenceTaken
        ? { type: 'conflict', reason: 'reference_taken' }
        : { type: 'committed', result: 'reference_taken' }
    default:
      return { type: 'conflict', reason: 'changed' }
  }
}
