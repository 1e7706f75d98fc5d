// Builds the change that one write makes to an order: a step, the result of a claimed job, or both together.
import { isUnchanged, type Order, type Step } from '@plazo/core'
import type { CompletionWrite, OrderWrite as QueuedWrite } from '../sql/order-jobs.ts'
import { type ClaimToken, decodeToken, isResend } from './claim.ts'
import { completedRow, releasedRow, stuckRow } from './completion-rows.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import type { CachedOrder } from './order-cache.ts'
import { type NewEffect, toStepRows } from './step-rows.ts'
import type { CompletionRow, LaneRow, LineRow, OrderWrite } from './writer/orders.ts'

export type OrderChange = {
  readonly order: OrderWrite
  readonly lines: readonly LineRow[]
  readonly lanes: readonly LaneRow[]
  readonly effects: readonly NewEffect[]
}

/** Null: the claim's token names no job. */
export const toOrderChange = (write: QueuedWrite<CachedOrder>, dataKeys: DataKeys): OrderChange | null => {
  if (write.type === 'step') return stepChange(write.step, write.on)
  const token = decodeToken(write.token)
  if (token === null) return null
  return write.type === 'release'
    ? completionChange(write.orderRef, token, releasedRow(token, write.as))
    : toCompletionChange(write, token, dataKeys)
}

const toCompletionChange = (
  { orderRef, attemptResult, report, decided, fault }: CompletionWrite<CachedOrder>,
  token: ClaimToken,
  dataKeys: DataKeys,
): OrderChange => {
  const key = decided?.on.key ?? dataKeys.cachedKey(orderRef)
  if (fault !== null) return completionChange(orderRef, token, stuckRow(token, fault, attemptResult, report, key))
  const row = completedRow(token, attemptResult, decided?.finalStatus ?? null, report, key)
  if (decided === null) return completionChange(orderRef, token, row)
  return isUnchanged(decided.step)
    ? completionChange(orderRef, token, row, decided.on.order)
    : mergeChanges(stepChange(decided.step, decided.on), token, row)
}

const completedLane = (orderRef: string, { id, lane }: ClaimToken, { final_status }: CompletionRow): LaneRow => ({
  order_ref: orderRef,
  lane,
  revokes: false,
  expedited_to: null,
  completed_id: id,
  leaves_lane: final_status !== undefined,
})

/** Completes a claimed job without a step. `on`: the order that this was decided on. */
const completionChange = (orderRef: string, token: ClaimToken, completion: CompletionRow, on?: Order): OrderChange => ({
  order: { order_ref: orderRef, ...(on && { expected: on.revision }), ...completion },
  lines: [],
  lanes: isResend(token) ? [] : [completedLane(orderRef, token, completion)],
  effects: [],
})

const stepChange = (step: Step, { order, key }: CachedOrder): OrderChange => toStepRows(step, order, key)

// For the step, its own job is already complete. If the step revokes or expedites that job's lane, this applies to a job that
// is pending again.
const mergeChanges = (step: OrderChange, token: ClaimToken, completion: CompletionRow): OrderChange => {
  const own = step.lanes.find(({ lane }) => lane === token.lane)
  const { final_status, due_at } = completion
  const isPendingAgain = final_status === undefined && own !== undefined
  const merged: CompletionRow = {
    ...completion,
    ...(isPendingAgain && own.revokes && { final_status: 'stopped' as const }),
    ...(isPendingAgain &&
      own.expedited_to !== null && { due_at: Math.min(due_at ?? own.expedited_to, own.expedited_to) }),
  }
  const { lanes } = completionChange(step.order.order_ref, token, merged)
  return {
    ...step,
    order: { ...step.order, ...merged },
    lanes: [
      ...step.lanes.filter((each) => each !== own),
      ...lanes.map((lane) => ({
        ...lane,
        revokes: own?.revokes ?? false,
        expedited_to: own?.expedited_to ?? null,
      })),
    ],
  }
}
