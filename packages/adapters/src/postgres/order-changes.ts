// Builds the change that one write makes to an order: a step, the result of a claimed job, or both together. The result commits
// with the step that it causes.
import { type AttemptResult, isUnchanged, type Order, type Outcome, outcomeOf, type Report } from '@plazo/core'
import { aadForResponse, aadForStuckMessage, type DataKey, encrypt } from '../encryption/cipher.ts'
import type { CompletionWrite, OrderWrite } from '../sql/order-jobs.ts'
import { type ClaimToken, decodeToken } from './claim.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import type { CachedOrder } from './order-cache.ts'
import { toStepRows } from './step-rows.ts'
import type { CompletionRow, LaneRow, OrderChange } from './writer/orders.ts'

/** Null: the claim's token names no job. */
export const toOrderChange = (write: OrderWrite<CachedOrder>, dataKeys: DataKeys): OrderChange | null => {
  if (write.type === 'step') return toStepRows(write.step, write.on)
  const token = decodeToken(write.token)
  if (token === null) return null
  if (write.type === 'completion') return toCompletionChange(write, token, dataKeys)
  return completionChange(write.orderRef, token, {
    ...attemptColumns(token, 'lost', null, undefined),
    ...(write.as === 'not_started' && { is_not_started: true }),
  })
}

const toCompletionChange = (
  { orderRef, attemptResult, report, decided, fault }: CompletionWrite<CachedOrder>,
  token: ClaimToken,
  dataKeys: DataKeys,
): OrderChange => {
  const key = decided?.on.key ?? dataKeys.cachedKey(orderRef)
  const attempt = attemptColumns(token, outcomeOf(attemptResult), report, key)
  if (fault !== null) return completionChange(orderRef, token, { ...attempt, ...stuckColumns(token, fault, key) })
  const row = { ...attempt, ...resultColumns(token, attemptResult, decided?.finalStatus ?? null) }
  if (decided === null) return completionChange(orderRef, token, row)
  return isUnchanged(decided.step)
    ? completionChange(orderRef, token, row, decided.on.order)
    : mergeChanges(toStepRows(decided.step, decided.on), token, row)
}

/** Completes a claimed job without a step. `on`: the order that this was decided on. */
const completionChange = (orderRef: string, token: ClaimToken, completion: CompletionRow, on?: Order): OrderChange => {
  const lane: LaneRow = {
    order_ref: orderRef,
    lane: token.lane,
    completed_id: token.id,
    leaves_lane: completion.final_status !== undefined,
  }
  return {
    order: { order_ref: orderRef, ...(on && { expected: on.revision }), ...completion },
    lines: [],
    lanes: token.isResend ? [] : [lane],
    effects: [],
  }
}

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
      own.expedited_to !== undefined && { due_at: Math.min(due_at ?? own.expedited_to, own.expedited_to) }),
  }
  const { lanes } = completionChange(step.order.order_ref, token, merged)
  return {
    ...step,
    order: { ...step.order, ...merged },
    lanes: [...step.lanes.filter((each) => each !== own), ...lanes.map((lane) => ({ ...own, ...lane }))],
  }
}

/** The claimed job and its attempt. */
const attemptColumns = (
  token: ClaimToken,
  outcome: Outcome,
  report: Report | null,
  key: DataKey | undefined,
): CompletionRow => ({
  id: token.id,
  token: token.rowToken,
  delivery_id: token.deliveryId,
  is_work: token.isWork,
  is_resend: token.isResend,
  outcome,
  ...(report && {
    duration: report.durationMillis,
    status: report.status,
    error: report.error,
    response: encodeResponse(token, report.response, key),
  }),
})

// A merchant may put anything into their response, including their customer's data.
const encodeResponse = (
  { deliveryId, attempt }: ClaimToken,
  response: string | null,
  key: DataKey | undefined,
): string | null => {
  if (response === '') return ''
  if (response === null || key === undefined) return null
  return encrypt(key, aadForResponse(deliveryId, attempt), response).toString('base64')
}

/** `finalStatus`: the status that the step sets. Null: as `attemptResult` says. */
const resultColumns = (
  token: ClaimToken,
  attemptResult: AttemptResult,
  finalStatus: CompletionRow['final_status'] | null,
): Pick<CompletionRow, 'final_status' | 'due_at' | 'delivery_status'> => {
  const isFinished = attemptResult.type === 'finished'
  // A resend is sent only once. If it is accepted, so is the delivery.
  if (token.isResend)
    return {
      final_status: isFinished ? attemptResult.status : 'stopped',
      ...(isFinished && outcomeOf(attemptResult) === 'accepted' && { delivery_status: attemptResult.status }),
    }
  if (finalStatus) return { final_status: finalStatus }
  return isFinished ? { final_status: attemptResult.status } : { due_at: attemptResult.dueAt }
}

// An error message may quote the shopper's data.
const stuckColumns = (token: ClaimToken, fault: string, key: DataKey | undefined) => ({
  final_status: 'stuck' as const,
  delivery_status: 'stuck' as const,
  message: (key === undefined
    ? Buffer.from('The data of this order cannot be decrypted.')
    : encrypt(key, aadForStuckMessage(token.deliveryId), fault)
  ).toString('base64'),
})
