// What a commit writes, as plain data: both SQL stores begin with it. They encrypt its texts right
// before they write, which may happen in another thread.
import type { Effect, Order, Step } from '@plazo/core'
import {
  type AttemptResult,
  type CompletionResult,
  deliveryEventName,
  effectKeyParts,
  encodePlaced,
  encodeSnapshot,
  encodeState,
  type FinalStatus,
  hasNoPersonalData,
  hasSameDetails,
  heldReference,
  isOrderLost,
  isUnchanged,
  operatorTaskChange,
  orderFacts,
  queueNameOf,
  type ReleasedAs,
  type Report,
} from '@plazo/core/ports'
/** An order as a store keeps it. `row`: what the store needs to write it, such as its row number. */
export type StoredOrder<Row> = { readonly order: Order; readonly row: Row }

/** A step, and the order that it was decided on. */
export type DecidedStep<Row> = { readonly step: Step; readonly on: StoredOrder<Row> }

/** The result of a claimed job. */
export type JobResult = {
  readonly orderRef: string
  readonly token: string
  readonly attemptResult: AttemptResult
  readonly report: Report | null
}

/** One write of a commit. */
export type Write<Row> =
  | { readonly name: 'place'; readonly input: PlaceWrite }
  | { readonly name: 'step'; readonly input: StepWrite<Row> }
  | { readonly name: 'complete'; readonly input: CompletionWrite<Row> }
  | { readonly name: 'release'; readonly input: ReleaseWrite }

/**
 * `{ row }`: the order is placed. `changed`: the order is not as it was when this was decided.
 * `reference_taken`: another order of the merchant holds the reference.
 */
export type WriteResult<Row> =
  | { readonly row: Row }
  | 'done'
  | 'changed'
  | 'reference_taken'
  | CompletionResult

export type EffectWrite = ReturnType<typeof toEffectWrite>
/** The order after a step, and the lines and effects that the step adds. */
export type OrderWrite = ReturnType<typeof toOrderWrite>
export type PlaceWrite = ReturnType<typeof toPlaceWrite>
export type StepWrite<Row> = ReturnType<typeof toStepWrite<Row>>
export type CompletionWrite<Row> = ReturnType<typeof toCompletionWrite<Row>>
export type ReleaseWrite = Pick<JobResult, 'orderRef' | 'token'> & { readonly as: ReleasedAs }

const toEffectWrite = (effect: Effect) => {
  if (effect.type !== 'do') return effect
  const { key, lane, payload, dueAt, expiresAt, excludes } = effect
  return {
    type: effect.type,
    // The revision comes from the key: if one write holds two steps, their effects have different
    // revisions.
    revision: effectKeyParts(key).revision,
    lane,
    queue: queueNameOf(payload.kind),
    work: JSON.stringify(payload),
    /** True: it is stored unencrypted. */
    hasNoPersonalData: hasNoPersonalData(payload),
    event: deliveryEventName(payload),
    dueAt,
    expiresAt,
    excludes,
  }
}

/** `before`: the order that the step was decided on. Null: it is new. */
export const toOrderWrite = (step: Step, before: Order | null) => {
  const { order, journal, effects, reference } = step
  return {
    orderRef: order.placed.orderRef,
    merchantRef: order.placed.merchant.ref,
    account: order.placed.merchant.account,
    revision: order.revision,
    snapshot: encodeSnapshot(order),
    facts: orderFacts(order),
    /** The step changes none of the facts that `hasSameDetails` compares. */
    keepsDetails: before !== null && hasSameDetails(before, order),
    /** No other order of the merchant may hold it. */
    requestedReference: reference,
    /** The `order_ref_1` that this order holds after the step, and before it. */
    heldReference: heldReference(order),
    heldBefore: before && heldReference(before),
    at: order.context.updatedAt,
    lines: journal.map(({ seq, at, event, detail, from, to, input }) => ({
      seq,
      at,
      event,
      detail,
      from: encodeState(from),
      to: encodeState(to),
      input: input && JSON.stringify(input),
    })),
    /** Why the order waits for an operator. Null: the step does not change it. */
    taskChange: operatorTaskChange(step),
    effects: effects.map(toEffectWrite),
    /** The address of the IPN that the shop did not answer in time; null: the order is not lost. */
    lostIpnUrl: isOrderLost(step) ? (order.placed.notifyUrl ?? '') : null,
  }
}

export const toPlaceWrite = (step: Step, payload: string) => ({
  ...toOrderWrite(step, null),
  placed: encodePlaced(step.order.placed),
  payload,
})

export const toStepWrite = <Row>({ step, on }: DecidedStep<Row>) => ({
  ...toOrderWrite(step, on.order),
  row: on.row,
  /** The revision that the step was decided on. */
  expectedRevision: on.order.revision,
})

/**
 * `fault`: why the step cannot be made, so that the job becomes stuck. Null: there is no such
 * reason. `finalStatus`: the final status that the step sets. Null: as `attemptResult` says.
 */
export const toCompletionWrite = <Row>(
  completion: JobResult,
  decided: DecidedStep<Row> | null,
  {
    fault,
    finalStatus,
  }: { readonly fault: string | null; readonly finalStatus: FinalStatus | null },
) => ({
  ...completion,
  fault,
  finalStatus,
  step: decided === null || isUnchanged(decided.step) ? null : toStepWrite(decided),
  /** The order that was decided on, even if the step changes nothing. Null: nothing was decided. */
  decidedOn: decided && { row: decided.on.row, revision: decided.on.order.revision },
})
