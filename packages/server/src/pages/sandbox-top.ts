// The bar at the top of every page of the sandbox: it leads from each of them to all others.
import { html } from 'hono/html'
import type { Markup } from './page.ts'

const PAGES = [
  ['try', '', 'Try it'],
  ['triggers', 'sandbox/triggers', 'Test data'],
  ['messages', 'sandbox/messages', 'SMS'],
  ['inbox', 'sandbox/demo/inbox', 'Webhooks'],
  ['clock', 'sandbox/clock', 'Clock'],
  ['machine', 'machine', 'Machine'],
  ['docs', 'docs', 'API'],
  ['console', 'console', 'Console'],
] as const

export type SandboxPage = (typeof PAGES)[number][0]

/**
 * Placed before `main`.
 *
 * @param root the way from the page to the server's base URL
 * @param tools placed at the end of the bar
 */
export const sandboxTop = (current: SandboxPage | null, root: string, tools: Markup | '' = ''): Markup => {
  const home = root === '' ? './' : root
  return html`<header class="top">
<a class="name" href="${home}">plazo</a> <span class="sandbox">sandbox</span>
<nav aria-label="Pages">
${PAGES.map(([page, path, title]) => html`<a href="${path === '' ? home : `${root}${path}`}"${page === current ? html` aria-current="page"` : ''}>${title}</a>\n`)}</nav>
${tools}
</header>`
}
