// The page of an order, its decisions, and the resending of its deliveries: pages for a browser,
// JSON for every other client. A form sends what its reader saw of the order, so that nothing is
// done twice, or about an order that has changed. Contract §7.
import { applyDecision, explainOrder, historyLine, type Order, orderView } from '@plazo/core'
import { OrderView, ResendView } from '@plazo/core/protocol'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { html } from 'hono/html'
import * as t from 'io-ts'
import { confirmedOrder } from '../docs/openapi/examples.ts'
import { wantsPage } from '../http/answers.ts'
import { type FormFields, optionalFormBody } from '../http/body.ts'
import { type Markup, rootFrom } from '../http/page/page.ts'
import { type KnownError, requestError } from '../http/problem.ts'
import { uuidParam } from '../http/request.ts'
import { answer, bodyOf, form, jsonAnswer, PAGE, type Route, route } from '../http/route.ts'
import type { Services } from '../http/services.ts'
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
import {
  DECISION_NAMES,
  DECISIONS,
  type DecisionName,
  doneMarkup,
  possibleDecisions,
} from './decisions.ts'
import { type OrderPageContext, orderPage, orderTitle } from './order-page.ts'

/** The newest lines of a history, and the newest deliveries; a page of all could be megabytes. */
const LINES_SHOWN = 200
const DELIVERIES_SHOWN = 20
const ANSWER_BYTES_SHOWN = 256 * 1024

// A client without a form decides about the order as it is.
const DecisionForm = t.partial({ revision: t.string })
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
  const words = done === 'resend' ? 'has a delivery that is sent again now' : ''
  const what = name === undefined ? words : DECISIONS[name].done
  return what === ''
    ? ''
    : html`<p class="notice good" role="status">${doneMarkup(order, what)} ${next}</p>`
}

const CHANGED = 'There was another attempt since this page was made. Look at it, then decide.'
const UNKNOWN_DELIVERY = requestError(404, 'Delivery not found.')

export const consoleOrderRoutes = ({
  host,
  byOperator,
  showConsole,
}: Services): readonly Route[] => {
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
          answerBytes: ANSWER_BYTES_SHOWN,
        }),
      ),
      TE.map(({ newest: { lines, next }, listed, ...read }) => ({
        ...read,
        deliveries: listed.toReversed(),
        newestLines: lines.map(historyLine),
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

  /** Leads back to the queue, if the operator works through one. */
  const decide = (
    c: Context,
    { orderRef, queue }: Place,
    name: DecisionName,
    { revision }: FormFields,
  ): TE.TaskEither<KnownError, Response | OrderView> =>
    pipe(
      applyDecision(host)(orderRef, DECISIONS[name].event, toRevision(revision)),
      TE.map((order) => {
        if (!wantsPage(c)) return orderView(order)
        if (queue.kind !== null)
          return c.redirect(
            `../../decisions${queueQuery(queue, { done: name, order: orderRef })}`,
            303,
          )
        return c.redirect(`../${orderRef}${revision === undefined ? '' : `?done=${name}`}`, 303)
      }),
      TE.orElseW(orShow(c, orderRef, `../${orderRef}`, queue)),
    )

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
    ...DECISION_NAMES.map((name) => {
      const { id, summary, description } = DECISIONS[name]
      return route(`POST /console/orders/:uuid/${name}`, id, summary, {
        access: anOrderInQueue,
        errors: 'page',
        description: `${description} A browser’s form is redirected to the order’s page, or to its queue of decisions. Other clients get the order as JSON.`,
        body: bodyOf(form(DecisionForm, { 'at any revision': {} }), (c) =>
          optionalFormBody(c, ['revision']),
        ),
        ok: jsonAnswer('The current order.', OrderView, { order: confirmedOrder }),
        answers: seeOrder,
        problems: {
          ...BAD_QUEUE,
          409: 'The order’s state does not allow it, or the order has another revision. A browser gets the order’s page with this message.',
        },
        handle: (place, fields, c) => decide(c, place, name, fields),
      })
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

// A text that is no number is no revision of any order.
const toRevision = (text: string | undefined): number | null =>
  text === undefined ? null : Number(text)
