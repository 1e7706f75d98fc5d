// An operator sees what waits for a decision here, finds an order, and decides: pages for a
// browser, JSON for every other client. Contract §2, §7 and §9.
import {
  applyDecision,
  type DecisionEvent,
  findOrders,
  historyLine,
  INBOX_KINDS,
  type InboxKind,
  isDecisionAllowed,
  orderView,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { identity, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import { wantsPage } from '../http/answers.ts'
import { limitBody } from '../http/body.ts'
import { yieldToEventLoop } from '../http/event-loop.ts'
import { consolePage } from '../http/page/page.ts'
import type { KnownError, RequestError } from '../http/problem.ts'
import { invalidValue, uuidParam } from '../http/request.ts'
import type { Services } from '../http/services.ts'
import { consoleMerchantRoutes } from '../merchants/routes.ts'
import { type DecisionName, orderPage, orderTitle } from './order-page.ts'
import { type InboxSection, inboxPage, type SearchResult } from './page.ts'

const DECISIONS: Readonly<Record<DecisionName, DecisionEvent>> = {
  approve: { type: 'review.approved' },
  reject: { type: 'review.rejected' },
  'request-cancellation': { type: 'cancellation.requested' },
  cancel: { type: 'order.cancelled', by: 'operator' },
}

const NAMES = Object.keys(DECISIONS) as readonly DecisionName[]

/** The newest lines of a history; a page of all lines could be megabytes. */
const LINES_SHOWN = 200

/** The orders or jobs of one kind on a page. */
const ENTRIES_SHOWN = 20

type InboxQuery = { readonly kind: InboxKind | null; readonly after: number | null }

const readInboxQuery = (c: Context): E.Either<RequestError, InboxQuery> => {
  const waiting = c.req.query('waiting') ?? ''
  const after = c.req.query('after') ?? ''
  const kind = INBOX_KINDS.find((each) => each === waiting) ?? null
  if (waiting !== '' && kind === null)
    return E.left(invalidValue('waiting', waiting, `one of ${INBOX_KINDS.join(', ')}`))
  if (after !== '' && !/^\d{1,15}$/.test(after))
    return E.left(invalidValue('after', after, 'a number from the link to the next page'))
  return E.right({ kind, after: kind === null || after === '' ? null : Number(after) })
}

const inboxView = (sections: readonly InboxSection[], search: SearchResult | null) => ({
  waiting: Object.fromEntries(
    sections.map(({ kind, lines, next }) => [
      kind,
      {
        entries: lines.map((line) =>
          'stuck' in line
            ? { id: line.stuck.key, order_ref: line.stuck.orderRef, message: line.stuck.message }
            : { since: new Date(line.since).toISOString(), order: orderView(line.order) },
        ),
        next,
      },
    ]),
  ),
  ...(search !== null && { found: search.orders.map(orderView) }),
})

export const consoleRoutes = (services: Services) => {
  const { host, merchants, isOperator, respondPage } = services
  const { store } = host

  const readSection = (
    kind: InboxKind,
    after: number | null,
  ): TE.TaskEither<KnownError, InboxSection> => {
    if (kind !== 'stuck')
      return pipe(
        store.orders.waiting(kind, after, ENTRIES_SHOWN),
        TE.map(({ orders, next }) => ({ kind, lines: orders, next })),
      )
    const from = after ?? 0
    const to = from + ENTRIES_SHOWN
    return pipe(
      store.stuckJobs(),
      TE.map((jobs) => ({
        kind,
        lines: jobs.slice(from, to).map((stuck) => ({ stuck })),
        next: jobs.length > to ? to : null,
      })),
    )
  }

  const searchOrders = (reference: string): TE.TaskEither<KnownError, SearchResult | null> =>
    reference === ''
      ? TE.right(null)
      : pipe(
          findOrders({ store, merchants, pause: yieldToEventLoop })(reference),
          TE.map((orders) => ({ reference, orders })),
        )

  const showOrder = (
    c: Context,
    orderRef: string,
    address: string,
    refusal: readonly string[] = [],
  ): TE.TaskEither<KnownError, Response> =>
    pipe(
      TE.Do,
      TE.bindW('order', () => store.read(orderRef)),
      TE.bindW('newest', () => store.history(orderRef, null, LINES_SHOWN)),
      TE.map(({ order, newest: { lines, next } }) => ({
        order,
        newestLines: lines.map(historyLine),
        hasOlderLines: next !== null,
        decisions: NAMES.filter((name) => isDecisionAllowed(host)(order, DECISIONS[name])),
      })),
      TE.chainTaskK(
        (loaded) => () =>
          consolePage(
            c,
            orderTitle(loaded),
            orderPage(loaded, address, refusal),
            refusal.length === 0 ? 200 : 409,
          ),
      ),
    )

  const decide = (
    c: Context,
    orderRef: string,
    name: DecisionName,
  ): TE.TaskEither<KnownError, Response> =>
    pipe(
      applyDecision(host)(orderRef, DECISIONS[name]),
      TE.map((order) =>
        wantsPage(c) ? c.redirect(`../${orderRef}`, 303) : c.json(orderView(order)),
      ),
      // Somebody else decided first, or the page is out of date: the answer shows the order as it
      // is now.
      TE.orElseW((error) =>
        error._tag === 'Refused' && wantsPage(c)
          ? showOrder(c, orderRef, `../${orderRef}`, error.sentences)
          : TE.left<KnownError, Response>(error),
      ),
    )

  const app = new Hono()
    .use('/console/*', isOperator)
    .get('/console/orders/:uuid', (c) =>
      pipe(
        TE.fromEither(uuidParam(c)),
        TE.chainW((orderRef) => showOrder(c, orderRef, orderRef)),
        respondPage(c, identity),
      ),
    )
    .get('/console', (c) =>
      pipe(
        TE.fromEither<KnownError, InboxQuery>(readInboxQuery(c)),
        TE.bindTo('query'),
        TE.bind('sections', ({ query: { kind, after } }) =>
          TE.traverseSeqArray((each: InboxKind) => readSection(each, after))(
            kind === null ? INBOX_KINDS : [kind],
          ),
        ),
        TE.bind('search', () => searchOrders((c.req.query('reference') ?? '').trim())),
        respondPage(c, ({ query, sections, search }) => {
          if (!wantsPage(c)) return c.json(inboxView(sections, search))
          const [only, ...others] = search?.orders ?? []
          return only !== undefined && others.length === 0
            ? c.redirect(`console/orders/${only.placed.orderRef}`, 303)
            : consolePage(c, 'Needs a decision', inboxPage(sections, query.kind === null, search))
        }),
      ),
    )
    .route('/', consoleMerchantRoutes(services))
  for (const name of NAMES)
    app.post(`/console/orders/:uuid/${name}`, limitBody(), (c) =>
      pipe(
        TE.fromEither(uuidParam(c)),
        TE.chainW((orderRef) => decide(c, orderRef, name)),
        respondPage(c, identity),
      ),
    )
  return app
}
