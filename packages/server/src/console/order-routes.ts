// The page of an order, its decisions, and the resending of its deliveries: pages for a browser,
// JSON for every other client. A form sends what its reader saw of the order, so that nothing is
// done twice, or about an order that has changed. Contract §7.
import { explainOrder, historyLine, type Order } from '@plazo/core'
import { ResendView } from '@plazo/core/protocol'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { html } from 'hono/html'
import * as t from 'io-ts'
import { wantsPage } from '../http/answers.ts'
import { type FormFields, optionalFormBody } from '../http/body.ts'
import { type Markup, rootFrom } from '../http/page/page.ts'
import { type KnownError, requestError } from '../http/problem.ts'
import { uuidParam } from '../http/request.ts'
import { answer, bodyOf, form, jsonAnswer, PAGE, type Route, route } from '../http/route.ts'
import { DECISION_NAMES } from '../orders/decisions.ts'
import {
  BAD_QUEUE,
  findNext,
  NO_QUEUE,
  nextMarkup,
  QUEUE,
  type Queue,
  queueQuery,
  readQueue,
} from './decision-queue.ts'
import { doneMarkup, possibleDecisions } from './decisions.ts'
import type { ConsoleServices } from './frame.ts'
import { type OrderPageContext, orderPage, orderTitle } from './order-page.ts'

/** The newest lines of a history, and the newest deliveries; a page of all could be megabytes. */
const LINES_SHOWN = 200
const DELIVERIES_SHOWN = 20

const ResendForm = t.partial({ attempts: t.string })

const seeOrder = {
  303: answer('For a browser: a redirect to the order’s page.', undefined, {
    Location: 'The order’s page.',
  }),
}

type Shown = Partial<Pick<OrderPageContext, 'address' | 'refusal' | 'open'>> & {
  readonly done?: string
  readonly queue?: Queue
}

type Place = { readonly orderRef: string; readonly queue: Queue }

/** `done`: of a decision, or `resend`. */
const noticeOf = (order: Order, done: string, next: Markup | ''): Markup | '' => {
  const name = DECISION_NAMES.find((each) => each === done)
  if (done === 'resend') return html`<p class="notice good" role="status">It is sent again.</p>`
  return name === undefined
    ? ''
    : html`<p class="notice good" role="status">${doneMarkup(order, name)} ${next}</p>`
}

const CHANGED = 'There was another attempt since this page was made. Look at it, then decide.'
const UNKNOWN_DELIVERY = requestError(404, 'Delivery not found.')

export const consoleOrderRoutes = ({
  host,
  byOperator,
  showConsole,
}: ConsoleServices): readonly Route[] => {
  const anOrder = { ...byOperator, load: (c: Context) => TE.fromEither(uuidParam(c)) }
  const anOrderInQueue = {
    ...byOperator,
    parameters: QUEUE,
    load: (c: Context): TE.TaskEither<KnownError, Place> =>
      pipe(
        TE.fromEither(uuidParam(c)),
        TE.bindTo('orderRef'),
        TE.bindW('queue', () => TE.fromEither(readQueue(c))),
      ),
  }
  const { store, clock } = host
  const explain = explainOrder(host)

  const readOrder = (orderRef: string) =>
    pipe(
      TE.Do,
      TE.bindW('order', () => store.read(orderRef)),
      TE.bindW('newest', () => store.history(orderRef, null, LINES_SHOWN)),
      TE.bindW('explanation', ({ order }) => explain(order)),
      TE.bindW('requests', () => store.inspection.requests(orderRef)),
      TE.bindW('listed', ({ order }) =>
        store.deliveries.list({
          merchantRef: order.placed.merchant.ref,
          orderRef,
          state: null,
          before: null,
          limit: DELIVERIES_SHOWN,
        }),
      ),
      TE.map(({ newest: { lines, next }, listed, ...read }) => ({
        ...read,
        deliveries: listed.toReversed(),
        newestLines: lines.map((line) => ({ ...historyLine(line), detail: line.detail })),
        hasOlderLines: next !== null,
        decisions: possibleDecisions(host)(read.order),
      })),
    )

  /** `done`: what was done, as in `noticeOf`. */
  const showOrder = (
    c: Context,
    orderRef: string,
    { address = orderRef, refusal = [], done = '', open = '', queue = NO_QUEUE }: Shown,
  ): TE.TaskEither<KnownError, Response> => {
    const isInQueue = queue.kind !== null
    const namesNext = isInQueue || DECISION_NAMES.some((name) => name === done)
    return pipe(
      TE.Do,
      TE.bindW('loaded', () => readOrder(orderRef)),
      TE.bindW('next', () => (namesNext ? findNext(store, queue, orderRef) : TE.right(null))),
      TE.chainTaskK(({ loaded, next }) => () => {
        const root = rootFrom(c)
        const nextLink = namesNext ? nextMarkup(queue, next, root) : ''
        const body = orderPage(loaded, {
          ...{ address, root, refusal, open },
          notice: noticeOf(loaded.order, done, isInQueue ? '' : nextLink),
          next: isInQueue ? nextLink : '',
          query: queueQuery(queue),
        })
        const status = refusal.length === 0 ? 200 : 409
        return showConsole(c, { title: orderTitle(loaded), area: null, body }, status)
      }),
    )
  }

  // Somebody else decided first, or the page is out of date: the answer shows the order as it is
  // now.
  const orShow =
    (c: Context, orderRef: string, address: string, queue?: Queue) => (error: KnownError) =>
      error._tag === 'Refused' && wantsPage(c)
        ? showOrder(c, orderRef, { address, refusal: error.sentences, ...(queue && { queue }) })
        : TE.left(error)

  const resend = (c: Context, orderRef: string, id: string, { attempts }: FormFields) =>
    pipe(
      store.read(orderRef),
      TE.bindTo('order'),
      TE.bindW('delivery', ({ order }) => store.deliveries.find(order.placed.merchant.ref, id)),
      TE.filterOrElseW(
        ({ delivery }) => delivery.orderRef === orderRef,
        () => UNKNOWN_DELIVERY,
      ),
      TE.filterOrElseW(
        ({ delivery }) => attempts === undefined || attempts === String(delivery.attempts.length),
        () => ({ _tag: 'Refused' as const, sentences: [CHANGED] }),
      ),
      TE.chainW(({ order }) => store.deliveries.resend(order.placed.merchant.ref, id, clock.now())),
      TE.map(() => (wantsPage(c) ? c.redirect(`../../${orderRef}?done=resend`, 303) : { id })),
      TE.orElseW(orShow(c, orderRef, `../../${orderRef}`)),
    )

  return [
    route('GET /console/orders/:uuid', 'showOrderPage', 'Get an order’s page', {
      access: anOrderInQueue,
      errors: 'page',
      description:
        'Shows why the order is where it is, the possible decisions, deliveries and history. cancellation_request_url leads here.',
      ok: PAGE,
      problems: BAD_QUEUE,
      handle: ({ orderRef, queue }, _, c) =>
        showOrder(c, orderRef, {
          done: c.req.query('done') ?? '',
          open: c.req.query('decision') ?? '',
          queue,
        }),
    }),
    route(
      'POST /console/orders/:uuid/resend/:id',
      'resendDeliveryOfOrder',
      'Resend a delivery of an order',
      {
        isSampled: false,
        access: anOrder,
        errors: 'page',
        description: 'As a merchant resends it.',
        body: bodyOf(form(ResendForm, { 'in any case': {} }), (c) =>
          optionalFormBody(c, ['attempts']),
        ),
        status: 202,
        ok: jsonAnswer('The delivery will be sent.', ResendView),
        answers: seeOrder,
        problems: {
          404: UNKNOWN_DELIVERY.detail,
          409: 'The content was erased, or there are more attempts than given.',
        },
        handle: (orderRef, fields, c) => resend(c, orderRef, c.req.param('id'), fields),
      },
    ),
  ]
}
