// Operators work through the orders that wait for them, oldest first, by kind and merchant.
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { html } from 'hono/html'
import { rootFrom } from '../http/page/page.ts'
import type { KnownError } from '../http/problem.ts'
import { UUID } from '../http/request.ts'
import { PAGE, type Route, route } from '../http/route.ts'
import type { Services } from '../http/services.ts'
import {
  BAD_QUEUE,
  findNext,
  nextMarkup,
  QUEUE,
  type Queue,
  readQueue,
  TASK_NAMES,
} from './decision-queue.ts'
import { DECISION_NAMES, DECISIONS, doneMarkup, possibleDecisions } from './decisions.ts'
import { decisionsPage } from './decisions-page.ts'

/** The orders of a page, and those of each kind on the page of all kinds. */
const LISTED = 20
const LISTED_OF_EACH = 5

export const decisionsRoute = ({ host, byOperator, showConsole }: Services): Route => {
  const { store, clock } = host

  const readSections = ({ kind, merchant, after }: Queue) => {
    const limit = kind === null ? LISTED_OF_EACH : LISTED
    return pipe(
      kind === null ? TASK_NAMES : [kind],
      TE.traverseSeqArray((each) =>
        pipe(
          store.orders.waiting(each, merchant, kind && after, limit),
          TE.map((waiting) => ({
            kind: each,
            lines: waiting.map((line) => ({
              ...line,
              decisions: possibleDecisions(host)(line.order),
            })),
            next: waiting.length < limit ? null : (waiting.at(-1)?.position ?? null),
          })),
        ),
      ),
    )
  }

  /** The decision that led here, and the order that is next. */
  const readDone = (c: Context, queue: Queue) => {
    const name = DECISION_NAMES.find((each) => each === c.req.query('done'))
    const orderRef = c.req.query('order') ?? ''
    if (name === undefined || !UUID.test(orderRef)) return TE.right(null)
    return pipe(
      store.read(orderRef),
      TE.bindTo('order'),
      TE.bindW('next', () => findNext(store, queue, orderRef)),
      TE.map(({ order, next }) => ({
        notice: html`<p class="notice good" role="status">${doneMarkup(order, DECISIONS[name].done)} ${nextMarkup(queue, next, rootFrom(c))}</p>`,
        nextRef: next?.order.placed.orderRef ?? null,
      })),
    )
  }

  return route(
    'GET /console/decisions',
    'showDecisions',
    'Show the orders that wait for a decision',
    {
      access: { ...byOperator, parameters: QUEUE, load: (c) => TE.fromEither(readQueue(c)) },
      errors: 'page',
      description:
        'Shows how many orders of each kind wait for an operator, the oldest first, with the possible decisions.',
      ok: PAGE,
      problems: BAD_QUEUE,
      handle: (queue, _, c) =>
        pipe(
          TE.Do,
          TE.bindW('done', () => readDone(c, queue)),
          TE.bindW('counts', () => store.orders.countWaiting(queue.merchant)),
          TE.bindW('sections', () => readSections(queue)),
          TE.mapLeft((error): KnownError => error),
          TE.chainTaskK(({ done, ...found }) => () => {
            const body = decisionsPage({
              ...{ ...found, queue, now: clock.now() },
              ...(done ?? { notice: '', nextRef: null }),
            })
            return showConsole(c, { title: 'Decisions', area: 'decisions', body })
          }),
        ),
    },
  )
}
