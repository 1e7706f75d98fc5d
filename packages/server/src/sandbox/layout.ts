// All pages of the sandbox share a bar at the top with links to one another. They also share the
// look of their buttons and cards.
import { type Markup, type Page, type PageFrame, rootFrom, sendPage } from '@plazo/server/internal'
import type { Context } from 'hono'
import { html } from 'hono/html'

const PAGES = [
  ['try', '', 'Try it'],
  ['triggers', 'sandbox/triggers', 'Test data'],
  ['messages', 'sandbox/messages', 'SMS'],
  ['webhooks', 'sandbox/demo/webhooks', 'Webhooks'],
  ['clock', 'sandbox/clock', 'Clock'],
  ['machine', 'machine', 'Statechart'],
  ['docs', 'docs', 'API'],
  ['console', 'console', 'Console'],
] as const

type SandboxPageName = (typeof PAGES)[number][0]

/**
 * Placed before `main`. `root`: the way from the page to the server's base URL. `tools`: at the end
 * of the bar.
 */
export const sandboxTop = (
  current: SandboxPageName | null,
  root: string,
  tools: Markup | '' = '',
): Markup => {
  const home = root === '' ? './' : root
  return html`<header class="top">
<a class="name" href="${home}">plazo</a> <span class="mark pill wait">sandbox</span>
<nav aria-label="Pages">
${PAGES.map(([page, path, title]) => html`<a href="${path === '' ? home : `${root}${path}`}"${page === current && html` aria-current="page"`}>${title}</a>\n`)}</nav>
${tools}
</header>`
}

type ToolPage = Pick<Page, 'title' | 'body' | 'sheet' | 'hasForms'> & {
  readonly current: SandboxPageName | null
  readonly script: string
}

/** Sends one of the sandbox's smaller pages, with its bar. */
export const sendToolPage = (
  c: Context,
  { current, script, ...page }: ToolPage,
): Promise<Response> =>
  sendPage(c, {
    ...page,
    scripts: [script],
    lead: sandboxTop(current, rootFrom(c)),
    policy: ["connect-src 'self'"],
  })

/**
 * A text with a button that copies it. The page includes `copy-buttons.entry.ts`. `display`: the text as
 * it is shown.
 */
export const copyable = (text: string, display: Markup = html`<code>${text}</code>`): Markup =>
  html`<span class="copyable">${display} <button type="button" data-copy="${text}" aria-label="Copy ${text}">Copy</button></span>`

/** The head of a page with one column of cards. */
export const pageHead = (title: string, intro: Markup | string): Markup => html`<div>
<h1>${title}</h1>
<p class="intro">${intro}</p>
</div>`

/** What a sandbox adds to the server's own pages. */
export const frameAt = (baseUrl: string): PageFrame => ({
  bar: sandboxTop,
  badge: (root) => html`<a class="mark pill wait" href="${root || './'}">sandbox</a>`,
  home: (root) => html`<p><a href="${root || './'}">Go to the sandbox’s front page</a></p>`,
  shop: `${baseUrl}/demo`,
  runs: 'sandbox/demo/',
})
