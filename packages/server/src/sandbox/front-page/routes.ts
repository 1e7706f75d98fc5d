// The demo merchant lets anybody try the sandbox, without credentials, because everybody knows
// them. It has a front page, where a newcomer begins, places orders, and has a page of its own
// after a checkout. Sandbox rules, Demo.
import { randomInt } from 'node:crypto'
import { type Order, orderView, placeOrder } from '@plazo/core'
import type { FullStore, Unavailable } from '@plazo/core/ports'
import {
  CATALOGUE,
  DemoOrderPayload,
  type Language,
  languageOf,
  StateRunPayload,
} from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { stream } from 'hono/streaming'
import { SANDBOX_OPERATOR_PASSWORD } from '../../boot/config.ts'
import { orderApiError, respondWith } from '../../http/answers.ts'
import { decodeJson, limitBody } from '../../http/body.ts'
import { SCRIPTS } from '../../http/page/browser-script.ts'
import { sendPage } from '../../http/page/page.ts'
import { CARD } from '../../http/page/script/design.ts'
import { type RequestError, requestError } from '../../http/problem.ts'
import { invalidValue } from '../../http/request.ts'
import { STATE_CARDS } from '../../machine/machine-data.ts'
import { DEMO_CART, DEMO_MERCHANT, DEMO_SECRET } from '../demo-merchant.ts'
import { sandboxTop } from '../layout.ts'
import { recordAs } from '../record-requests.ts'
import type { SandboxServices } from '../services.ts'
import { createStateRuns, type StateWay } from '../state-run.ts'
import { drillBanner } from '../webhooks/drills-page.ts'
import { clockControls, FRONT_PAGE_STYLE, frontPage } from './page.ts'

const RECENT = 20
/** A step may move the clock for a long time, and no client should give up meanwhile. */
const KEEP_ALIVE = 10_000
const SEARCHED = 200

export const isOfDemo = ({ placed }: Order): boolean => placed.merchant.ref === DEMO_MERCHANT

/**
 * The newest first. Orders of other merchants may be newer, so it finds those among the newest of
 * all.
 */
export const newestOfDemo = (
  store: Pick<FullStore, 'orders'>,
): TE.TaskEither<Unavailable, readonly Order[]> =>
  pipe(
    store.orders.newest(null, SEARCHED),
    TE.map(({ orders }) => orders.filter(isOfDemo).slice(0, RECENT)),
  )

const CODES: readonly string[] = CATALOGUE.map(({ code }) => code)

// Letters and digits that nobody confuses with each other.
const LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const newReference = (): string =>
  `DEMO-${Array.from({ length: 6 }, () => LETTERS[randomInt(LETTERS.length)]).join('')}`

const wayTo = (state: string): E.Either<RequestError, StateWay> => {
  const { id, title, guide = null } = STATE_CARDS.find((card) => card.id === state) ?? {}
  if (id === undefined || title === undefined || guide === null)
    return E.left(
      invalidValue('state', state, 'the id of an inner state, as GET /sdk/machine.json names them'),
    )
  const { trigger, steps } = guide
  return trigger === null
    ? E.left(requestError(400, `No shopper of the sandbox gets to ${title}: a provider must fail.`))
    : E.right({ id, title, trigger, steps })
}

export const demoRoutes = (services: SandboxServices) => {
  const { host, merchants, baseUrl, urls, config, callApp, answerError } = services
  const respond = respondWith(orderApiError(answerError))
  const place = placeOrder(host, urls.checkUrl, urls.checkPage)
  const { operatorPassword } = config
  const runToState = createStateRuns({
    call: callApp,
    baseUrl,
    names: host.terms.names,
    operatorPassword,
  })

  const demo = pipe(
    merchants.find(DEMO_MERCHANT),
    TE.chainW(TE.fromNullable(requestError(404, 'The merchant demo does not exist.'))),
  )

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

  return new Hono()
    .get('/sandbox/demo/orders', (c) =>
      pipe(newestOfDemo(host.store), TE.map(RA.map(orderView)), respond(c)),
    )
    .post('/sandbox/demo/orders', limitBody(), (c) =>
      pipe(
        decodeJson(c, DemoOrderPayload),
        TE.filterOrElseW(
          ({ product }) => CODES.includes(product),
          ({ product }) => invalidValue('product', product, `one of ${CODES.join(', ')}`),
        ),
        TE.bindTo('payload'),
        TE.bindW('merchant', () => demo),
        TE.let('body', ({ payload }) => orderOf(payload)),
        TE.bindW('orderRef', ({ merchant, body }) => place(merchant, body)),
        respond(c, ({ orderRef, body }) => {
          const answer = { location: `${baseUrl}/orders/${orderRef}` }
          recordAs(c, { method: 'POST', path: '/orders', status: 204, body, answer })
          return c.json({ order_ref: orderRef }, 201)
        }),
      ),
    )
    .post('/sandbox/demo/runs', limitBody(), (c) =>
      pipe(
        decodeJson(c, StateRunPayload),
        TE.chainEitherKW(({ state }) => wayTo(state)),
        respond(c, (way) => {
          c.header('content-type', 'application/x-ndjson')
          return stream(c, async (out) => {
            const blanks = setInterval(() => void out.write('\n'), KEEP_ALIVE)
            // Nothing waits for the reader: the run goes on if nobody reads its progress.
            await runToState(way, (progress) => void out.write(`${JSON.stringify(progress)}\n`))
            clearInterval(blanks)
          })
        }),
      ),
    )
}

/** The front page, and the shop's own page after a checkout. */
export const demoPages = ({ baseUrl, config, sandbox }: SandboxServices) => {
  const own = new URL(baseUrl)
  // The page may have been opened at another name of this machine.
  const sourceOf = (host: string | undefined): string =>
    host === undefined || host === own.host ? "'self'" : own.origin
  return new Hono()
    .get('/', (c) =>
      sendPage(c, {
        title: 'plazo sandbox',
        lead: html`${sandboxTop('try', '', clockControls())}${drillBanner(sandbox.tools.drills.cached, DEMO_MERCHANT, '')}`,
        body: frontPage({
          ...{ baseUrl, cart: DEMO_CART, secret: DEMO_SECRET },
          isConsoleOpen: config.operatorPassword === SANDBOX_OPERATOR_PASSWORD,
          chosen: c.req.query('person') ?? null,
        }),
        style: FRONT_PAGE_STYLE,
        scripts: [SCRIPTS.frontPage],
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
        ...{ language, title, style: RETURN_STYLE },
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

const RETURN_STYLE = `
  body { max-width: none; min-block-size: 100dvh; padding: 1rem; display: grid; place-items: center; background: var(--ground) }
  main { max-inline-size: 30rem; padding: 2.5rem 2rem; text-align: center; ${CARD} }
  .mark svg { inline-size: 4rem; fill: var(--good-glow); stroke: var(--good); stroke-width: 3; stroke-linecap: round; stroke-linejoin: round }
  .mark circle { stroke: none }
  p { margin: .5rem 0; color: var(--soft) }
`
