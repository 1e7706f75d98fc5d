// Builds the change that one write makes to an order: a step, the result of a claimed job, or both together.
import type { Order, Step } from '@plazo/core'
import { type ClaimToken, isResend } from './claim-token.ts'
import type { CachedOrder } from './order-cache.ts'
import { toStepRows } from './step-rows.ts'
import type { OrderChange } from './write-queue.ts'
import type { CompletionRow, LaneRow } from './writer/orders.ts'

const completedLane = (orderRef: string, { id, lane }: ClaimToken, { final_status }: CompletionRow): LaneRow => ({
  order_ref: orderRef,
  lane,
  revokes: false,
  expedited_to: null,
  completed_id: id,
  leaves_lane: final_status !== undefined,
})

/** Completes a claimed job without a step. `on`: the order that this was decided on. */
export const completionChange = (
  orderRef: string,
  token: ClaimToken,
  completion: CompletionRow,
  on?: Order,
): OrderChange => ({
  order: { order_ref: orderRef, ...(on && { expected: on.revision }), ...completion },
  lines: [],
  lanes: isResend(token) ? [] : [completedLane(orderRef, token, completion)],
  effects: [],
  leaves: null,
})

export const stepChange = (step: Step, { order, key }: CachedOrder): OrderChange => ({
  ...toStepRows(step, order, key),
  leaves: step.order,
})

// For the step, its own job is already complete. If the step revokes or expedites that job's lane, this applies to a job that
// is pending again.
export const mergeChanges = (step: OrderChange, token: ClaimToken, completion: CompletionRow): OrderChange => {
  const own = step.lanes.find(({ lane }) => lane === token.lane)
  const { final_status, due_at } = completion
  const isPendingAgain = final_status === undefined && own !== undefined
  const left: CompletionRow = {
    ...completion,
    ...(isPendingAgain && own.revokes && { final_status: 'stopped' as const }),
    ...(isPendingAgain &&
      own.expedited_to !== null && { due_at: Math.min(due_at ?? own.expedited_to, own.expedited_to) }),
  }
  const { lanes } = completionChange(step.order.order_ref, token, left)
  return {
    ...step,
    order: { ...step.order, ...left },
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
