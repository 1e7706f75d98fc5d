// The console's first page: the orders and jobs that wait for an operator, and the search for an order. Contract §7, the
// console.
import { findOrders, INBOX_KINDS, type InboxKind, orderView } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import { yieldToEventLoop } from '../http/chunked-json.ts'
import type { KnownError, RequestError } from '../http/problem.ts'
import { invalidValue } from '../http/request.ts'
import { type InboxSection, inboxPage, type SearchResult } from '../pages/operator-inbox.ts'
import { consolePage } from '../pages/page.ts'
import { wantsPage } from './answers.ts'
import type { Services } from './services.ts'

const PAGE = 20

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

export const consoleIndexRoutes = ({ host: { store }, merchants, respondPage }: Services) => {
  const stuckSection = (after: number): TE.TaskEither<KnownError, InboxSection> =>
    pipe(
      store.stuckJobs(),
      TE.map((jobs) => ({
        kind: 'stuck',
        lines: jobs.slice(after, after + PAGE).map((stuck) => ({ stuck })),
        next: jobs.length > after + PAGE ? after + PAGE : null,
      })),
    )

  const sectionOf = (kind: InboxKind, after: number | null): TE.TaskEither<KnownError, InboxSection> =>
    kind === 'stuck'
      ? stuckSection(after ?? 0)
      : pipe(
          store.orders.waiting(kind, after, PAGE),
          TE.map(({ orders, next }) => ({ kind, lines: orders, next })),
        )

  const sectionsOf = ({ kind, after }: InboxQuery): TE.TaskEither<KnownError, readonly InboxSection[]> =>
    TE.traverseSeqArray((each: InboxKind) => sectionOf(each, after))(kind === null ? INBOX_KINDS : [kind])

  const searchOrders = (reference: string): TE.TaskEither<KnownError, SearchResult | null> =>
    reference === ''
      ? TE.right(null)
      : pipe(
          findOrders({ store, merchants, pause: yieldToEventLoop })(reference),
          TE.map((orders) => ({ reference, orders })),
        )

  const asJson = (sections: readonly InboxSection[], search: SearchResult | null) => ({
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

  return new Hono().get('/console', (c) =>
    pipe(
      TE.fromEither<KnownError, InboxQuery>(readInboxQuery(c)),
      TE.bindTo('query'),
      TE.bind('sections', ({ query }) => sectionsOf(query)),
      TE.bind('search', () => searchOrders((c.req.query('reference') ?? '').trim())),
      respondPage(c, ({ query, sections, search }) => {
        if (!wantsPage(c)) return c.json(asJson(sections, search))
        const [only, ...others] = search?.orders ?? []
        return only !== undefined && others.length === 0
          ? c.redirect(`console/orders/${only.placed.orderRef}`, 303)
          : consolePage(c, 'Needs a decision', inboxPage(sections, query.kind === null, search))
      }),
    ),
  )
}
