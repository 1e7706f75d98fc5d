// Commits a batch of writes to PostgreSQL: one statement writes the steps, completions and releases
// of many orders, and another one, at the same time, stores the new orders.
import { unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { DataKey } from '../encryption/cipher.ts'
import type { Outcome } from '../sql/group-commit.ts'
import type { Committed, PlaceWrite, Write, WriteResult } from '../sql/order-writes.ts'
import type { Query } from './connection/connection.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import type { OrderReader } from './order-reader.ts'
import { PLACE } from './sql/place-orders.sql.ts'
import { encodeNumbered } from './sql/values.ts'
import { isConflict, isRowError, postgresUnavailable } from './unavailable.ts'
import { toOrderChange, toPlacementRows } from './write-rows.ts'
import {
  firstDueAt,
  type JobRow,
  type OrderChange,
  type WriteOutcome,
  writeOrders,
} from './writer/orders.ts'

type Result = WriteResult<DataKey>

type ChangeWrite = Exclude<Write<DataKey>, { readonly name: 'place' }>

export type CommitOptions = {
  /** For tests: called right before a write is sent, and right after it was answered. */
  readonly onCommit?: ((moment: 'before' | 'after') => void) | undefined
}

type PlacedRow = {
  readonly n: number
  readonly order_ref: string
  readonly outcome: 'done' | 'exists' | 'reference_taken'
}

const NOTHING_DUE = Number.POSITIVE_INFINITY

const NOTHING: Committed<Result> = { outcomes: [], nextDueAt: NOTHING_DUE }

export const createCommit = (
  query: Query,
  dataKeys: DataKeys,
  readOrders: OrderReader['readOrders'],
  { onCommit }: CommitOptions,
): ((batch: readonly Write<DataKey>[]) => Promise<Committed<Result>>) => {
  const placeOrders = commitOrSplit<PlaceWrite>(async (writes) => {
    const orders = writes.map((write) => toPlacementRows(write, dataKeys))
    const rows = await query<PlacedRow>(
      PLACE,
      encodeNumbered(orders.map(({ order }) => order)),
      JSON.stringify(orders.flatMap(({ lines }) => lines)),
      encodeNumbered(orders.flatMap(({ effects }) => effects)),
    )
    const outcomeOf = new Map(rows.map(({ n, outcome }) => [n, outcome]))
    const placed = orders.filter((_, n) => outcomeOf.get(n) === 'done')
    for (const { order, dataKey } of placed) dataKeys.cacheKey(order.order_ref, dataKey)
    return {
      outcomes: orders.map(({ dataKey }, n) => {
        const outcome = outcomeOf.get(n)
        if (outcome === 'done') return E.right({ row: dataKey })
        return outcome === 'reference_taken'
          ? E.right(outcome)
          : unavailable('internal_error', 'The order already exists.')
      }),
      nextDueAt: firstDueAt(placed.flatMap(({ effects }) => effects)),
    }
  })

  // The answer of a merchant is encrypted under the order's data key. A completion that has read its
  // order brings the key. An answer that cannot be encrypted is not kept.
  const loadMissingKeys = async (writes: readonly ChangeWrite[]): Promise<void> => {
    const missing = writes.flatMap(({ name, input }) =>
      name === 'complete' && input.report !== null && input.decidedOn === null
        ? input.orderRef
        : [],
    )
    const uncached = missing.filter((orderRef) => dataKeys.cachedKey(orderRef) === undefined)
    if (uncached.length === 0) return
    for (const [orderRef, read] of await readOrders(uncached))
      try {
        dataKeys.cacheKey(orderRef, read().row)
      } catch {}
  }

  const changeOrders = commitOrSplit<ChangeWrite>(async (writes) => {
    await loadMissingKeys(writes)
    // A write whose token names no job changes nothing.
    const changes = writes.map((write) => toOrderChange(write, dataKeys))
    const sent = changes.flatMap((change) => change ?? [])
    if (sent.length === 0)
      return { outcomes: writes.map(() => E.right('lost')), nextDueAt: NOTHING_DUE }
    onCommit?.('before')
    const { outcomes, unblockedAt } = await writeOrders(query, sent)
    onCommit?.('after')
    const outcomeOf = (change: OrderChange): WriteOutcome =>
      outcomes.get(change.order.order_ref) ?? 'changed'
    const written = sent.filter((change) => ['done', 'revoked'].includes(outcomeOf(change)))
    return {
      outcomes: changes.map((change, n) =>
        E.right(
          change === null ? 'lost' : toResult(outcomeOf(change), writes[n]?.name, change.job),
        ),
      ),
      nextDueAt: Math.min(unblockedAt, ...written.map(({ nextDueAt }) => nextDueAt)),
    }
  })

  return async (batch) => {
    const places = batch.flatMap((write) => (write.name === 'place' ? [write.input] : []))
    const changes = batch.flatMap((write) => (write.name === 'place' ? [] : [write]))
    const [placed, changed] = await Promise.all([
      places.length === 0 ? NOTHING : placeOrders(places),
      changes.length === 0 ? NOTHING : changeOrders(changes),
    ])
    const [placedOutcomes, changedOutcomes] = [placed.outcomes.values(), changed.outcomes.values()]
    return {
      outcomes: batch.map(
        ({ name }) => (name === 'place' ? placedOutcomes : changedOutcomes).next().value ?? null,
      ),
      nextDueAt: Math.min(placed.nextDueAt, changed.nextDueAt),
    }
  }
}

/** `revoked`: another step has revoked the claimed job meanwhile. */
const toResult = (
  outcome: WriteOutcome,
  name: ChangeWrite['name'] | undefined,
  job: JobRow | null,
): Result => {
  const final_status = job?.final_status
  if (outcome === 'revoked') return final_status === 'stuck' ? 'stuck' : 'stopped'
  return outcome === 'done' && name === 'complete' ? (final_status ?? 'retry') : outcome
}

/**
 * Returns a commit that never rejects. If one of the writes has wrong rows, each is tried alone, so
 * that only this one fails.
 */
const commitOrSplit = <Write>(
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
      if (isConflict(cause)) return reportAll(writes, E.right('changed'))
      if (isRowError(cause) && writes.length > 1) return commitEach(writes)
      return reportAll(writes, E.left(postgresUnavailable(cause)))
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
