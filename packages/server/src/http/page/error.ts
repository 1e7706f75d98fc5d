// The page of an error. A person who lands on it must learn what may have happened, and find a way
// on.
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { operatorOf } from '../access.ts'
import { type PageFrame, rootFrom, sendPage } from './page.ts'

/**
 * `frame` puts its bar at the top, and leads on. An operator is led to the console's
 * search.
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
