// Every HTML page is made here: its frame, its style, its scripts, and the policy that allows
// nothing else.
import { createHash, randomBytes } from 'node:crypto'
import type { Language } from '@plazo/core/protocol'
import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { pageHeaders } from '../browser-security.ts'
import { LINK_BASE } from '../prefix.ts'
import { type BrowserScript, readScript, readStyle } from './browser-files.ts'

/** A piece of HTML, as `html` of `hono/html` makes it. */
export type Markup = ReturnType<typeof html>

/** The shop and the accounts in the samples of the reference. */
export type SampleAccounts = {
  readonly shop: string
  /** `username:password` of a merchant as an argument of a shell. */
  readonly merchant: string
  /** The operator's password, in double quotes of a shell. */
  readonly operatorPassword: string
}

/** Additions to the pages that every server has. */
export type PageFrame = {
  /** Placed before `main`. `root`: the way from the page to the server's base URL. */
  readonly bar: (page: 'docs' | 'machine' | null, root: string) => Markup
  /** Placed beside the name in the console's bar: it leads to the front page. */
  readonly badge: (root: string) => Markup
  /** The paths of style sheets: of the bar alone, and of the page of an error. */
  readonly barStyle: string
  readonly errorStyle: string
  readonly samples: SampleAccounts
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
  /** Style sheets in addition to the one that all pages share, by their paths from `src/`. */
  readonly styles?: readonly string[]
  /**
   * The names of modules, such as `reference` for `reference.entry.ts`. They run in this order, once
   * the page is parsed. A module that two of them import runs twice, so it must do nothing but
   * export.
   */
  readonly scripts?: readonly string[]
  /** The permissions that the page needs, as directives of its policy. */
  readonly policy?: readonly string[]
  /** True: its forms post to this origin. Else it posts nothing. */
  readonly hasForms?: boolean
  /** An origin whose style sheets the page may load, besides its own style. */
  readonly styleOrigin?: string
  readonly mayBeFramed?: boolean
  /** True: credentials protect nothing on the page. */
  readonly isPublic?: boolean
  /**
   * The server's base URL with a slash, for a page that is also shown elsewhere. Default: the way
   * there from this page.
   */
  readonly root?: string
  /**
   * True: always the same text. Its policy then names its modules by this origin, because a nonce
   * would be known.
   */
  readonly isCached?: boolean
}

const BASE_STYLE = 'http/page/base.css'

/** For pages that a shopper reads. */
export const SHOPPER_STYLE = 'http/page/shopper.css'

const hashSource = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/**
 * `root`: the way from the page to the server's base URL. `base`: where relative links start, if
 * not at the page. The policy names the style by its hash and the scripts by a nonce, so a page
 * without scripts is always the same text and may be cached.
 */
export const renderPage = async (page: Page, root: string, base?: string) => {
  const { title, body, lead = '', language, styles = [], scripts = [], policy = [] } = page
  const { hasForms, mayBeFramed, isCached, styleOrigin } = page
  const css = (await Promise.all([BASE_STYLE, ...styles].map(readStyle))).join('')
  const nonce = randomBytes(16).toString('base64')
  const mark = isCached ? '' : html` nonce="${nonce}"`
  const scriptTag = ({ path }: BrowserScript): Markup =>
    html`<script type="module" src="${root}${path}"${mark}></script>\n`
  const text = await html`<!doctype html>
<html lang="${language ?? 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${base !== undefined && html`<base href="${base}">\n`}<title>${title}</title>
<link rel="icon" href="${root}favicon.svg" type="image/svg+xml">
<style>${raw(css)}</style>
${(await Promise.all(scripts.map(readScript))).map(scriptTag)}
</head>
<body>
${lead}
<main${mayBeFramed && html` aria-label="${title}"`}>
${body}
</main>
</body>
</html>
`
  const sources = [
    "img-src 'self'",
    `style-src ${hashSource(css)}${styleOrigin === undefined ? '' : ` ${styleOrigin}`}`,
    ...(scripts.length > 0 ? [`script-src ${isCached ? "'self'" : `'nonce-${nonce}'`}`] : []),
    ...policy,
    `form-action '${hasForms ? 'self' : 'none'}'`,
  ]
  return {
    text: text.toString(),
    headers: {
      ...pageHeaders(sources.join('; '), { ...page, hasBase: base !== undefined }),
      ...(language !== undefined && { 'content-language': language }),
    },
  }
}

/** The way from the page of this request to the server's base URL. */
export const rootFrom = (c: Context): string => '../'.repeat(c.req.path.split('/').length - 2)

export const sendPage = async (
  c: Context,
  page: Page,
  status: ContentfulStatusCode = 200,
): Promise<Response> => {
  const { text, headers } = await renderPage(page, page.root ?? rootFrom(c), c.get(LINK_BASE))
  return c.html(text, status, headers)
}
