// People see the sandbox in a browser: the front page, where a newcomer begins, the shop's page after a
// checkout, and a page for each tool. Sandbox rules, Pages.

import { explainOrder, type Order, orderView } from '@plazo/core'
import { type Language, languageOf } from '@plazo/core/protocol'
import { rootFrom, SANDBOX_OPERATOR_PASSWORD, sendPage, value } from '@plazo/server/internal'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { clockPage } from './clock/page.ts'
import { DEMO_MERCHANT, DEMO_SECRET } from './demo-merchant.ts'
import { newestOfDemo } from './demo-orders.ts'
import { DEMO_CART } from './demo-people.ts'
import { clockControls, frontPage } from './front-page/page.ts'
import { sandboxTop, sendToolPage } from './layout.ts'
import { messagesPage } from './messages-page.ts'
import type { SandboxServices } from './services.ts'
import { upcomingOf } from './timeline/timeline.ts'
import { triggersPage } from './triggers-page.ts'
import { webhooksPage } from './webhooks/page.ts'
import { isAnswer } from './webhooks/receivers.ts'
import type { SentWebhook } from './webhooks/sent-webhooks.ts'

const SHOWN_MAX = 50

/** The pages at the paths where programs get JSON. */
export const toolPages = ({ host, sentMessages, baseUrl }: SandboxServices) => {
  const messagesTo = async (order: Order) =>
    (await value(sentMessages(order.placed.orderRef))).map((message) => ({
      message,
      order: orderView(order),
    }))

  const jobsOf = async (order: Order) => {
    const explanation = await value(explainOrder(host)(order))
    return upcomingOf(order, explanation, host.clock.now()).map((job) => ({
      order: orderView(order),
      job,
    }))
  }

  return {
    triggers: (c: Context) =>
      sendToolPage(c, {
        current: 'triggers',
        title: 'Test data',
        body: triggersPage(rootFrom(c)),
        sheet: 'sandbox/triggers.css',
        script: 'copy-buttons',
      }),
    /** `order`: null for the newest orders of the demo merchant. */
    messages: async (c: Context, order: Order | null) => {
      const orders = order === null ? await newestOfDemo(host.store) : [order]
      const sms = (await Promise.all(orders.map(messagesTo))).flat()
      const newestFirst = sms.toSorted((one, other) => other.message.at - one.message.at)
      const body = messagesPage({
        root: rootFrom(c),
        order: order && orderView(order),
        messages: newestFirst.slice(0, SHOWN_MAX),
      })
      return sendToolPage(c, {
        current: 'messages',
        title: 'SMS',
        body,
        sheet: 'sandbox/messages.css',
        script: 'live-list',
        hasForms: true,
      })
    },
    clock: async (c: Context) => {
      const orders = await newestOfDemo(host.store)
      const jobs = (await Promise.all(orders.map(jobsOf))).flat()
      const now = host.clock.now()
      const body = clockPage({
        root: rootFrom(c),
        now,
        nextDueAt: await value(host.store.nextDueAt(now)),
        upcoming: jobs
          .toSorted((one, other) => (one.job.at < other.job.at ? -1 : 1))
          .slice(0, SHOWN_MAX),
      })
      return sendToolPage(c, {
        current: 'clock',
        title: 'Clock',
        body,
        sheet: 'sandbox/clock/style.css',
        script: 'sandbox-clock',
      })
    },
    webhooks: (c: Context, merchantRef: string, webhooks: readonly SentWebhook[]) => {
      const chosen = c.req.query('answer') ?? ''
      const answer = isAnswer('ipn', chosen) ? chosen : ''
      return sendToolPage(c, {
        current: merchantRef === DEMO_MERCHANT ? 'webhooks' : null,
        title: `Webhooks of ${merchantRef}`,
        body: webhooksPage({ root: rootFrom(c), baseUrl, merchantRef, answer, webhooks }),
        sheet: 'sandbox/webhooks/style.css',
        script: 'live-list',
        hasForms: true,
      })
    },
  }
}

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
