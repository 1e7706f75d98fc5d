// An operator decides about one order after another. Their place in the list of decisions is in the
// address of each page on the way, so that the list comes back where they were.
import type { OperatorTask } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'hono'
import type { RequestError } from '../http/problem.ts'
import { invalidValue } from '../http/request.ts'

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
  /** Null: all kinds. */
  readonly kind: OperatorTask | null
  readonly merchant: string | null
  /** The page of the list begins behind this position. Null: with the oldest order. */
  readonly after: number | null
  /** The position of the last order that the operator looked at. */
  readonly at: number | null
}

export const readPlace = (c: Context): E.Either<RequestError, Place> => {
  const [kind, merchant, after, at] = ['kind', 'merchant', 'after', 'at'].map(
    (name) => c.req.query(name) || null,
  )
  const task = TASK_NAMES.find((each) => each === kind) ?? null
  if (task !== (kind ?? null))
    return E.left(invalidValue('kind', kind, `one of ${TASK_NAMES.join(', ')}`))
  const wrong = [after, at].find((each) => !/^\d{1,15}$/.test(each ?? '0'))
  if (wrong !== undefined)
    return E.left(invalidValue('after', wrong, 'a number from a link of the list'))
  const position = (text: string | null | undefined) => (text ? Number(text) : null)
  return E.right({
    kind: task,
    merchant: merchant ?? null,
    after: position(after),
    at: position(at),
  })
}

/** With its question mark; empty without anything to say. */
export const placeQuery = (place: Partial<Place>, more: Readonly<Record<string, string>> = {}) => {
  const fields = Object.entries({ ...place, ...more }).flatMap(([name, value]) =>
    value === null ? [] : [[name, String(value)] as [string, string]],
  )
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields)}`
}
