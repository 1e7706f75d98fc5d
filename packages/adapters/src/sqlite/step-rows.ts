// Turns a step into plain data for the writer, which may run in another thread.
import {
  deliveryEventName,
  type Effect,
  effectKeyParts,
  encodePlaced,
  encodeSnapshot,
  encodeState,
  hasNoPersonalData,
  heldReference,
  isUnchanged,
  operatorTaskChange,
  queueNameOf,
  type Step,
} from '@plazo/core'
import type { CompletionWrite as Completion } from '../sql/order-jobs.ts'
import type { CachedOrder } from './order-cache.ts'
import type { CompletionWrite, EffectWrite, OrderWrite, PlaceWrite, StepWrite } from './writer/commands.ts'

/**
 * The column of `order_ref_1` holds it unchanged, except if it contains half of a surrogate pair. For every such half SQLite
 * would write U+FFFD, and different references would become equal. So that text is stored as JSON.
 */
export const encodeReference = (reference: string): string =>
  reference.isWellFormed() ? reference : JSON.stringify(reference)

const toEffectWrite = (effect: Effect): EffectWrite => {
  if (effect.type !== 'do') return effect
  const { key, lane, payload, dueAt, expiresAt, excludes } = effect
  return {
    type: 'do',
    // The revision comes from the key: if one write holds two steps, their effects have different revisions.
    revision: effectKeyParts(key).revision,
    lane,
    queue: queueNameOf(payload.kind),
    work: JSON.stringify(payload),
    hasNoPersonalData: hasNoPersonalData(payload),
    event: deliveryEventName(payload),
    dueAt,
    expiresAt,
    excludes,
  }
}

export const toOrderWrite = (step: Step): OrderWrite => {
  const { order, journal, effects, reference } = step
  const orderRef1 = heldReference(order)
  return {
    orderRef: order.placed.orderRef,
    merchantRef: order.placed.merchant.ref,
    account: order.placed.merchant.account,
    revision: order.revision,
    snapshot: encodeSnapshot(order),
    requestedReference: reference && encodeReference(reference),
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
    taskChange: operatorTaskChange(step),
    effects: effects.map(toEffectWrite),
  }
}

export const toPlaceWrite = (step: Step, payload: string): PlaceWrite => ({
  ...toOrderWrite(step),
  placed: encodePlaced(step.order.placed),
  payload,
})

type DecidedStep = { readonly step: Step; readonly on: CachedOrder }

export const toStepWrite = ({ step, on }: DecidedStep): StepWrite => ({
  ...toOrderWrite(step),
  id: on.id,
  expectedRevision: on.order.revision,
})

export const toCompletionWrite = ({
  orderRef,
  token,
  attemptResult,
  report,
  decided,
  fault,
}: Completion<CachedOrder>): CompletionWrite => ({
  orderRef,
  token,
  attemptResult,
  report,
  fault,
  step: decided === null || isUnchanged(decided.step) ? null : toStepWrite(decided),
  decidedOn: decided && { id: decided.on.id, revision: decided.on.order.revision },
  finalStatus: decided?.finalStatus ?? null,
})
