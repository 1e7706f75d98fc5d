// Turns a step into the rows that it writes for its order. Values that may contain the shopper's data are encrypted under the
// order's own data key.
import {
  type Effect,
  effectKeyParts,
  encodeSnapshot,
  heldReference,
  type Order,
  queueNameOf,
  type Step,
} from '@plazo/core'
import { placeOfInput, placeOfSnapshot, placeOfWork } from '../rows/places.ts'
import { eventOf, isPlain } from '../rows/plain-work.ts'
import { stateText } from '../rows/state-text.ts'
import { waitingChange } from '../rows/waiting-change.ts'
import { type DataKey, seal } from '../sealing/sealer.ts'
import type { MadeEffect } from './handing-over.ts'
import { referenceText } from './reference-text.ts'
import type { LaneRow, LineRow, StepRow } from './writing.ts'

type RowsOfStep = {
  readonly order: StepRow
  readonly lines: readonly LineRow[]
  readonly lanes: readonly LaneRow[]
  readonly effects: readonly MadeEffect[]
}

export const snapshotOf = (order: Order, key: DataKey): Buffer =>
  seal(key, placeOfSnapshot(order.revision), encodeSnapshot(order))

export const linesOf = ({ order, journal }: Step, key: DataKey): readonly LineRow[] =>
  journal.map(({ seq, at, event, detail, from, to, input }) => ({
    order_ref: order.placed.orderRef,
    seq,
    at,
    event,
    detail,
    from_state: stateText(from),
    to_state: stateText(to),
    input: input && seal(key, placeOfInput(seq), JSON.stringify(input)),
  }))

const waitingIn = (step: Step): Pick<StepRow, 'changes_waiting' | 'waits_for' | 'waits_since'> => {
  const change = waitingChange(step)
  return { changes_waiting: change !== null, waits_for: change?.why ?? null, waits_since: change?.since ?? null }
}

const made = (
  { order }: Step,
  { key, lane, work, dueAt, until, behind }: Extract<Effect, { type: 'do' }>,
  dataKey: DataKey,
): MadeEffect => {
  const { orderRef, merchant } = order.placed
  const kind = queueNameOf(work.kind)
  // The key names the revision that created the effect. Two steps in one write create effects at two revisions.
  const { revision } = effectKeyParts(key)
  const text = JSON.stringify(work)
  const row = {
    order_ref: orderRef,
    revision,
    lane,
    class: kind,
    queue: kind === 'work' ? '' : merchant.ref,
    account: kind === 'work' ? null : merchant.account,
    event: eventOf(work),
    work: isPlain(work) ? Buffer.from(text) : seal(dataKey, placeOfWork(revision, lane), text),
    due_at: dueAt,
    until,
    behind,
    made_at: order.context.updatedAt,
    is_stopped: false,
  }
  return { row, work, merchantRef: merchant.ref }
}

const changed = (effect: MadeEffect, own: Partial<MadeEffect['row']>): MadeEffect => ({
  ...effect,
  row: { ...effect.row, ...own },
})

// Applies the step's effects one after another. The statement changes the effects that a lane already holds; this function
// changes those that the same write added before.
const effectsOf = (step: Step, key: DataKey): Pick<RowsOfStep, 'lanes' | 'effects'> => {
  const at = step.order.context.updatedAt
  const lanes = new Map<string, LaneRow>()
  let effects: readonly MadeEffect[] = []
  const note = (lane: string, own: Partial<LaneRow>): void => {
    const known = lanes.get(lane) ?? {
      order_ref: step.order.placed.orderRef,
      lane,
      withdraws: false,
      hastens_to: null,
      concludes: null,
      ends: false,
    }
    lanes.set(lane, { ...known, ...own })
  }
  for (const effect of step.effects)
    if (effect.type === 'do') {
      note(effect.lane, {})
      effects = [...effects, made(step, effect, key)]
    } else if (effect.type === 'withdraw') {
      note(effect.lane, { withdraws: true })
      effects = effects.flatMap((each) =>
        each.row.lane !== effect.lane ? each : each.row.class === 'work' ? [] : changed(each, { is_stopped: true }),
      )
    } else {
      note(effect.lane, { hastens_to: at })
      const first = effects.find(({ row }) => row.lane === effect.lane && !row.is_stopped)
      effects = effects.map((each) =>
        each === first ? changed(each, { due_at: Math.min(each.row.due_at, at) }) : each,
      )
    }
  return { lanes: [...lanes.values()], effects }
}

/** `before`: the order that the step was decided on; for a new order, the order itself. */
export const rowsOfStep = (step: Step, before: Order, key: DataKey): RowsOfStep => {
  const { order, reference } = step
  const [held, heldBefore] = [heldReference(order), heldReference(before)]
  return {
    order: {
      order_ref: order.placed.orderRef,
      merchant_ref: order.placed.merchant.ref,
      expected: before.revision,
      revision: order.revision,
      snapshot: snapshotOf(order, key),
      asks: reference === null ? null : referenceText(reference),
      holds: held === heldBefore || held === null ? null : referenceText(held),
      releases: held === heldBefore || heldBefore === null ? null : referenceText(heldBefore),
      ...waitingIn(step),
    },
    lines: linesOf(step, key),
    ...effectsOf(step, key),
  }
}
