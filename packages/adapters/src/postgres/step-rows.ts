// Turns a write into the rows of its order: a step, the result of a claimed job, or both together.
// The result commits with the step that it causes. Values that may contain the shopper's data are
// encrypted under the order's own data key.
import { createHash } from 'node:crypto'
import type { Effect, Order, Step } from '@plazo/core'
import {
  type AttemptResult,
  deliveryEventName,
  effectKeyParts,
  encodeSnapshot,
  encodeState,
  hasNoPersonalData,
  heldReference,
  isOrderLost,
  isUnchanged,
  type Outcome,
  operatorTaskChange,
  outcomeOf,
  queueNameOf,
  type Report,
} from '@plazo/core/ports'
import {
  aadForInput,
  aadForPayload,
  aadForReason,
  aadForRequest,
  aadForResponse,
  aadForSnapshot,
  aadForStuckMessage,
  type DataKey,
  encrypt,
} from '../encryption/cipher.ts'
import { calledUrl, createAddressLimit } from '../sql/endpoint-counts.ts'
import type { CompletionWrite, OrderWrite } from '../sql/order-jobs.ts'
import { type ClaimToken, decodeToken } from './claim.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import type { CachedOrder } from './order-cache.ts'
import {
  type CompletionRow,
  type EffectRow,
  type LaneRow,
  type LineRow,
  type OrderChange,
  toFactsRow,
} from './writer/orders.ts'

/** Null: the claim's token names no job. */
export const toOrderChange = (
  write: OrderWrite<CachedOrder>,
  dataKeys: DataKeys,
): OrderChange | null => {
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
  if (fault !== null)
    return completionChange(orderRef, token, { ...attempt, ...stuckColumns(token, fault, key) })
  const row = { ...attempt, ...resultColumns(token, attemptResult, decided?.finalStatus ?? null) }
  if (decided === null) return completionChange(orderRef, token, row)
  return isUnchanged(decided.step)
    ? completionChange(orderRef, token, row, decided.on.order)
    : mergeChanges(toStepRows(decided.step, decided.on), token, row)
}

/** Completes a claimed job without a step. `on`: the order that this was decided on. */
const completionChange = (
  orderRef: string,
  token: ClaimToken,
  completion: CompletionRow,
  on?: Order,
): OrderChange => {
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

// For the step, its own job is already complete. If the step revokes or expedites that job's lane,
// this applies to a job that is pending again.
const mergeChanges = (
  step: OrderChange,
  token: ClaimToken,
  completion: CompletionRow,
): OrderChange => {
  const laneChange = step.lanes.find(({ lane }) => lane === token.lane)
  const { final_status, due_at } = completion
  const isPendingAgain = final_status === undefined && laneChange !== undefined
  const merged: CompletionRow = {
    ...completion,
    ...(isPendingAgain && laneChange.revokes && { final_status: 'stopped' as const }),
    ...(isPendingAgain &&
      laneChange.expedited_to !== undefined && {
        due_at: Math.min(due_at ?? laneChange.expedited_to, laneChange.expedited_to),
      }),
  }
  const { lanes } = completionChange(step.order.order_ref, token, merged)
  return {
    ...step,
    order: { ...step.order, ...merged },
    lanes: [
      ...step.lanes.filter((each) => each !== laneChange),
      ...lanes.map((lane) => ({ ...laneChange, ...lane })),
    ],
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
    ...answerColumns(token, report, key),
    ...addressColumn(token, report),
  }),
})

const addressFor = createAddressLimit()

const addressColumn = (
  { merchantRef, queue = '' }: ClaimToken,
  report: Report,
): Pick<CompletionRow, 'address'> => {
  const url = calledUrl(report)
  return url === null ? {} : { address: addressFor(merchantRef, queue, url) }
}

// A merchant may put anything into their response, including their customer's data, and so may the
// target of a redirect.
const answerColumns = (
  { deliveryId, attempt }: ClaimToken,
  { errorReason, request, response }: Report,
  key: DataKey | undefined,
): Pick<CompletionRow, 'error_reason' | 'request' | 'response'> => {
  if (key === undefined) return { response: response && null }
  const seal = (aad: string, text: string): string => encrypt(key, aad, text).toString('base64')
  return {
    ...(errorReason !== undefined && {
      error_reason: seal(aadForReason(deliveryId, attempt), errorReason),
    }),
    ...(request && {
      request: seal(aadForRequest(deliveryId, attempt), JSON.stringify(request)),
    }),
    response: response && seal(aadForResponse(deliveryId, attempt), response),
  }
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
      ...(isFinished &&
        outcomeOf(attemptResult) === 'accepted' && { delivery_status: attemptResult.status }),
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

/** `before`: the order that the step was decided on; for a new order, the order itself. */
export const toStepRows = (step: Step, { order: before, key }: CachedOrder): OrderChange => {
  const { order, reference } = step
  const [orderRef1, orderRef1Before] = [heldReference(order), heldReference(before)]
  const encodeIfSet = (each: string | null) => (each === null ? undefined : encodeReference(each))
  const task = operatorTaskChange(step)
  return {
    order: {
      order_ref: order.placed.orderRef,
      merchant_ref: order.placed.merchant.ref,
      expected: before.revision,
      revision: order.revision,
      snapshot: encryptSnapshot(order, key).toString('base64'),
      requested_reference: encodeIfSet(reference),
      held_reference: orderRef1 === orderRef1Before ? undefined : encodeIfSet(orderRef1),
      released_reference: orderRef1 === orderRef1Before ? undefined : encodeIfSet(orderRef1Before),
      changes_task: task !== null,
      operator_task: task?.why ?? undefined,
      task_since: task?.since ?? undefined,
      lost_address: isOrderLost(step)
        ? addressFor(order.placed.merchant.ref, 'ipn', order.placed.notifyUrl ?? '')
        : undefined,
      at: order.context.updatedAt,
      ...toFactsRow(order),
    },
    lines: toLineRows(step, key),
    ...toEffectRows(step, key),
  }
}

/** Bytes. A digest cannot be mistaken for a JSON text. */
const PLAIN_MAX = 1_000

/**
 * The form in which a held `order_ref_1` is stored: JSON-encoded, so that any text can be stored. A
 * long one is replaced by its digest, because a PostgreSQL index accepts no entry larger than a
 * third of a page.
 */
export const encodeReference = (reference: string): string => {
  const text = JSON.stringify(reference)
  return Buffer.byteLength(text) <= PLAIN_MAX
    ? text
    : `sha256:${createHash('sha256').update(text).digest('hex')}`
}

export const encryptSnapshot = (order: Order, key: DataKey): Buffer =>
  encrypt(key, aadForSnapshot(order.revision), encodeSnapshot(order))

export const toLineRows = ({ order, journal }: Step, key: DataKey): readonly LineRow[] =>
  journal.map(({ seq, at, event, detail, from, to, input }) => ({
    order_ref: order.placed.orderRef,
    seq,
    at,
    event,
    detail: detail ?? undefined,
    from_state: encodeState(from),
    to_state: encodeState(to),
    input: input
      ? encrypt(key, aadForInput(seq), JSON.stringify(input)).toString('base64')
      : undefined,
  }))

const toEffectRow = (
  { order }: Step,
  { key, lane, payload, dueAt, expiresAt, excludes }: Extract<Effect, { type: 'do' }>,
  dataKey: DataKey,
): EffectRow => {
  const { orderRef, merchant } = order.placed
  const queue = queueNameOf(payload.kind)
  // The key names the revision that created the effect. Two steps in one write create effects at
  // two revisions.
  const { revision } = effectKeyParts(key)
  const text = JSON.stringify(payload)
  return {
    order_ref: orderRef,
    revision,
    lane,
    queue,
    merchant: queue === 'work' ? '' : merchant.ref,
    account: queue === 'work' ? undefined : (merchant.account ?? undefined),
    event: deliveryEventName(payload) ?? undefined,
    work: (hasNoPersonalData(payload)
      ? Buffer.from(text)
      : encrypt(dataKey, aadForPayload(revision, lane), text)
    ).toString('base64'),
    due_at: dueAt,
    expires_at: expiresAt ?? undefined,
    excludes: excludes ?? undefined,
    made_at: order.context.updatedAt,
  }
}

// Applies the step's effects one after another. The statement changes the effects that a lane
// already holds; this function changes those that the same write added before.
const toEffectRows = (step: Step, key: DataKey): Pick<OrderChange, 'lanes' | 'effects'> => {
  const at = step.order.context.updatedAt
  const lanes = new Map<string, LaneRow>()
  let effects: readonly EffectRow[] = []
  const noteLane = (lane: string, laneChange: Partial<LaneRow>): void => {
    lanes.set(lane, {
      order_ref: step.order.placed.orderRef,
      lane,
      ...lanes.get(lane),
      ...laneChange,
    })
  }
  for (const effect of step.effects)
    if (effect.type === 'do') {
      noteLane(effect.lane, {})
      effects = [...effects, toEffectRow(step, effect, key)]
    } else if (effect.type === 'revoke') {
      noteLane(effect.lane, { revokes: true })
      effects = effects.flatMap((each) =>
        each.lane !== effect.lane
          ? each
          : each.queue === 'work'
            ? []
            : { ...each, is_revoked: true },
      )
    } else {
      noteLane(effect.lane, { expedited_to: at })
      const first = effects.find(({ lane, is_revoked }) => lane === effect.lane && !is_revoked)
      effects = effects.map((each) =>
        each === first ? { ...each, due_at: Math.min(each.due_at, at) } : each,
      )
    }
  return { lanes: [...lanes.values()], effects }
}
