// Turns a write into the rows of its order: a new order, a step, the result of a claimed job, or a
// result with the step that it causes. Values that may contain the shopper's data are encrypted
// under the order's own data key.
import { type AttemptResult, type Outcome, outcomeOf } from '@plazo/core/ports'
import {
  AAD_ORDER_PAYLOAD,
  AAD_PLACED,
  aadForInput,
  aadForPayload,
  aadForSnapshot,
  aadForStuckMessage,
  type DataKey,
  encrypt,
} from '../encryption/cipher.ts'
import { encryptReport } from '../sql/attempt-report.ts'
import type {
  CompletionWrite,
  EffectWrite,
  JobResult,
  OrderWrite,
  PlaceWrite,
  StepWrite,
  Write,
} from '../sql/order-writes.ts'
import { type ClaimToken, decodeToken } from './claim.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import { encodeReference } from './sql/values.ts'
import {
  type EffectRow,
  firstDueAt,
  type JobRow,
  type LaneRow,
  type LineRow,
  type OrderChange,
  toFactsRow,
} from './writer/orders.ts'

const NEVER = Number.POSITIVE_INFINITY

const NO_REPORT = { report: null, isGood: null }

/** Null: the claim's token names no job. */
export const toOrderChange = (
  write: Exclude<Write<DataKey>, { name: 'place' }>,
  dataKeys: DataKeys,
): OrderChange | null => {
  if (write.name === 'step') return toStepChange(write.input)
  const token = decodeToken(write.input.token)
  if (token === null) return null
  if (write.name === 'complete') return toCompletionChange(write.input, token, dataKeys)
  const { orderRef, as } = write.input
  return completionChange(token, {
    ...attemptColumns(orderRef, token, 'lost', NO_REPORT, undefined),
    ...(as === 'not_started' && { is_not_started: true }),
  })
}

/** A new order, and the data key that was made for it. */
export const toPlacementRows = (write: PlaceWrite, { cipher }: DataKeys) => {
  const { dataKey, encryptedKey } = cipher.createKey(write.orderRef)
  const { order, lines, effects } = toOrderRows(write, dataKey)
  return {
    dataKey,
    lines,
    effects,
    order: {
      ...order,
      placed: encrypt(dataKey, AAD_PLACED, write.placed).toString('base64'),
      payload: encrypt(dataKey, AAD_ORDER_PAYLOAD, write.payload).toString('base64'),
      key_id: encryptedKey.keyId,
      tag: encryptedKey.tag,
      ciphertext: encryptedKey.ciphertext.toString('base64'),
    },
  }
}

const toCompletionChange = (
  write: CompletionWrite<DataKey>,
  token: ClaimToken,
  dataKeys: DataKeys,
): OrderChange => {
  const { orderRef, attemptResult, step, decidedOn, finalStatus, fault } = write
  const key = decidedOn?.row ?? dataKeys.cachedKey(orderRef)
  const attempt = attemptColumns(orderRef, token, outcomeOf(attemptResult), write, key)
  if (fault !== null)
    return completionChange(token, { ...attempt, ...stuckColumns(token, fault, key) })
  const row = { ...attempt, ...resultColumns(token, attemptResult, finalStatus) }
  return step === null
    ? completionChange(token, row, decidedOn?.revision)
    : mergeChanges(toStepChange(step), token, row)
}

/** Completes a claimed job without a step. `expected`: the revision that this was decided on. */
const completionChange = (token: ClaimToken, job: JobRow, expected?: number): OrderChange => {
  const { order_ref } = job
  const lane: LaneRow = {
    order_ref,
    lane: token.lane,
    completed_id: token.id,
    leaves_lane: job.final_status !== undefined,
  }
  return {
    order: { order_ref, ...(expected !== undefined && { expected }) },
    job,
    lines: [],
    lanes: token.isResend ? [] : [lane],
    effects: [],
    nextDueAt: dueAfter(token, job),
  }
}

// A delivery has freed its place for another delivery of the merchant. Other work may be due again.
const dueAfter = ({ isWork }: ClaimToken, { final_status, due_at }: JobRow): number => {
  if (!isWork) return Number.NEGATIVE_INFINITY
  return final_status === undefined ? (due_at ?? Number.NEGATIVE_INFINITY) : NEVER
}

// For the step, its own job is already complete. If the step revokes or expedites that job's lane,
// this applies to a job that is pending again.
const mergeChanges = (step: OrderChange, token: ClaimToken, completed: JobRow): OrderChange => {
  const laneChange = step.lanes.find(({ lane }) => lane === token.lane)
  const { final_status, due_at } = completed
  const isPendingAgain = final_status === undefined && laneChange !== undefined
  const job: JobRow = {
    ...completed,
    ...(isPendingAgain && laneChange.revokes && { final_status: 'stopped' as const }),
    ...(isPendingAgain &&
      laneChange.expedited_to !== undefined && {
        due_at: Math.min(due_at ?? laneChange.expedited_to, laneChange.expedited_to),
      }),
  }
  const { lanes, nextDueAt } = completionChange(token, job)
  return {
    ...step,
    job,
    lanes: [
      ...step.lanes.filter((each) => each !== laneChange),
      ...lanes.map((lane) => ({ ...laneChange, ...lane })),
    ],
    nextDueAt: Math.min(step.nextDueAt, nextDueAt),
  }
}

/** The claimed job and its attempt. */
const attemptColumns = (
  orderRef: string,
  token: ClaimToken,
  outcome: Outcome,
  { report, isGood }: Pick<JobResult, 'report' | 'isGood'>,
  key: DataKey | undefined,
): JobRow => ({
  order_ref: orderRef,
  id: token.id,
  token: token.rowToken,
  outcome,
  ...(report && {
    duration: report.durationMillis,
    status: report.status,
    error: report.error,
    ...(key && {
      report: encryptReport(key, token.deliveryId, token.attempt, report).toString('base64'),
    }),
  }),
  is_good: isGood,
})

/** `finalStatus`: the status that the step sets. Null: as `attemptResult` says. */
const resultColumns = (
  token: ClaimToken,
  attemptResult: AttemptResult,
  finalStatus: JobRow['final_status'] | null,
): Pick<JobRow, 'final_status' | 'due_at' | 'delivery_status'> => {
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

const toStepChange = ({
  row: key,
  expectedRevision,
  ...write
}: StepWrite<DataKey>): OrderChange => {
  const { order, lines, lanes, effects } = toOrderRows(write, key)
  const expedited = lanes.flatMap(({ expedited_to }) => expedited_to ?? [])
  return {
    lines,
    lanes,
    effects,
    job: null,
    nextDueAt: Math.min(firstDueAt(effects), ...expedited),
    order: { ...order, expected: expectedRevision },
  }
}

const encodeIfSet = (each: string | null) => (each === null ? undefined : encodeReference(each))

const toOrderRows = (write: OrderWrite, key: DataKey) => {
  const { merchantRef, heldReference, heldBefore, taskChange } = write
  const isHolding = heldReference !== heldBefore
  return {
    order: {
      order_ref: write.orderRef,
      merchant_ref: merchantRef,
      revision: write.revision,
      snapshot: encryptSnapshot(write, key).toString('base64'),
      requested_reference: encodeIfSet(write.requestedReference),
      held_reference: isHolding ? encodeIfSet(heldReference) : undefined,
      released_reference: isHolding ? encodeIfSet(heldBefore) : undefined,
      changes_task: taskChange !== null,
      operator_task: taskChange?.why ?? undefined,
      task_since: taskChange?.since ?? undefined,
      ...toFactsRow(write.facts),
    },
    lines: toLineRows(write, key),
    ...toEffectRows(write, key),
  }
}

const encryptSnapshot = ({ revision, snapshot }: OrderWrite, key: DataKey): Buffer =>
  encrypt(key, aadForSnapshot(revision), snapshot)

const toLineRows = ({ orderRef, lines }: OrderWrite, key: DataKey): readonly LineRow[] =>
  lines.map(({ seq, at, event, detail, from, to, input }) => ({
    order_ref: orderRef,
    seq,
    at,
    event,
    detail: detail ?? undefined,
    from_state: from,
    to_state: to,
    input: input ? encrypt(key, aadForInput(seq), input).toString('base64') : undefined,
  }))

const toEffectRow = (
  { orderRef, merchantRef, account, at }: OrderWrite,
  effect: Extract<EffectWrite, { type: 'do' }>,
  dataKey: DataKey,
): EffectRow => {
  const { revision, lane, queue, work, hasNoPersonalData } = effect
  return {
    order_ref: orderRef,
    revision,
    lane,
    queue,
    merchant: queue === 'work' ? '' : merchantRef,
    account: queue === 'work' ? undefined : (account ?? undefined),
    event: effect.event ?? undefined,
    work: (hasNoPersonalData
      ? Buffer.from(work)
      : encrypt(dataKey, aadForPayload(revision, lane), work)
    ).toString('base64'),
    due_at: effect.dueAt,
    expires_at: effect.expiresAt ?? undefined,
    excludes: effect.excludes ?? undefined,
    made_at: at,
  }
}

// Applies the step's effects one after another. The statement changes the effects that a lane
// already holds; this function changes those that the same write added before.
const toEffectRows = (write: OrderWrite, key: DataKey): Pick<OrderChange, 'lanes' | 'effects'> => {
  const { at } = write
  const lanes = new Map<string, LaneRow>()
  let effects: readonly EffectRow[] = []
  const noteLane = (lane: string, laneChange: Partial<LaneRow>): void => {
    lanes.set(lane, {
      order_ref: write.orderRef,
      lane,
      ...lanes.get(lane),
      ...laneChange,
    })
  }
  for (const effect of write.effects)
    if (effect.type === 'do') {
      noteLane(effect.lane, {})
      effects = [...effects, toEffectRow(write, effect, key)]
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
