// The first page of the console says what needs an operator. Clients that are not browsers get the
// lists of what waits instead, as JSON. Contract §2, §7 and §9.
import { findOrders, INBOX_KINDS, type InboxKind, type Order, orderView } from '@plazo/core'
import type { StuckJob, WaitingOrder } from '@plazo/core/ports'
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
import { homePage, readAttention } from './attention.ts'
import { placeQuery, TASK_NAMES } from './decision-place.ts'
import type { ConsoleServices } from './frame.ts'

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
const WaitingEntry = t.strict({ since: t.string, order: OrderView })
const StuckJobView = t.strict({ id: t.string, order_ref: t.string, message: t.string })

const Section = t.strict({
  entries: t.readonlyArray(t.union([WaitingEntry, StuckJobView])),
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

type InboxSection = {
  readonly kind: InboxKind
  readonly lines: readonly (WaitingOrder | { readonly stuck: StuckJob })[]
  readonly next: number | null
}

const inboxView = (sections: readonly InboxSection[], found: readonly Order[] | null) => ({
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
  ...(found !== null && { found: found.map(orderView) }),
})

export const consoleRoutes = (services: ConsoleServices): readonly Route[] => {
  const { host, byOperator, showConsole } = services
  const { store } = host

  const readSection = (
    kind: InboxKind,
    after: number | null,
  ): TE.TaskEither<KnownError, InboxSection> => {
    if (kind !== 'stuck')
      return pipe(
        store.orders.waiting(kind, null, after, ENTRIES_SHOWN),
        TE.map((lines) => ({
          kind,
          lines,
          next: lines.length < ENTRIES_SHOWN ? null : (lines.at(-1)?.position ?? null),
        })),
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

  const searchOrders = (reference: string): TE.TaskEither<KnownError, readonly Order[] | null> =>
    reference === ''
      ? TE.right(null)
      : pipe(
          findOrders(store, ENTRIES_SHOWN)(reference),
          TE.map(({ orders }) => orders),
        )

  const showHome = (c: Context): TE.TaskEither<KnownError, Response> =>
    pipe(
      readAttention(services),
      TE.chainTaskK(
        (items) => () => showConsole(c, { title: 'Home', area: 'home', body: homePage(items) }),
      ),
    )

  /** Where the lists and the search of this path are for a browser. */
  const pageOf = (kind: InboxKind | null, reference: string): string | null => {
    if (reference !== '') return `console/orders${placeQuery({}, { search: reference })}`
    const task = TASK_NAMES.find((each) => each === kind)
    return task === undefined ? null : `console/decisions${placeQuery({ kind: task })}`
  }

  return [
    route('GET /console', 'listWaiting', 'List what needs a decision', {
      access: { ...byOperator, load: (c) => TE.fromEither(readInboxQuery(c)) },
      errors: 'page',
      description:
        'Lists orders on hold, orders whose cancellation is undecided or failed, and stuck jobs. Also searches for an order by reference. A browser gets a page that says what needs attention, other clients get JSON.',
      parameters: {
        waiting: query(`Only this kind: ${INBOX_KINDS.join(', ')}.`),
        after: query('The next page of that kind: the value of next.'),
        reference: query('An order’s uuid, order_ref_1 or order_ref_2, or its beginning.'),
      },
      ok: answer('The orders and jobs, oldest first.', { ...json(WaitingView), ...HTML }),
      answers: {
        303: answer('For a browser with waiting or reference.', undefined, {
          Location: 'The page of decisions or of orders.',
        }),
      },
      problems: { 400: 'Invalid waiting or after.' },
      handle: ({ kind, after }, _, c) => {
        const reference = (c.req.query('reference') ?? '').trim()
        if (wantsPage(c)) {
          const page = pageOf(kind, reference)
          return page === null ? showHome(c) : c.redirect(page, 303)
        }
        return pipe(
          kind === null ? INBOX_KINDS : [kind],
          TE.traverseSeqArray((each) => readSection(each, after)),
          TE.bindTo('sections'),
          TE.bind('found', () => searchOrders(reference)),
          TE.map(({ sections, found }) => inboxView(sections, found)),
        )
      },
    }),
  ]
}
