// Operators decide about one order after another. Where they are stands in the address of each page
// on the way, so that every page can name the order that is next.
import { type OperatorTask, orderView } from '@plazo/core'
import type { FullStore, Unavailable, WaitingOrder } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { Markup } from '../http/page/page.ts'
import { orderName } from '../http/page/script/formats.ts'
import type { RequestError } from '../http/problem.ts'
import { invalidValue } from '../http/request.ts'
import { query } from '../http/route.ts'

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

/** The orders that an operator works through. */
export type Queue = {
  readonly kind: OperatorTask | null
  readonly merchant: string | null
  /** Where they are: the `position` of the last order. Null: at the beginning. */
  readonly after: number | null
}

export const NO_QUEUE: Queue = { kind: null, merchant: null, after: null }

export const QUEUE = {
  kind: query(`The orders that wait for this: ${TASK_NAMES.join(', ')}.`),
  merchant: query('Only orders of this merchant.'),
  after: query('Only orders behind this place in the list: a number from one of its links.'),
}

export const BAD_QUEUE = { 400: 'Invalid kind or after.' }

export const readQueue = (c: Context): E.Either<RequestError, Queue> => {
  const [given, merchant, after] = ['kind', 'merchant', 'after'].map(
    (name) => c.req.query(name) || null,
  )
  const kind = TASK_NAMES.find((each) => each === given) ?? null
  if (kind !== given) return E.left(invalidValue('kind', given, `one of ${TASK_NAMES.join(', ')}`))
  if (!/^\d{1,15}$/.test(after ?? '0'))
    return E.left(invalidValue('after', after, 'a number from a link of the list'))
  return E.right({ kind, merchant: merchant ?? null, after: after ? Number(after) : null })
}

/** With its question mark; empty without anything to say. */
export const queueQuery = (queue: Partial<Queue>, more: Readonly<Record<string, string>> = {}) => {
  const fields = Object.entries({ ...queue, ...more }).flatMap(([name, value]) =>
    value === null ? [] : [[name, String(value)] as [string, string]],
  )
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields)}`
}

export type WaitingPage = {
  readonly kind: OperatorTask
  readonly lines: readonly WaitingOrder[]
  /** The `after` of the next page; null after the last. */
  readonly next: number | null
}

/** Up to `limit` orders of one kind. */
export const readWaiting = (
  { orders }: Pick<FullStore, 'orders'>,
  kind: OperatorTask,
  { merchant, after }: Queue,
  limit: number,
): TE.TaskEither<Unavailable, WaitingPage> =>
  pipe(
    orders.waiting(kind, merchant, after, limit),
    TE.map((lines) => ({
      ...{ kind, lines },
      next: lines.length < limit ? null : (lines.at(-1)?.position ?? null),
    })),
  )

type NextOrder = WaitingOrder & { readonly kind: OperatorTask }

/**
 * The order behind the operator's place, or else the first one. Without a kind, the most urgent kind
 * counts. `exceptRef`: the order that they are at.
 */
export const findNext =
  (
    { orders }: Pick<FullStore, 'orders'>,
    { kind, merchant, after }: Queue,
    exceptRef: string,
  ): TE.TaskEither<Unavailable, NextOrder | null> =>
  async () => {
    const kinds = kind === null ? TASK_NAMES : [kind]
    for (const from of after === null ? [null] : [after, null])
      for (const each of kinds) {
        const found = await orders.waiting(each, merchant, from, 2)()
        if (E.isLeft(found)) return found
        const next = found.right.find(({ order }) => order.placed.orderRef !== exceptRef)
        if (next !== undefined) return E.right({ ...next, kind: each })
      }
    return E.right(null)
  }

/** `root`: the way from the page to the server's base URL. */
export const nextMarkup = (queue: Queue, next: NextOrder | null, root: string): Markup => {
  const decisions = `${root}console/decisions`
  if (next === null)
    return html`${queue.kind === null ? 'No other order waits' : 'No other order waits here'}. <a href="${decisions}" data-key="n">All decisions <kbd>n</kbd></a>`
  const { order, kind, position } = next
  const address = `${order.placed.orderRef}${queueQuery({ ...queue, kind, after: position })}`
  return html`Next: <a href="${root}console/orders/${address}" data-key="n"><bdi>${orderName(orderView(order))}</bdi> <kbd>n</kbd></a>`
}
