// The page of an error. A person who lands on it must learn what may have happened, and find a way
// on.
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { SANDBOX_WIDE_STYLE, sandboxTop } from '../../sandbox/layout.ts'
import { isByOperator } from '../access.ts'
import { rootFrom, sendPage } from './page.ts'

/**
 * In the sandbox it has the bar of all pages, and leads to the front page. An operator is led to
 * the console's search.
 */
export const errorPage =
  (isSandbox: boolean) =>
  (c: Context, status: ContentfulStatusCode, detail: string): Promise<Response> => {
    const root = rootFrom(c)
    const isMissing = status === 404
    const body = html`<h1>${detail}</h1>
${isMissing && html`<p>The address may be incomplete, or what it names may no longer exist.</p>`}
${isMissing && isByOperator(c) && html`<p><a href="${root}console">Search for an order on the console</a></p>`}
${isSandbox && html`<p><a href="${root || './'}">Go to the sandbox’s front page</a></p>`}`
    const bar = { lead: sandboxTop(null, root), style: SANDBOX_WIDE_STYLE }
    return sendPage(c, { title: detail, body, ...(isSandbox && bar) }, status)
  }
