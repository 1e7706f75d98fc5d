// Builds the change that one write makes to an order: a step, the result of a claimed job, or both together.
import type { Order, Step } from '@plazo/core'
import { type ClaimToken, isBeside } from './claim-token.ts'
import type { ReadOrder } from './order-reading.ts'
import { rowsOfStep } from './rows-of-step.ts'
import type { OrderChange } from './write-queue.ts'
import type { EndingRow, LaneRow } from './writing.ts'

const concludedIn = (orderRef: string, { id, lane }: ClaimToken, { ends_as }: EndingRow): LaneRow => ({
  order_ref: orderRef,
  lane,
  withdraws: false,
  hastens_to: null,
  concludes: id,
  ends: ends_as !== undefined,
})

/** Completes a claimed job without a step. `on`: the order that this was decided on. */
export const concluding = (orderRef: string, token: ClaimToken, ending: EndingRow, on?: Order): OrderChange => ({
  order: { order_ref: orderRef, ...(on && { expected: on.revision }), ...ending },
  lines: [],
  lanes: isBeside(token) ? [] : [concludedIn(orderRef, token, ending)],
  effects: [],
  leaves: null,
})

export const stepping = (step: Step, { order, key }: ReadOrder): OrderChange => ({
  ...rowsOfStep(step, order, key),
  leaves: step.order,
})

// For the step, its own job is already complete. If the step withdraws or hastens that job's lane, this applies to a job that
// is pending again.
export const together = (step: OrderChange, token: ClaimToken, ending: EndingRow): OrderChange => {
  const own = step.lanes.find(({ lane }) => lane === token.lane)
  const { ends_as, due_at } = ending
  const isPendingAgain = ends_as === undefined && own !== undefined
  const left: EndingRow = {
    ...ending,
    ...(isPendingAgain && own.withdraws && { ends_as: 'stopped' as const }),
    ...(isPendingAgain && own.hastens_to !== null && { due_at: Math.min(due_at ?? own.hastens_to, own.hastens_to) }),
  }
  const { lanes } = concluding(step.order.order_ref, token, left)
  return {
    ...step,
    order: { ...step.order, ...left },
    lanes: [
      ...step.lanes.filter((each) => each !== own),
      ...lanes.map((lane) => ({
        ...lane,
        withdraws: own?.withdraws ?? false,
        hastens_to: own?.hastens_to ?? null,
      })),
    ],
  }
}
