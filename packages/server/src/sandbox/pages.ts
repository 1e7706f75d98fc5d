// People see the sandbox in a browser: one client app, whose views have a path each, and the shop's own
// page after a checkout. Sandbox rules, Pages.

import { languageOf } from '@plazo/core/internal'
import {
  readBrowserFile,
  rootFrom,
  SANDBOX_OPERATOR_PASSWORD,
  sendPage,
} from '@plazo/server/internal'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { DEMO_SECRET } from './demo-merchant.ts'
import { sandboxTop } from './layout.ts'
import type { SandboxServices } from './services.ts'

const DELIVERIES = [
  'Deliveries',
  'Each webhook as it was sent, with the check of its signature and the answer to each attempt.',
] as const

/** The title and what the page is for, by its path from the server's base URL. */
const VIEWS: Readonly<Record<string, readonly [title: string, intro: string]>> = {
  'sandbox/triggers': [
    'Test data',
    'The surnames of the shopper decide what happens to their order. Use them in your own shop, or buy as one of these persons.',
  ],
  'sandbox/messages': ['SMS', 'The sandbox sends no real SMS. The newest are here.'],
  'sandbox/clock': [
    'Clock',
    'Every timer follows the clock at the top. Move it, and each job that becomes due runs at its own time.',
  ],
  'sandbox/demo/webhooks': DELIVERIES,
  'sandbox/webhooks': DELIVERIES,
}

type PageServices = Pick<SandboxServices, 'baseUrl' | 'config'>

/** Sends the client app, which shows the view of the request's path. */
export const sendView = (c: Context, { baseUrl, config }: PageServices): Promise<Response> => {
  const root = rootFrom(c)
  const path = c.req.path.slice(1)
  const [title, intro] = VIEWS[path] ?? ['Try plazo', '']
  const isFrontPage = path === ''
  const isConsoleOpen = config.operatorPassword === SANDBOX_OPERATOR_PASSWORD
  const server = new URL(baseUrl)
  // The page may have been opened at another name of this machine.
  const source = c.req.header('host') === server.host ? "'self'" : server.origin
  return sendPage(c, {
    title: `${title} · plazo sandbox`,
    lead: sandboxTop(path, root, html`<div class="actions" id="clock"></div>`),
    body: html`<h1${isFrontPage && html` class="unseen"`}>${title}</h1>
${intro && html`<p class="quiet">${intro}</p>`}
${isFrontPage && html`<nav class="tabs actions" aria-label="Panes"><a class="button other" href="#shop">Shop</a> <a class="button other" href="#machine">Statechart</a> <a class="button other" href="#timeline">Timeline</a></nav>`}
<noscript><p>This page needs JavaScript. Without it, read ${baseUrl}${c.req.path} with curl, or run “plazo demo”.</p></noscript>
<div id="view" class="stack"></div>
${isFrontPage && connect(baseUrl, isConsoleOpen)}`,
    styles: ['sandbox/browser/style.css'],
    scripts: ['sandbox'],
    isPublic: isFrontPage,
    // At a prefix, a browser may omit the slash at the end.
    base: isFrontPage && server.pathname !== '/' ? `${server.pathname}/` : undefined,
    // The card form's URL begins with BASE_URL, and may redirect to a provider's https URL.
    policy: ["connect-src 'self'", ...(isFrontPage ? [`frame-src ${source} https:`] : [])],
  })
}

const connect = (baseUrl: string, isConsoleOpen: boolean) => html`<details class="card">
<summary>Connect your own shop</summary>
<ol class="stack">
<li>The receiving guide has a whole shop in one file: <a href="sandbox/receiving">Receiving in a shop</a>.</li>
<li>Your shop’s account is <code>demo</code> with password <code>demo</code>. Webhooks are signed with <code>${DEMO_SECRET}</code>. The operator’s account is <code>operator</code> with ${
  isConsoleOpen ? html`password <code>operator</code>` : 'the value of OPERATOR_PASSWORD'
}.</li>
<li>Place an order with your own <code>notify_url</code> and <code>events_webhook</code>, and show <code>/orders/&lt;uuid&gt;/form_v2</code> or <code>&lt;plazo-checkout&gt;</code>.
<div class="code"><button type="button" class="other" data-copy="">Copy</button>
<pre tabindex="0">curl -si -u demo:demo ${baseUrl}/orders \\
  -H 'content-type: application/json' \\
  -d '{"order":{"merchant":{"id":"demo",
  "return_url":"${baseUrl}/demo/return",
  "notify_url":"${baseUrl}/demo/notify",
  "events_webhook":{"url":"${baseUrl}/demo/events"}},
  "cart":{"currency":"EUR","order_total_with_tax":12100,
  "items":[{"total_with_tax":12100}]}}}'</pre></div></li>
<li>Use the <a href="sandbox/triggers">test data</a>, and find <a href="docs">every call</a> in the reference.</li>
</ol>
</details>`

/** The front page, the guide to its end, and the shop's own page after a checkout. */
export const demoPages = (services: PageServices): Hono =>
  new Hono()
    .get('/', (c) => sendView(c, services))
    .get('/sandbox/receiving', async (c) => c.text((await readBrowserFile('receiving.md')).body))
    .get('/demo/return', (c) => {
      const order = c.req.query('order')
      const language = languageOf(c.req.query('language') ?? null)
      const { title, text, orderName, back } = RETURN_TEXTS[language]
      return sendPage(c, {
        language,
        title,
        layout: 'shopper',
        body: html`<h1>${title}</h1>
<p>${text}</p>
${order !== undefined && html`<p>${orderName} <strong>${order}</strong></p>`}
<p><a href="../">${back}</a></p>`,
      })
    })

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
} as const
