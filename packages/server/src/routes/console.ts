// An operator sees and decides an order here: pages for a browser, JSON for every other client. Contract §2 and §8.

import {
  applyDecision,
  type DecisionEvent,
  type FullHost,
  historyLine,
  isDecisionAllowed,
  type Merchants,
  orderView,
} from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import type { KnownError } from '../http/problem.ts'
import { BODY_KIB_MAX, limitBody, uuidParam } from '../http/request.ts'
import { type DecisionName, type OrderOnConsole, orderPage, orderTitle } from '../pages/order.ts'
import { consolePage } from '../pages/page.ts'
import { type AnswerError, respond, respondOnConsole, wantsPage } from './answers.ts'
import { consoleIndexRoutes } from './console-index.ts'
import { consoleMerchantRoutes } from './console-merchants.ts'

const DECISIONS: Readonly<Record<DecisionName, DecisionEvent>> = {
  approve: { type: 'review.approved' },
  reject: { type: 'review.rejected' },
  'request-cancellation': { type: 'cancellation.requested' },
  cancel: { type: 'order.cancelled', by: 'operator' },
}

/** The newest lines of a history; a page of all lines could be megabytes. */
const LINES_SHOWN = 200

const NAMES = Object.keys(DECISIONS) as readonly DecisionName[]

export const consoleRoutes = (
  host: FullHost,
  merchants: Merchants,
  isOperator: MiddlewareHandler,
  answerError: AnswerError,
) => {
  const loadOrder = (orderRef: string): TE.TaskEither<KnownError, OrderOnConsole> =>
    pipe(
      TE.Do,
      TE.bindW('order', () => host.store.read(orderRef)),
      TE.bindW('newest', () => host.store.history(orderRef, null, LINES_SHOWN)),
      TE.map(({ order, newest: { lines, next } }) => ({
        order,
        newestLines: lines.map(historyLine),
        hasOlderLines: next !== null,
        decisions: NAMES.filter((name) => isDecisionAllowed(host)(order, DECISIONS[name])),
      })),
    )

  const showPage = (
    c: Context,
    orderRef: string,
    address: string,
    refusal: readonly string[] = [],
  ): TE.TaskEither<KnownError, Response> =>
    pipe(
      loadOrder(orderRef),
      TE.chainTaskK(
        (loaded) => () =>
          consolePage(c, orderTitle(loaded), orderPage(loaded, address, refusal), refusal.length === 0 ? 200 : 409),
      ),
    )

  const decide = (c: Context, name: DecisionName): Promise<Response> => {
    const decideOrder = (orderRef: string) => applyDecision(host)(orderRef, DECISIONS[name])
    if (!wantsPage(c))
      return respond(c, answerError, pipe(TE.fromEither(uuidParam(c)), TE.chainW(decideOrder)), (order) =>
        c.json(orderView(order)),
      )
    return respondOnConsole(
      c,
      answerError,
      pipe(
        TE.fromEither(uuidParam(c)),
        TE.chainW((orderRef) =>
          pipe(
            decideOrder(orderRef),
            TE.map(() => c.redirect(`../${orderRef}`, 303)),
            // Somebody else decided first, or the page is out of date: the answer shows the order as it is now.
            TE.orElseW((error) =>
              error._tag === 'Refused'
                ? showPage(c, orderRef, `../${orderRef}`, error.sentences)
                : TE.left<KnownError, Response>(error),
            ),
          ),
        ),
      ),
    )
  }

  const app = new Hono()
    .use('/console/*', isOperator)
    .get('/console/orders/:uuid', (c) =>
      respondOnConsole(
        c,
        answerError,
        pipe(
          TE.fromEither(uuidParam(c)),
          TE.chainW((orderRef) => showPage(c, orderRef, orderRef)),
        ),
      ),
    )
    .route('/', consoleIndexRoutes(host, merchants, answerError))
    .route('/', consoleMerchantRoutes(host, merchants, answerError))
  for (const name of NAMES) app.post(`/console/orders/:uuid/${name}`, limitBody(BODY_KIB_MAX), (c) => decide(c, name))
  return app
}
