// All pages of the sandbox share a bar at the top with links to one another. They also share the
// look of their buttons and cards.
import { html } from 'hono/html'
import type { Markup } from '../http/page/page.ts'
import { CARD } from '../http/page/script/design.ts'

const PAGES = [
  ['try', '', 'Try it'],
  ['triggers', 'sandbox/triggers', 'Test data'],
  ['messages', 'sandbox/messages', 'SMS'],
  ['inbox', 'sandbox/demo/inbox', 'Webhooks'],
  ['clock', 'sandbox/clock', 'Clock'],
  ['machine', 'machine', 'Statechart'],
  ['docs', 'docs', 'API'],
  ['console', 'console', 'Console'],
] as const

export type SandboxPageName = (typeof PAGES)[number][0]

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
<a class="name" href="${home}">plazo</a> <span class="sandbox">sandbox</span>
<nav aria-label="Pages">
${PAGES.map(([page, path, title]) => html`<a href="${path === '' ? home : `${root}${path}`}"${page === current && html` aria-current="page"`}>${title}</a>\n`)}</nav>
${tools}
</header>`
}

/**
 * A text with a button that copies it. The page includes `copy-buttons.ts`. `display`: the text as
 * it is shown.
 */
export const copyable = (text: string, display: Markup = html`<code>${text}</code>`): Markup =>
  html`<span class="copyable">${display} <button type="button" data-copy="${text}" aria-label="Copy ${text}">Copy</button></span>`

/** The head of a page with one column of cards. */
export const pageHead = (title: string, intro: Markup | string): Markup => html`<div>
<h1>${title}</h1>
<p class="intro">${intro}</p>
</div>`

/** The bar alone, for a page that has a look of its own. */
export const TOP_STYLE = `
  .top { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; padding: .5rem 1rem; background: var(--card); border-block-end: 1px solid var(--edge) }
  .top .name { font-size: 1.125rem; font-weight: 700; letter-spacing: -.02em; color: var(--ink); text-decoration: none }
  .top .sandbox { padding: .125rem .625rem; border-radius: 1rem; background: var(--wait-glow); color: var(--wait); font-size: .8125rem; font-weight: 700 }
  .top nav { display: flex; gap: .125rem; margin-inline-end: auto; min-inline-size: 0 }
  .top nav a { padding: .375rem .5rem; border-radius: .5rem; color: var(--soft); text-decoration: none; font-size: .9375rem; font-weight: 500; white-space: nowrap }
  .top nav a:hover { background: var(--glow); color: var(--accent) }
  .top nav a[aria-current] { background: var(--glow); color: var(--accent); font-weight: 700 }
  @media (max-width: 84rem) { .top { column-gap: .5rem } .top nav a { padding-inline: .4375rem; font-size: .875rem } }
  @media (max-width: 64rem) { .top nav { order: 1; inline-size: 100%; margin: 0 -.5rem; flex-wrap: wrap } }
`

/**
 * The bar with the clock at its end keeps its height while the clock counts: one row, two on a
 * small screen, three on a phone.
 */
const CLOCK_STYLE = `
  .clock { display: flex; align-items: center; gap: .375rem }
  .clock time { color: var(--soft); font-variant-numeric: tabular-nums; font-size: .875rem; margin-inline-end: .25rem; white-space: nowrap }
  .clock button { padding-inline: .625rem; white-space: nowrap; font-variant-numeric: tabular-nums }
  .clock .next { inline-size: 12.25rem }
  @media (min-width: 80rem) { .top:has(.clock) { flex-wrap: nowrap } }
  @media (max-width: 79.99rem) {
    .top:has(.clock) nav { order: 1; inline-size: 100%; margin: 0; flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none }
    .clock { margin-inline-start: auto }
  }
  @media (max-width: 45rem) {
    .clock { display: contents }
    .clock time { margin-inline: auto 0 }
    .clock button { order: 2; flex: 1 1 auto; padding-inline: .25rem }
    .clock .next { flex: 3 1 auto; inline-size: 9rem }
  }
`

export const SANDBOX_STYLE = `
  ${TOP_STYLE}
  body { max-width: none; padding: 0; background: var(--ground); min-block-size: 100dvh }
  p { margin: 0 }
  h1, h2, h3 { margin: 0; line-height: 1.25 }
  button { min-block-size: 2.25rem; margin: 0; padding: .25rem .875rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--card); color: var(--ink); font: inherit; font-size: .875rem; font-weight: 600; cursor: pointer }
  button:hover { background: var(--glow); border-color: var(--accent); color: var(--accent) }
  button[disabled] { color: var(--soft); background: none; border-color: var(--edge); cursor: default }
  button[aria-busy=true] { cursor: progress; color: var(--soft) }
  button.main { min-block-size: 3rem; inline-size: 100%; background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-size: 1rem }
  @media (scripting: enabled) { button.main[disabled] { background: var(--accent); color: var(--on-accent) } }
  button.main:hover { background: var(--accent-deep); border-color: var(--accent-deep); color: var(--on-accent) }
  .lead { font-size: .9375rem; color: var(--soft) }
  .code { position: relative }
  .code pre { margin: 0; padding: .75rem 1rem; padding-inline-end: 4.5rem; border-radius: .625rem; background: var(--code); color: var(--on-code); font-size: .8125rem; line-height: 1.6; white-space: pre-wrap; overflow-wrap: anywhere }
  .code button { position: absolute; inset-block-start: .5rem; inset-inline-end: .5rem; min-block-size: 1.75rem; font-size: .75rem }
  ${CLOCK_STYLE}
  @media (max-width: 40rem) { .top { padding-inline: .75rem } }
`

/** A page with one column of cards. */
export const SANDBOX_TOOL_STYLE = `
  ${SANDBOX_STYLE}
  main { display: grid; gap: 1rem; max-inline-size: 62rem; margin: 0 auto; padding: 1.75rem 1rem 3rem }
  main > * { min-inline-size: 0 }
  h1 { font-size: 1.625rem; letter-spacing: -.02em }
  h2 { font-size: 1.0625rem }
  .card { display: grid; gap: .75rem; justify-items: stretch; padding: 1.25rem; ${CARD} }
  .quiet { font-size: .875rem }
  .intro { margin-block-start: .25rem; max-inline-size: 44rem; color: var(--soft) }
  .row { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem }
  .rows { list-style: none; margin: 0; padding: 0 }
  .rows > li { padding: .75rem 0; border-block-end: 1px solid var(--edge) }
  .rows > li:first-child { padding-block-start: 0 }
  .rows > li:last-child { padding-block-end: 0; border: 0 }
  .when { color: var(--soft); font-variant-numeric: tabular-nums; font-size: .875rem; white-space: nowrap }
  .badge { display: inline-block; padding: 0 .625rem; border-radius: 1rem; font-weight: 700; font-size: .875rem; background: var(--edge) }
  .copyable { display: inline-flex; flex-wrap: wrap; align-items: center; gap: .25rem .5rem }
  .copyable button { min-block-size: 1.75rem; padding-inline: .625rem; font-size: .75rem }
  .badge.code-badge { background: var(--wait-glow); color: var(--wait); letter-spacing: .05em }
  .button { display: inline-flex; align-items: center; min-block-size: 2.25rem; padding: .25rem .875rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--card); color: var(--accent); font-size: .875rem; font-weight: 600; text-decoration: none; white-space: nowrap }
  .button:hover { background: var(--glow); border-color: var(--accent) }
  .card button.main { justify-self: start; inline-size: auto; padding-inline: 1.5rem; min-block-size: 2.75rem }
  .actions { display: flex; flex-wrap: wrap; gap: .5rem }
  .actions button { min-block-size: 2.75rem; padding-inline: 1.25rem }
`

/** A page that is as wide as the screen allows. */
export const SANDBOX_WIDE_STYLE = `
  ${SANDBOX_STYLE}
  main { max-inline-size: 72rem; margin: 0 auto; padding: 1.5rem 1rem }
  h1 { font-size: 1.625rem; letter-spacing: -.02em; margin-block-end: .25rem }
`
