// Every HTML page is made here: its frame, its files, and the policy that allows nothing else.
import type { Language } from '@plazo/core/protocol'
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { operatorOf } from '../access.ts'
import { pageHeaders } from '../browser-security.ts'
import { readBrowserFile } from './browser-files.ts'

/** A piece of HTML, as `html` of `hono/html` makes it. */
export type Markup = ReturnType<typeof html>

/** Additions to the pages that every server has. */
export type PageFrame = {
  /** Placed before `main`. `root`: the way from the page to the server's base URL. */
  readonly bar: (page: 'machine' | null, root: string) => Markup
  /** Placed beside the name in the console's bar: it leads to the front page. */
  readonly badge: (root: string) => Markup
  /** The URL of the shop in OpenAPI's examples. */
  readonly shop: string
  /** Where the ways to states of the statechart are run, below the base URL. */
  readonly runs: string
  /** The way on from an error. */
  readonly home: (root: string) => Markup
}

export type Page = {
  readonly title: string
  /** Placed inside `main`. */
  readonly body: Markup
  /** Placed before `main`. */
  readonly lead?: Markup
  readonly language?: Language
  /** One card for a shopper, or the frame of a payment. Default: as wide as the screen allows. */
  readonly layout?: 'shopper' | 'framed'
  /** Style sheets in addition, by their paths from `src/`. */
  readonly styles?: readonly string[]
  /**
   * The names of modules, such as `keys` for `keys.entry.ts`. They run in this order, once
   * the page is parsed. A module that two of them import runs twice, so it must do nothing but
   * export.
   */
  readonly scripts?: readonly string[]
  /** The permissions that the page needs, as directives of its policy. */
  readonly policy?: readonly string[]
  /** True: its forms post to this origin. Else it posts nothing. */
  readonly hasForms?: boolean
  readonly mayBeFramed?: boolean
  /** True: credentials protect nothing on the page. */
  readonly isPublic?: boolean
  /**
   * The server's base URL with a slash, for a page that is also shown elsewhere. Default: the way
   * there from this page.
   */
  readonly root?: string
  /** The path where relative links start. Default: the page. */
  readonly base?: string | undefined
}

export const sendPage = async (
  c: Context,
  page: Page,
  status: ContentfulStatusCode = 200,
): Promise<Response> => {
  const {
    root = rootFrom(c),
    title,
    body,
    lead = '',
    language,
    layout,
    styles = [],
    scripts = [],
    policy = [],
  } = page
  const { hasForms, mayBeFramed, base } = page
  const [sheets, modules] = await Promise.all([
    Promise.all(['http/page/style.css', ...styles].map(readBrowserFile)),
    Promise.all(scripts.map((name) => readBrowserFile(`${name}.js`))),
  ])
  const text = await html`<!doctype html>
<html lang="${language ?? 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${base !== undefined && html`<base href="${base}">\n`}<title>${title}</title>
<link rel="icon" href="${root}favicon.svg" type="image/svg+xml">
${sheets.map(({ path }) => html`<link rel="stylesheet" href="${root}${path}">\n`)}
${modules.map(({ path }) => html`<script type="module" src="${root}${path}"></script>\n`)}
</head>
<body${layout && html` class="${layout}"`}>
${lead}
<main${mayBeFramed && html` aria-label="${title}"`}>
${body}
</main>
</body>
</html>
`
  const files = page.root === undefined ? "'self'" : new URL(page.root).origin
  const sources = [
    "img-src 'self'",
    `style-src ${files}`,
    `script-src ${files}`,
    ...policy,
    `form-action '${hasForms ? 'self' : 'none'}'`,
  ]
  return c.html(text, status, {
    ...pageHeaders(sources.join('; '), page),
    ...(language !== undefined && { 'content-language': language }),
  })
}

/** The way from the page of this request to the server's base URL. */
export const rootFrom = (c: Context): string => '../'.repeat(c.req.path.split('/').length - 2)

/**
 * The page of an error, which says what may have happened, and leads on. `frame` puts its bar at the
 * top. An operator is led to the console's search.
 */
export const errorPage =
  (frame: PageFrame | undefined) =>
  (c: Context, status: ContentfulStatusCode, detail: string): Promise<Response> => {
    const root = rootFrom(c)
    const isMissing = status === 404
    const body = html`<h1>${detail}</h1>
${isMissing && html`<p>The address may be incomplete, or what it names may no longer exist.</p>`}
${isMissing && operatorOf(c) && html`<p><a href="${root}console">Search for an order on the console</a></p>`}
${frame?.home(root)}`
    const bar = frame ? { lead: frame.bar(null, root) } : { layout: 'shopper' as const }
    return sendPage(c, { title: detail, body, ...bar }, status)
  }
