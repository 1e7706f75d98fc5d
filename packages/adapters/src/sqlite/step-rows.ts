// Turns a step into plain data for the writer, which may run in another thread. The writer encrypts
// the texts.
import type { Effect, Order, Step } from '@plazo/core'
import {
  deliveryEventName,
  effectKeyParts,
  encodePlaced,
  encodeSnapshot,
  encodeState,
  hasNoPersonalData,
  hasSameDetails,
  heldReference,
  isOrderLost,
  isUnchanged,
  type OrderFacts,
  operatorTaskChange,
  orderFacts,
  queueNameOf,
} from '@plazo/core/ports'
import type { CompletionWrite as Completion } from '../sql/order-jobs.ts'
import type { CachedOrder } from './order-cache.ts'

export type EffectWrite = ReturnType<typeof toEffectWrite>
/** The order after a step, and the lines and effects that the step adds. */
export type OrderWrite = ReturnType<typeof toOrderWrite>
export type PlaceWrite = ReturnType<typeof toPlaceWrite>
export type StepWrite = ReturnType<typeof toStepWrite>
export type CompletionWrite = ReturnType<typeof toCompletionWrite>
/** The facts of an order at a revision. `id`: its row number. */
export type FactsWrite = {
  readonly id: number
  readonly revision: number
  readonly facts: ReturnType<typeof factValues>
}

/**
 * The column of `order_ref_1` holds it unchanged, except if it contains half of a surrogate pair.
 * For every such half SQLite would write U+FFFD, and different references would become equal. So
 * that text is stored as JSON.
 */
export const encodeReference = (reference: string): string =>
  reference.isWellFormed() ? reference : JSON.stringify(reference)

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

/** Their values in the sequence of `FACTS`. */
export const factValues = (facts: OrderFacts, revision: number) => [
  ...[facts.checkout, facts.lasting, facts.changedAt, revision, facts.risk, facts.cancellation],
  ...[facts.product, facts.amount, facts.placedAt, facts.search1, facts.search2],
]

// The first four of the values, unless the step may have changed more.
const PROGRESS = 4

const toFacts = (order: Order, before: Order | null) => {
  const values = factValues(orderFacts(order), order.revision)
  return before !== null && hasSameDetails(before, order) ? values.slice(0, PROGRESS) : values
}

/** `before`: the order that the step was decided on. Null: all facts are written. */
export const toOrderWrite = (step: Step, before: Order | null) => {
  const { order, journal, effects, reference } = step
  const orderRef1 = heldReference(order)
  return {
    orderRef: order.placed.orderRef,
    merchantRef: order.placed.merchant.ref,
    account: order.placed.merchant.account,
    revision: order.revision,
    snapshot: encodeSnapshot(order),
    facts: toFacts(order, before),
    /** No other order of the merchant may hold it. */
    requestedReference: reference && encodeReference(reference),
    /** The `order_ref_1` that this order holds after the step. */
    heldReference: orderRef1 && encodeReference(orderRef1),
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

type DecidedStep = { readonly step: Step; readonly on: CachedOrder }

export const toStepWrite = ({ step, on }: DecidedStep) => ({
  ...toOrderWrite(step, on.order),
  id: on.id,
  /** The revision that the step was decided on. */
  expectedRevision: on.order.revision,
})

export const toCompletionWrite = (completion: Completion<CachedOrder>) => {
  const { orderRef, token, attemptResult, report, decided, fault } = completion
  return {
    orderRef,
    token,
    attemptResult,
    report,
    /**
     * Why the step could not be made: `step` is null then, and the job becomes stuck. Null: there
     * is no such reason.
     */
    fault,
    step: decided === null || isUnchanged(decided.step) ? null : toStepWrite(decided),
    /**
     * The order that was decided on, even if the step changes nothing. Null: nothing was decided.
     */
    decidedOn: decided && { id: decided.on.id, revision: decided.on.order.revision },
    /** The final status by the step that the result causes. Null: as `attemptResult` says. */
    finalStatus: decided?.finalStatus ?? null,
  }
}
