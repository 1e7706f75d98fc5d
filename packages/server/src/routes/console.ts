// An operator sees and decides an order here: pages for a browser, JSON for every other client. Contract §2 and §8.
import { applyDecision, type DecisionEvent, historyLine, isDecisionAllowed, orderView } from '@plazo/core'
import { identity, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type { KnownError } from '../http/problem.ts'
import { limitBody, uuidParam } from '../http/request.ts'
import { type DecisionName, type OrderOnConsole, orderPage, orderTitle } from '../pages/order.ts'
import { consolePage } from '../pages/page.ts'
import { wantsPage } from './answers.ts'
import { consoleIndexRoutes } from './console-index.ts'
import { consoleMerchantRoutes } from './console-merchants.ts'
import type { Services } from './services.ts'

const DECISIONS: Readonly<Record<DecisionName, DecisionEvent>> = {
  approve: { type: 'review.approved' },
  reject: { type: 'review.rejected' },
  'request-cancellation': { type: 'cancellation.requested' },
  cancel: { type: 'order.cancelled', by: 'operator' },
}

/** The newest lines of a history; a page of all lines could be megabytes. */
const LINES_SHOWN = 200

const NAMES = Object.keys(DECISIONS) as readonly DecisionName[]

export const consoleRoutes = (services: Services) => {
  const { host, isOperator, respond, respondPage } = services

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
    const orderRef = TE.fromEither(uuidParam(c))
    if (!wantsPage(c)) return pipe(orderRef, TE.chainW(decideOrder), TE.map(orderView), respond(c))
    return pipe(
      orderRef,
      TE.chainW((ref) =>
        pipe(
          decideOrder(ref),
          TE.map(() => c.redirect(`../${ref}`, 303)),
          // Somebody else decided first, or the page is out of date: the answer shows the order as it is now.
          TE.orElseW((error) =>
            error._tag === 'Refused'
              ? showPage(c, ref, `../${ref}`, error.sentences)
              : TE.left<KnownError, Response>(error),
          ),
        ),
      ),
      respondPage(c, identity),
    )
  }

  const app = new Hono()
    .use('/console/*', isOperator)
    .get('/console/orders/:uuid', (c) =>
      pipe(
        TE.fromEither(uuidParam(c)),
        TE.chainW((orderRef) => showPage(c, orderRef, orderRef)),
        respondPage(c, identity),
      ),
    )
    .route('/', consoleIndexRoutes(services))
    .route('/', consoleMerchantRoutes(services))
  for (const name of NAMES) app.post(`/console/orders/:uuid/${name}`, limitBody(), (c) => decide(c, name))
  return app
}
