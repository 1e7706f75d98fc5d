// All pages of the sandbox share a bar at the top with links to one another.
import type { Markup, PageFrame } from '@plazo/server/internal'
import { html } from 'hono/html'

const PAGES = [
  ['', 'Try it'],
  ['sandbox/triggers', 'Test data'],
  ['sandbox/demo/webhooks', 'Deliveries'],
  ['machine', 'Statechart'],
  ['docs', 'API'],
  ['console', 'Console'],
] as const

/**
 * Placed before `main`. `current`: the page's path. `root`: the way from the page to the server's
 * base URL. `tools`: at the end of the bar.
 */
export const sandboxTop = (
  current: string | null,
  root: string,
  tools: Markup | '' = '',
): Markup => html`<header>
<a href="${root || './'}">plazo</a> <span class="pill wait">sandbox</span>
<nav aria-label="Pages">
${PAGES.map(([path, title]) => html`<a href="${root + path || './'}"${path === current && html` aria-current="page"`}>${title}</a>\n`)}</nav>
${tools}
</header>`

/** What a sandbox adds to the server's own pages. */
export const frameAt = (baseUrl: string): PageFrame => ({
  bar: sandboxTop,
  badge: (root) => html`<a class="pill wait" href="${root || './'}">sandbox</a>`,
  home: (root) => html`<p><a href="${root || './'}">Go to the sandbox’s front page</a></p>`,
  shop: `${baseUrl}/demo`,
  runs: 'sandbox/demo/',
})
