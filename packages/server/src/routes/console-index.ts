// The console's first page: the orders and jobs that wait for an operator, and the search for an order. Contract §7, the
// console.
import { findOrders, type Host, type Merchants, orderView } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import { wrong } from '../decoded.ts'
import { nextTurn } from '../event-loop.ts'
import { consolePage } from '../pages/console.ts'
import { type Found, WAITING_KINDS, type WaitingKind, type WaitingSection, waitingPage } from '../pages/waiting.ts'
import type { KnownError, RequestError } from '../problem.ts'
import type { AnswerError } from './answers.ts'
import { onConsole, wantsPage } from './console-answers.ts'

const PAGE = 20

type Asked = { readonly kind: WaitingKind | null; readonly after: number | null }

const askedIn = (c: Context): E.Either<RequestError, Asked> => {
  const waiting = c.req.query('waiting') ?? ''
  const after = c.req.query('after') ?? ''
  const kind = WAITING_KINDS.find((each) => each === waiting) ?? null
  if (waiting !== '' && kind === null) return E.left(wrong('waiting', waiting, `one of ${WAITING_KINDS.join(', ')}`))
  if (after !== '' && !/^\d{1,15}$/.test(after)) return E.left(wrong('after', after, 'as a page’s own link has it'))
  return E.right({ kind, after: kind === null || after === '' ? null : Number(after) })
}

export const consoleIndexRoutes = (host: Host, merchants: Merchants, answerError: AnswerError) => {
  const { store } = host

  const stuckSection = (after: number): TE.TaskEither<KnownError, WaitingSection> =>
    pipe(
      store.stuck(),
      TE.map((entries) => ({
        kind: 'stuck',
        lines: entries.slice(after, after + PAGE).map((stuck) => ({ stuck })),
        next: entries.length > after + PAGE ? after + PAGE : null,
      })),
    )

  const sectionOf = (kind: WaitingKind, after: number | null): TE.TaskEither<KnownError, WaitingSection> =>
    kind === 'stuck'
      ? stuckSection(after ?? 0)
      : pipe(
          store.orders.waiting(kind, after, PAGE),
          TE.map(({ orders, next }) => ({ kind, lines: orders, next })),
        )

  const sectionsOf = ({ kind, after }: Asked): TE.TaskEither<KnownError, readonly WaitingSection[]> =>
    TE.traverseSeqArray((each: WaitingKind) => sectionOf(each, after))(kind === null ? WAITING_KINDS : [kind])

  const found = (reference: string): TE.TaskEither<KnownError, Found | null> =>
    reference === ''
      ? TE.right(null)
      : pipe(
          findOrders({ store, merchants, pause: nextTurn })(reference),
          TE.map((orders) => ({ reference, orders })),
        )

  const asJson = (sections: readonly WaitingSection[], search: Found | null) => ({
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

  const answer = async (c: Context, asked: Asked, sections: readonly WaitingSection[], search: Found | null) => {
    if (!wantsPage(c)) return c.json(asJson(sections, search))
    const [only, ...others] = search?.orders ?? []
    return only !== undefined && others.length === 0
      ? c.redirect(`console/orders/${only.placed.orderRef}`, 303)
      : consolePage(c, 'What waits for a decision', waitingPage(sections, asked.kind === null, search))
  }

  return new Hono().get('/console', (c) =>
    onConsole(
      c,
      answerError,
      pipe(
        TE.fromEither<KnownError, Asked>(askedIn(c)),
        TE.bindTo('asked'),
        TE.bind('sections', ({ asked }) => sectionsOf(asked)),
        TE.bind('search', () => found((c.req.query('reference') ?? '').trim())),
        TE.chainTaskK(
          ({ asked, sections, search }) =>
            () =>
              answer(c, asked, sections, search),
        ),
      ),
    ),
  )
}
