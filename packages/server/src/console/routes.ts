// An operator sees what waits for a decision here, finds an order, and decides: pages for a
// browser, JSON for every other client. Contract §2, §7 and §9.
import { findOrders, INBOX_KINDS, type InboxKind, orderView } from '@plazo/core'
import { OrderView, orNull } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import * as t from 'io-ts'
import { wantsPage } from '../http/answers.ts'
import type { KnownError, RequestError } from '../http/problem.ts'
import { invalidValue } from '../http/request.ts'
import { answer, HTML, json, query, type Route, route } from '../http/route.ts'
import type { Services } from '../http/services.ts'
import { consoleMerchantRoutes } from '../merchants/routes.ts'
import { type Attention, attentionMarkup, readAttention } from './attention.ts'
import { consoleOrderRoutes } from './order-routes.ts'
import { type InboxSection, inboxPage, type SearchResult } from './page.ts'

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

// What waits, for clients that are not browsers.
const WaitingOrder = t.strict({ since: t.string, order: OrderView })
const StuckJobView = t.strict({ id: t.string, order_ref: t.string, message: t.string })

const Section = t.strict({
  entries: t.readonlyArray(t.union([WaitingOrder, StuckJobView])),
  next: orNull(t.number),
})

/** Each requested kind; `found` only after a search. */
const WaitingView = t.intersection([
  t.type({
    waiting: t.partial(
      Object.fromEntries(INBOX_KINDS.map((kind) => [kind, Section])) as Record<
        InboxKind,
        typeof Section
      >,
    ),
  }),
  t.partial({ found: t.readonlyArray(OrderView) }),
])

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

export const consoleRoutes = (services: Services): readonly Route[] => {
  const { host, byOperator, showConsole } = services
  const { store } = host

  const readSection = (
    kind: InboxKind,
    after: number | null,
  ): TE.TaskEither<KnownError, InboxSection> => {
    if (kind !== 'stuck')
      return pipe(
        store.orders.waiting(kind, null, after, ENTRIES_SHOWN),
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
          findOrders(store, ENTRIES_SHOWN)(reference),
          TE.map(({ orders }) => ({ reference, orders })),
        )

  return [
    route('GET /console', 'listWaiting', 'List what needs a decision', {
      access: { ...byOperator, load: (c) => TE.fromEither(readInboxQuery(c)) },
      errors: 'page',
      description:
        'Lists orders on hold, orders whose cancellation is undecided or failed, and stuck jobs. Also searches for an order by reference. A browser gets a page, other clients get JSON.',
      parameters: {
        waiting: query(`Only this kind: ${INBOX_KINDS.join(', ')}.`),
        after: query('The next page of that kind: the value of next.'),
        reference: query('An order’s uuid, order_ref_1 or order_ref_2, or its beginning.'),
      },
      ok: answer('The orders and jobs, oldest first.', { ...json(WaitingView), ...HTML }),
      answers: {
        303: answer('For a browser whose search finds one order.', undefined, {
          Location: 'The order’s page.',
        }),
      },
      problems: { 400: 'Invalid waiting or after.' },
      handle: ({ kind, after }, _, c) =>
        pipe(
          kind === null ? INBOX_KINDS : [kind],
          TE.traverseSeqArray((each) => readSection(each, after)),
          TE.bindTo('sections'),
          TE.bind('attention', () =>
            kind === null && wantsPage(c)
              ? TE.map((found: Attention): Attention | null => found)(
                  readAttention(store, host.clock),
                )
              : TE.right(null),
          ),
          TE.bind('search', () => searchOrders((c.req.query('reference') ?? '').trim())),
          TE.chainTaskK(({ sections, search, attention }) => async () => {
            if (!wantsPage(c)) return inboxView(sections, search)
            const [only, ...others] = search?.orders ?? []
            return only !== undefined && others.length === 0
              ? c.redirect(`console/orders/${only.placed.orderRef}`, 303)
              : showConsole(c, {
                  title: 'Needs a decision',
                  area: 'home',
                  body: inboxPage(
                    sections,
                    attention && attentionMarkup(attention, host.clock.now()),
                    search,
                  ),
                  search: search?.reference ?? '',
                })
          }),
        ),
    }),
    ...consoleOrderRoutes(services),
    ...consoleMerchantRoutes(services),
  ]
}
