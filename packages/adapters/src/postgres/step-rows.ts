// Turns a step into the rows that it writes for its order. Values that may contain the shopper's data are encrypted under the
// order's own data key.
import { createHash } from 'node:crypto'
import {
  deliveryEventName,
  type Effect,
  effectKeyParts,
  encodeSnapshot,
  encodeState,
  hasNoPersonalData,
  heldReference,
  type Order,
  operatorTaskChange,
  queueNameOf,
  type Step,
} from '@plazo/core'
import { aadForInput, aadForPayload, aadForSnapshot, type DataKey, encrypt } from '../encryption/cipher.ts'
import type { CachedOrder } from './order-cache.ts'
import type { EffectRow, LaneRow, LineRow, OrderChange } from './writer/orders.ts'

/** Bytes. A digest cannot be mistaken for a JSON text. */
const PLAIN_MAX = 1_000

/**
 * The form in which a held `order_ref_1` is stored: JSON-encoded, so that any text can be stored. A long one is replaced by its
 * digest, because a PostgreSQL index accepts no entry larger than a third of a page.
 */
export const encodeReference = (reference: string): string => {
  const text = JSON.stringify(reference)
  return Buffer.byteLength(text) <= PLAIN_MAX ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`
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
    input: input ? encrypt(key, aadForInput(seq), JSON.stringify(input)).toString('base64') : undefined,
  }))

const toEffectRow = (
  { order }: Step,
  { key, lane, payload, dueAt, expiresAt, excludes }: Extract<Effect, { type: 'do' }>,
  dataKey: DataKey,
): EffectRow => {
  const { orderRef, merchant } = order.placed
  const queue = queueNameOf(payload.kind)
  // The key names the revision that created the effect. Two steps in one write create effects at two revisions.
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

// Applies the step's effects one after another. The statement changes the effects that a lane already holds; this function
// changes those that the same write added before.
const toEffectRows = (step: Step, key: DataKey): Pick<OrderChange, 'lanes' | 'effects'> => {
  const at = step.order.context.updatedAt
  const lanes = new Map<string, LaneRow>()
  let effects: readonly EffectRow[] = []
  const noteLane = (lane: string, own: Partial<LaneRow>): void => {
    lanes.set(lane, { order_ref: step.order.placed.orderRef, lane, ...lanes.get(lane), ...own })
  }
  for (const effect of step.effects)
    if (effect.type === 'do') {
      noteLane(effect.lane, {})
      effects = [...effects, toEffectRow(step, effect, key)]
    } else if (effect.type === 'revoke') {
      noteLane(effect.lane, { revokes: true })
      effects = effects.flatMap((each) =>
        each.lane !== effect.lane ? each : each.queue === 'work' ? [] : { ...each, is_revoked: true },
      )
    } else {
      noteLane(effect.lane, { expedited_to: at })
      const first = effects.find(({ lane, is_revoked }) => lane === effect.lane && !is_revoked)
      effects = effects.map((each) => (each === first ? { ...each, due_at: Math.min(each.due_at, at) } : each))
    }
  return { lanes: [...lanes.values()], effects }
}

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
    },
    lines: toLineRows(step, key),
    ...toEffectRows(step, key),
  }
}
