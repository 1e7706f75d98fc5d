// Serves the sandbox's front page, where a newcomer begins, and the demo shop's own page after a checkout. Contract §8, Demo.
import { Hono } from 'hono'
import { html } from 'hono/html'
import { CARD } from '../browser/shared/design.ts'
import { SANDBOX_OPERATOR_PASSWORD } from '../config.ts'
import { DEMO_MERCHANT, DEMO_SECRET } from '../merchants/demo-merchant.ts'
import { drillBanner } from '../pages/drills.ts'
import { clockControls, frontPage } from '../pages/front-page.ts'
import { FRONT_PAGE_STYLE } from '../pages/front-page-style.ts'
import { sendPage } from '../pages/page.ts'
import { sandboxTop } from '../pages/sandbox-layout.ts'
import { SCRIPTS } from '../pages/scripts.ts'
import { DEMO_CART } from './demo-orders.ts'
import type { SandboxServices } from './services.ts'

/** Every page names it, in production too. */
export const iconRoutes = () =>
  new Hono().get('/favicon.svg', (c) =>
    c.body(ICON, 200, { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' }),
  )

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4f46e5"/><path d="M11 25V8h6.5a5.5 5.5 0 010 11H11" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>'

export const frontPageRoutes = ({ baseUrl, config, sandbox }: SandboxServices) =>
  new Hono()
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
        // The card form's URL is our own, and may redirect to a provider's https URL.
        policy: ["connect-src 'self'", "frame-src 'self' https:"],
      }),
    )
    .get('/demo/return', (c) => {
      const order = c.req.query('order')
      return sendPage(c, {
        title: 'Thank you for your order',
        style: RETURN_STYLE,
        body: html`<p class="mark">${CHECK_MARK}</p>
<h1>Thank you for your order</h1>
<p>This is the shop’s own page. The checkout is finished${order === undefined ? '' : html`, and your order is <strong>${order}</strong>`}.</p>
<p><a href="../">Back to the sandbox</a></p>`,
      })
    })

const CHECK_MARK = html`<svg viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="22"/><path d="M15 25l6 6 12-13"/></svg>`

const RETURN_STYLE = `
  body { max-width: none; min-block-size: 100dvh; padding: 1rem; display: grid; place-items: center; background: var(--ground) }
  main { max-inline-size: 30rem; padding: 2.5rem 2rem; text-align: center; ${CARD} }
  .mark svg { inline-size: 4rem; fill: var(--good-glow); stroke: var(--good); stroke-width: 3; stroke-linecap: round; stroke-linejoin: round }
  .mark circle { stroke: none }
  p { margin: .5rem 0; color: var(--soft) }
`
