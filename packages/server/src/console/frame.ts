// Every page of the operator's console has one frame: a bar with the areas and the search for an
// order. Its script only adds keys, so that an operator can work without.
import { orderViewIn } from '@plazo/core'
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { operatorOf } from '../http/access.ts'
import { type Markup, type PageFrame, rootFrom, sendPage } from '../http/page/page.ts'

/** In the order of the bar: the name, the path from the base URL, and the title. */
const AREAS = [
  ['home', 'console', 'Home'],
  ['orders', 'console/orders', 'Orders'],
  ['decisions', 'console/decisions', 'Decisions'],
  ['endpoints', 'console/endpoints', 'Endpoints'],
  ['merchants', 'console/merchants', 'Merchants'],
] as const

type ConsoleArea = (typeof AREAS)[number][0]

type ConsolePage = {
  readonly title: string
  readonly area: ConsoleArea | null
  readonly body: Markup
  /** What was searched for. */
  readonly search?: string
  /** The form of the page that the search belongs to. */
  readonly searchForm?: string
}

/** How many things wait in an area, for its link in the bar. */
export type BarCounts = Partial<Readonly<Record<ConsoleArea, string>>>

type Bar = {
  readonly root: string
  readonly frame: PageFrame | undefined
  readonly counts: BarCounts
  readonly operator: string | undefined
}

const bar = (
  { area, search = '', searchForm }: ConsolePage,
  { root, frame, counts, operator }: Bar,
): Markup => html`<header class="top">
<a class="name" href="${root}console">plazo</a> ${frame?.badge(root)}
<nav aria-label="Pages">
${AREAS.map(([name, path, title]) => html`<a href="${root}${path}"${name === area && html` aria-current="page"`}>${title}${counts[name] && html` <span class="count">${counts[name]}</span>`}</a>\n`)}</nav>
<form role="search" action="${root}console/orders">
<input name="search" value="${search}"${searchForm ? html` form="${searchForm}"` : html` required`} aria-label="Find an order" placeholder="Find an order  /" autocomplete="off" spellcheck="false">
</form>
<span class="quiet">${operator}</span>
</header>`

export type ShowConsole = (
  c: Context,
  page: ConsolePage,
  status?: ContentfulStatusCode,
) => Promise<Response>

export const consolePages =
  (frame: PageFrame | undefined, readCounts: () => Promise<BarCounts>): ShowConsole =>
  async (c, page, status = 200) => {
    // Under no-referrer a form's Origin would be sent as null, and be refused as a foreign one.
    c.header('referrer-policy', 'same-origin')
    const { title } = page
    const root = rootFrom(c)
    const lead = bar(page, { root, frame, counts: await readCounts(), operator: operatorOf(c) })
    const body = html`${page.body}
<footer class="quiet"><a href="${root}machine">Statechart</a> · <a href="${root}docs">API</a></footer>`
    const styles = ['http/page/console.css']
    return sendPage(c, { title, body, lead, styles, scripts: ['keys'], hasForms: true }, status)
  }

/** A titled part of a page. `head`: at the end of its head. */
export const card = (title: Markup | string, content: Markup, head: Markup | '' = ''): Markup =>
  html`<section class="card"><header><h2>${title}</h2>${head}</header>${content}</section>`

/** `at`: an ISO instant. */
export const timeMarkup = (at: string): Markup =>
  html`<time datetime="${at}">${at.slice(0, 10)} ${at.slice(11, 19)} UTC</time>`

/**
 * These pages are in English, and so are their amounts: the page's language decides, not the
 * shopper's.
 */
export const orderOnPage = orderViewIn('en')
