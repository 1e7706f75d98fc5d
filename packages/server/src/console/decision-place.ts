// An operator decides about one order after another. Their place in the list of decisions is in the
// address of each page on the way, so that the list comes back with the next order.
import type { OperatorTask } from '@plazo/core'
import type { Context } from 'hono'

/** A heading, and what follows “3 orders”. The most urgent first. */
export const TASKS: Readonly<Record<OperatorTask, readonly [heading: string, words: string]>> = {
  review: ['On hold', 'on hold. Approve or reject.'],
  unanswered: [
    'Cancel unanswered',
    'whose cancel request the shop has not answered in a week. Cancel, or ask again.',
  ],
  unsupported: [
    'Cancel unsupported',
    'whose shop does not support the event cancel. Cancel, or ask again.',
  ],
  asked: [
    'Asked to cancel',
    'whose shop was asked to cancel and has not decided. Wait, or cancel without the shop.',
  ],
}

export const TASK_NAMES = Object.keys(TASKS) as readonly OperatorTask[]

export type Place = {
  readonly kind: OperatorTask | null
  readonly merchant: string | null
  /** The position of the last order that the operator decided about. */
  readonly after: number | null
}

/** What is wrong with it counts as absent. */
export const readPlace = (c: Context): Place => {
  const { kind, merchant, after = '' } = c.req.query()
  return {
    kind: TASK_NAMES.find((each) => each === kind) ?? null,
    merchant: merchant || null,
    after: /^\d{1,15}$/.test(after) ? Number(after) : null,
  }
}

/** With its question mark; empty without anything to say. */
export const placeQuery = (place: Partial<Place>, more: Readonly<Record<string, string>> = {}) => {
  const fields = Object.entries({ ...place, ...more }).flatMap(([name, value]) =>
    value === null ? [] : [[name, String(value)] as [string, string]],
  )
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields)}`
}
