// The demo merchant lets anybody try the sandbox, without credentials, because everybody knows
// them. It has a front page, where a newcomer begins, places orders, and has a page of its own
// after a checkout. Sandbox rules, Demo.

import { randomInt } from 'node:crypto'
import { ANY_ORDER, type Order, orderView, placeOrder } from '@plazo/core'
import type { FullStore } from '@plazo/core/ports'
import { CATALOGUE, type Language, languageOf, OrderView } from '@plazo/core/protocol'
import {
  answer,
  HandlerError,
  invalidValue,
  jsonAnswer,
  jsonBodyOf,
  ORDER_REF,
  type Route,
  requestError,
  route,
  SANDBOX_OPERATOR_PASSWORD,
  STATE_CARDS,
  StateRunProgress,
  sendPage,
  showSentences,
  value,
} from '@plazo/server/internal'
import { Hono } from 'hono'
import { html } from 'hono/html'
import * as t from 'io-ts'
import { SANDBOX } from '../access.ts'
import { streamWithBlanks } from '../blanks.ts'
import { DEMO_MERCHANT, DEMO_SECRET } from '../demo-merchant.ts'
import { DEMO_CART } from '../demo-people.ts'
import { sandboxTop } from '../layout.ts'
import { DemoOrderPayload, DemoOrderPlaced, StateRunPayload } from '../protocol.ts'
import { recordAs } from '../record-requests.ts'
import type { SandboxServices } from '../services.ts'
import { createStateRuns, type StateWay } from '../state-run.ts'
import { clockControls, frontPage } from './page.ts'

const RECENT = 20

export const isOfDemo = ({ placed }: Order): boolean => placed.merchant.ref === DEMO_MERCHANT

/** The newest first. */
export const newestOfDemo = async (store: Pick<FullStore, 'orders'>): Promise<readonly Order[]> => {
  const demo = { ...ANY_ORDER, merchantRef: DEMO_MERCHANT }
  return (await value(store.orders.search(demo, null, RECENT))).orders
}

const CODES: readonly string[] = CATALOGUE.map(({ code }) => code)

// Letters and digits that nobody confuses with each other.
const LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const newReference = (): string =>
  `DEMO-${Array.from({ length: 6 }, () => LETTERS[randomInt(LETTERS.length)]).join('')}`

const wayTo = (state: string): StateWay => {
  const { id, title, guide = null } = STATE_CARDS.find((card) => card.id === state) ?? {}
  if (id === undefined || title === undefined || guide === null)
    throw new HandlerError(
      invalidValue('state', state, 'the id of an inner state, as GET /sdk/machine.json names them'),
    )
  const { trigger, steps } = guide
  if (trigger !== null) return { id, title, trigger, steps }
  throw new HandlerError(
    requestError(400, `No shopper of the sandbox gets to ${title}: a provider must fail.`),
  )
}

export const demoRoutes = (services: SandboxServices): readonly Route[] => {
  const { host, merchants, baseUrl, guard, config, callApp } = services
  const place = placeOrder(host, guard.checkUrl, guard.checkPage)
  const { operatorPassword } = config
  const runToState = createStateRuns({
    call: callApp,
    baseUrl,
    names: host.terms.names,
    operatorPassword,
  })

  const orderOf = ({ product, language, items, shop }: DemoOrderPayload) => {
    const cart = items ?? DEMO_CART
    const reference = newReference()
    return {
      order: {
        product_code: product,
        merchant: {
          id: DEMO_MERCHANT,
          return_url: `${baseUrl}/demo/return?order=${reference}&language=${languageOf(language ?? null)}&product=SQ_PRODUCT_CODE`,
          notify_url: shop?.notify_url ?? `${baseUrl}/demo/notify`,
          events_webhook: { url: shop?.events_url ?? `${baseUrl}/demo/events`, parameters: {} },
        },
        merchant_reference: { order_ref_1: reference },
        customer: { language_code: language ?? 'en' },
        cart: {
          currency: 'EUR',
          order_total_with_tax: cart.reduce((sum, item) => sum + item.total_with_tax, 0),
          items: cart.map(({ name, total_with_tax }, index) => ({
            type: 'product',
            reference: `SKU-${index + 1}`,
            name,
            quantity: 1,
            price_with_tax: total_with_tax,
            total_with_tax,
          })),
        },
      },
    }
  }

  return [
    route(`GET ${ORDERS}`, 'listDemoOrders', 'List the demo merchant’s recent orders', {
      access: SANDBOX,
      ok: jsonAnswer('The newest first, at most 20.', t.readonlyArray(OrderView)),
      handle: async () => (await newestOfDemo(host.store)).map(orderView),
    }),
    route(`POST ${ORDERS}`, 'placeDemoOrder', 'Place an order as the demo merchant', {
      access: SANDBOX,
      errors: showSentences,
      description: 'The same as POST /orders with the credentials of demo, in one line.',
      body: jsonBodyOf(DemoOrderPayload, { 'pay in instalments': { product: 'pp3' } }),
      status: 201,
      ok: jsonAnswer('The uuid of the order and its checkout.', DemoOrderPlaced, {
        placed: { order_ref: ORDER_REF },
      }),
      problems: {
        400: 'The body is invalid.',
        404: 'The merchant demo does not exist.',
        409: 'The order is refused.',
      },
      handle: async (_, payload, c) => {
        if (!CODES.includes(payload.product))
          throw new HandlerError(
            invalidValue('product', payload.product, `one of ${CODES.join(', ')}`),
          )
        const body = orderOf(payload)
        const demo = await value(merchants.find(DEMO_MERCHANT))
        if (demo === null)
          throw new HandlerError(requestError(404, 'The merchant demo does not exist.'))
        const orderRef = await value(place(demo, body))
        const answer = { location: `${baseUrl}/orders/${orderRef}` }
        recordAs(c, { method: 'POST', path: '/orders', status: 204, body, answer })
        return { order_ref: orderRef }
      },
    }),
    route('POST /sandbox/demo/runs', 'runToState', 'Bring an order of demo to a state', {
      access: SANDBOX,
      description:
        'Places an order, and goes the shortest way to the state as the shopper, the demo shop and the operator. It moves the clock, for all orders.',
      body: jsonBodyOf(StateRunPayload, { reviewing: { state: 'checkout.open.reviewing' } }),
      ok: answer('A line of JSON after each step. The last one has the status reached or failed.', {
        'application/x-ndjson': { schema: StateRunProgress },
      }),
      problems: { 400: 'state is not the id of an inner state.' },
      handle: (_, { state }, c) => {
        const way = wayTo(state)
        c.header('content-type', 'application/x-ndjson')
        // Nothing waits for the reader: the run goes on if nobody reads its progress.
        return streamWithBlanks(c, '\n', (write) =>
          runToState(way, (progress) => void write(`${JSON.stringify(progress)}\n`)),
        )
      },
    }),
  ]
}

const ORDERS = '/sandbox/demo/orders'

/** The front page, and the shop's own page after a checkout. */
export const demoPages = ({ baseUrl, config }: SandboxServices): Hono => {
  const serverUrl = new URL(baseUrl)
  // The page may have been opened at another name of this machine.
  const sourceOf = (host: string | undefined): string =>
    host === undefined || host === serverUrl.host ? "'self'" : serverUrl.origin
  return new Hono()
    .get('/', (c) =>
      sendPage(c, {
        title: 'plazo sandbox',
        lead: sandboxTop('try', '', clockControls()),
        body: frontPage({
          baseUrl,
          cart: DEMO_CART,
          secret: DEMO_SECRET,
          isConsoleOpen: config.operatorPassword === SANDBOX_OPERATOR_PASSWORD,
          chosen: c.req.query('person') ?? null,
        }),
        sheet: 'sandbox/front-page/style.css',
        scripts: ['front-page'],
        isPublic: true,
        // The card form's URL begins with BASE_URL, and may redirect to a provider's https URL.
        policy: ["connect-src 'self'", `frame-src ${sourceOf(c.req.header('host'))} https:`],
      }),
    )
    .get('/demo/return', (c) => {
      const order = c.req.query('order')
      const language = languageOf(c.req.query('language') ?? null)
      const { title, text, orderName, back } = RETURN_TEXTS[language]
      return sendPage(c, {
        language,
        title,
        sheet: 'sandbox/front-page/return.css',
        body: html`<p class="mark">${CHECK_MARK}</p>
<h1>${title}</h1>
<p>${text}</p>
${order !== undefined && html`<p>${orderName} <strong>${order}</strong></p>`}
<p><a href="../">${back}</a></p>`,
      })
    })
}

const RETURN_TEXTS = {
  en: {
    title: 'Thank you for your order',
    text: 'This is the shop’s own page. The checkout is finished.',
    orderName: 'Your order:',
    back: 'Back to the sandbox',
  },
  es: {
    title: 'Gracias por tu pedido',
    text: 'Esta es la página de la tienda. El pago ha terminado.',
    orderName: 'Tu pedido:',
    back: 'Volver al sandbox',
  },
} satisfies { readonly [language in Language]: unknown }

const CHECK_MARK = html`<svg viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="22"/><path d="M15 25l6 6 12-13"/></svg>`
