// Turns a step into plain data for the writer, which may run in another thread.
import {
  type Effect,
  type Entry,
  effectKeyParts,
  encodePlaced,
  encodeSnapshot,
  heldReference,
  isUnchanged,
  queueNameOf,
  type Step,
} from '@plazo/core'
import { eventOf, isPlain } from '../rows/plain-work.ts'
import { stateText } from '../rows/state-text.ts'
import { waitingChange } from '../rows/waiting-change.ts'
import type { KnownOrder } from './order-rows.ts'
import { referenceText } from './reference-text.ts'
import type { EffectWrite, OrderWrite, PlaceWrite, StepWrite } from './writer/calls.ts'

const effectWrite = (effect: Effect): EffectWrite => {
  if (effect.type !== 'do') return effect
  const { key, lane, work, dueAt, until, behind } = effect
  return {
    type: 'do',
    // The revision comes from the key: if one write holds two steps, their effects have different revisions.
    revision: effectKeyParts(key).revision,
    lane,
    kind: queueNameOf(work.kind),
    work: JSON.stringify(work),
    isPlain: isPlain(work),
    event: eventOf(work),
    dueAt,
    until,
    behind,
  }
}

export const orderWrite = (step: Step): OrderWrite => {
  const { order, journal, effects, reference } = step
  const held = heldReference(order)
  return {
    orderRef: order.placed.orderRef,
    merchantRef: order.placed.merchant.ref,
    account: order.placed.merchant.account,
    revision: order.revision,
    snapshot: encodeSnapshot(order),
    asks: reference && referenceText(reference),
    holds: held && referenceText(held),
    at: order.context.updatedAt,
    lines: journal.map(({ seq, at, event, detail, from, to, input }) => ({
      seq,
      at,
      event,
      detail,
      from: stateText(from),
      to: stateText(to),
      input: input && JSON.stringify(input),
    })),
    waits: waitingChange(step),
    effects: effects.map(effectWrite),
  }
}

export const placeWrite = (step: Step, payload: string): PlaceWrite => ({
  ...orderWrite(step),
  placed: encodePlaced(step.order.placed),
  payload,
})

/** `on`: the order that the step was decided on. Null: there is nothing to write. */
export const stepWrite = (step: Step, on: KnownOrder): StepWrite | null =>
  isUnchanged(step) ? null : { ...orderWrite(step), id: on.id, was: on.order.revision }

/** The n-th effect of the step as a claimed job: the commit that wrote it claimed it and hands it over. */
export const handedEntry = ({ order, effects }: Step, n: number, token: string, at: number): Entry | null => {
  const effect = effects[n]
  if (effect?.type !== 'do') return null
  const { key, lane, work, until } = effect
  const { orderRef, merchant } = order.placed
  return {
    key,
    orderRef,
    merchantRef: merchant.ref,
    lane,
    work,
    until,
    attempt: 1,
    isResend: false,
    firstAt: at,
    startedAt: at,
    token,
  }
}
