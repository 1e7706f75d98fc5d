// Operators work through the orders that wait for them, oldest first, by kind and merchant.
import type { OperatorTask } from '@plazo/core'
import { LOOKED_AT_MAX, type OrderNotFound, type Unavailable } from '@plazo/core/ports'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { html } from 'hono/html'
import { type Markup, rootFrom } from '../http/page/page.ts'
import { UUID } from '../http/request.ts'
import { PAGE, type Route, route } from '../http/route.ts'
import { DECISION_NAMES } from '../orders/decisions.ts'
import {
  BAD_QUEUE,
  findNext,
  NO_QUEUE,
  nextMarkup,
  QUEUE,
  type Queue,
  readQueue,
  readWaiting,
  TASK_NAMES,
} from './decision-queue.ts'
import { doneMarkup, possibleDecisions } from './decisions.ts'
import { decisionsPage } from './decisions-page.ts'
import type { ConsoleServices } from './frame.ts'

/** The orders of a page, and those of each kind on the page of all kinds. */
const LISTED = 20
const LISTED_OF_EACH = 5

export const decisionsRoute = ({ host, byOperator, showConsole }: ConsoleServices): Route => {
  const { store, clock } = host

  const readSections = ({ kind, merchant, after }: Queue) =>
    kind === null
      ? TE.traverseSeqArray((each: OperatorTask) =>
          readWaiting(store, each, { ...NO_QUEUE, merchant }, LISTED_OF_EACH),
        )(TASK_NAMES)
      : pipe(
          readWaiting(store, kind, { kind, merchant, after }, LISTED),
          TE.map((page) => [page]),
        )

  /** The decision that led here, and the order that is next. */
  const readNotice = (
    c: Context,
    queue: Queue,
  ): TE.TaskEither<OrderNotFound | Unavailable, Markup | ''> => {
    const name = DECISION_NAMES.find((each) => each === c.req.query('done'))
    const orderRef = c.req.query('order') ?? ''
    if (name === undefined || !UUID.test(orderRef)) return TE.right('')
    return pipe(
      TE.Do,
      TE.bindW('order', () => store.read(orderRef)),
      TE.bindW('next', () => findNext(store, queue, orderRef)),
      TE.map(
        ({ order, next }) =>
          html`<p class="notice good" role="status">${doneMarkup(order, name)} ${nextMarkup(queue, next, rootFrom(c))}</p>`,
      ),
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
          TE.bindW('notice', () => readNotice(c, queue)),
          TE.bindW('counts', () => store.orders.countWaiting(queue.merchant, LOOKED_AT_MAX)),
          TE.bindW('sections', () => readSections(queue)),
          TE.chainTaskK((found) => () => {
            const decisionsOf = possibleDecisions(host)
            const body = decisionsPage({ ...found, queue, decisionsOf, now: clock.now() })
            return showConsole(c, { title: 'Decisions', area: 'decisions', body })
          }),
        ),
    },
  )
}
