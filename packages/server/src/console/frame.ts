// Every page of the console has this frame with the areas and the search for an order. Its script only
// adds keys, so that an operator can work without.
import { type Merchant, type Merchants, type OrderCount, orderViewIn } from '@plazo/core/internal'
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { operatorOf } from '../http/access.ts'
import { type Markup, type PageFrame, rootFrom, sendPage } from '../http/page/page.ts'
import { refused } from '../http/problem.ts'
import { value } from '../http/route.ts'
import type { AppParts } from '../http/services.ts'

/** In the order of the bar, by their paths. */
const AREAS = {
  '/console': 'Home',
  '/console/orders': 'Orders',
  '/console/decisions': 'Decisions',
  '/console/endpoints': 'Endpoints',
  '/console/merchants': 'Merchants',
}

type ShowConsole = (
  c: Context,
  page: { readonly title: string; readonly body: Markup },
  status?: ContentfulStatusCode,
) => Promise<Response>

export const consolePages =
  (frame: PageFrame | undefined): ShowConsole =>
  (c, { title, body }, status) => {
    // Under no-referrer a form's Origin would be sent as null, and be refused as a foreign one.
    c.header('referrer-policy', 'same-origin')
    const root = rootFrom(c)
    const area = c.req.path.split('/', 3).join('/')
    const lead = html`<header>
<a href="${root}console">plazo</a> ${frame?.badge(root)}
<nav aria-label="Pages">
${Object.entries(AREAS).map(([path, name]) => html`<a href="${root}${path.slice(1)}"${path === area && html` aria-current="page"`}>${name}</a>\n`)}</nav>
<form role="search" action="${root}console/orders">
<input name="search" value="${c.req.query('search')}" required aria-label="Find an order" placeholder="Find an order  /" autocomplete="off" spellcheck="false">
</form>
<span class="quiet">${operatorOf(c)}</span>
</header>`
    const page = {
      title,
      lead,
      body: html`${body}
<footer class="quiet"><a href="${root}machine">Statechart</a> · <a href="${root}docs">API</a></footer>`,
      scripts: ['keys'],
      hasForms: true,
    }
    return sendPage(c, page, status)
  }

/** A titled part of a page. `head`: at the end of its head. */
export const card = (title: Markup | string, content: Markup, head: Markup | '' = ''): Markup =>
  html`<section class="card"><header><h2>${title}</h2>${head}</header>${content}</section>`

/** A form behind a button that says what it is about. */
export const foldedForm = (
  title: string,
  action: string,
  content: Markup,
  isOpen = false,
): Markup =>
  html`<details${isOpen && html` open`}><summary class="button other">${title}…</summary>
<form method="post" action="${action}">${content}</form></details>`

/** `2026-11-27 12:54:02 UTC`. `at`: an ISO instant, or milliseconds. */
export const timeText = (at: string | number): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`

export const timeMarkup = (at: string | number): Markup =>
  html`<time datetime="${new Date(at).toISOString()}">${timeText(at)}</time>`

/** `1 order`, `at least 10,000 orders`. */
export const countWords = ({ count, isExact }: OrderCount, noun = 'order'): string =>
  `${isExact ? '' : 'at least '}${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

/**
 * These pages are in English, and so are their amounts: the page's language decides, not the
 * shopper's.
 */
export const orderOnPage = orderViewIn('en')

/** The parts of all pages. */
export type ConsoleParts = AppParts & { readonly show: ShowConsole }

/** The merchant that the path names. */
export const merchantOf = async (c: Context, { find }: Merchants): Promise<Merchant> => {
  const merchant = await value(find(c.req.param('merchant') ?? ''))
  if (merchant !== null) return merchant
  throw refused(404, 'Merchant not found.')
}

/** A redirect to a page of the console after a form; `path` from the console's. */
export const see = (c: Context, path: string): Response =>
  c.redirect(`${rootFrom(c)}console${path}`, 303)
