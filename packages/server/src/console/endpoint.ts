// One endpoint of a shop: what it answered last, what the shop's developer must know of it, and its
// deliveries once more, after an operator has seen which.
import { ANY_ORDER, previewRecovery, recoverDeliveries } from '@plazo/core'
import type { Endpoint } from '@plazo/core/ports'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { value } from '../http/answers.ts'
import { formBody } from '../http/body.ts'
import { yieldToEventLoop } from '../http/event-loop.ts'
import type { Markup } from '../http/page/page.ts'
import { invalidValue } from '../http/request.ts'
import {
  answerWords,
  healthPill,
  instantMarkup,
  KIND_TITLES,
  readAttempts,
  type Tried,
} from './endpoints.ts'
import { card } from './frame.ts'
import { type ConsoleParts, merchantOf, refuse, see } from './handler.ts'
import { requestText, runItem } from './order-deliveries.ts'
import { countWords } from './words.ts'

const ATTEMPTS_SHOWN = 8
// Of each delivery.
const RESPONSES_SHOWN = 2
const MAIL_ANSWER_MAX = 1_000
const DAY = 86_400_000

const minuteOf = (at: number): string => new Date(at).toISOString().slice(0, 16)

const readPage = async (
  { store, clock, terms }: ConsoleParts['host'],
  merchantRef: string,
  kind: Endpoint['kind'],
) => {
  // An order that is not confirmed expires, so only those of two lifetimes are looked at.
  const placedFrom = clock.now() - 2 * terms.rules.checkoutLifetime
  const saveable = {
    ...ANY_ORDER,
    merchantRef,
    checkout: 'confirming',
    isFailing: true,
    placedFrom,
  }
  const [both, tried, waiting, count] = await Promise.all([
    value(store.endpoints.list({ merchantRef, isFailing: false, limit: 2 })),
    readAttempts({ store }, { merchantRef, kind }, RESPONSES_SHOWN),
    value(store.endpoints.waiting(merchantRef, kind)),
    value(store.orders.count(saveable)),
  ])
  const attempts = tried.slice(0, ATTEMPTS_SHOWN)
  const orderRefs = [...new Set(attempts.map(({ delivery }) => delivery.orderRef))]
  const requests = await Promise.all(
    orderRefs.map((orderRef) => value(store.inspection.requests(orderRef))),
  )
  return {
    merchantRef,
    kind,
    /** Undefined: it was never called. */
    endpoint: both.find((each) => each.kind === kind),
    attempts,
    /** What the attempts sent, by the ids of their deliveries. */
    requests: new Map(requests.flatMap((each) => [...each])),
    waiting: countWords({ count: waiting, isExact: true }, 'delivery', 'deliveries'),
    saveable: countWords(count),
  }
}

type EndpointOnPage = Awaited<ReturnType<typeof readPage>>

/** What the shop's developer needs to find the fault. */
const mailText = (page: EndpointOnPage, tried: Tried, baseUrl: string): string => {
  const { merchantRef, kind, endpoint, requests } = page
  const { delivery, attempt } = tried
  const { failingSince = null, failures = 0, lastGoodAt = null } = endpoint ?? {}
  const words = (at: number | null) =>
    at === null ? 'never' : `${minuteOf(at).replace('T', ' ')} UTC`
  return `Hello,

your shop ${merchantRef} does not accept our ${kind === 'ipn' ? 'IPNs. An order that you do not accept in time expires' : 'events'}.
Failing since: ${words(failingSince)} (${failures} attempts)
Last accepted: ${words(lastGoodAt)}

Your answer of ${words(attempt.startedAt)} (${answerWords(tried)}):
${attempt.response?.slice(0, MAIL_ANSWER_MAX) || 'no body'}

Our request:
${requestText(delivery, attempt, requests.get(delivery.id))}

To test, ask us for signed examples, with your credentials:
POST ${baseUrl}/merchants/${encodeURIComponent(merchantRef)}/deliveries/example
{"event": "${delivery.event}", "url": "<your address>"}
`
}

const mailCard = (page: EndpointOnPage, baseUrl: string): Markup | false => {
  const failed = page.attempts.find(({ attempt }) => attempt.outcome === 'error')
  if (failed === undefined) return false
  const subject = `${page.merchantRef} does not accept our requests`
  const text = mailText(page, failed, baseUrl)
  const link = `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(text)}`
  return html`<section class="card" id="mail"><header><h2>Tell the shop</h2><a href="${link}">Open as a mail</a></header>
<div class="inside"><textarea aria-label="The mail" rows="12" readonly>${text}</textarea></div></section>`
}

const ordersLink = (merchantRef: string, checkout: string, words: string): Markup =>
  html`<a href="../../orders?merchant=${encodeURIComponent(merchantRef)}&amp;failing=true&amp;checkout=${checkout}">${words}</a>`

/** `preview`: what would be sent; null if nobody has asked. */
const recoverCard = (page: EndpointOnPage, since: string, preview: string | null): Markup => {
  const { merchantRef, kind, waiting, saveable } = page
  return html`<section class="card" id="recover"><header><h2>Send again</h2></header>
<dl class="inside"><dt>Waiting</dt><dd>${waiting}</dd>
${
  kind === 'ipn' &&
  html`<dt>Can be saved</dt><dd>${ordersLink(merchantRef, 'confirming', saveable)}</dd>
<dt>Are lost</dt><dd>${ordersLink(merchantRef, 'expired', 'expired orders')}</dd>`
}</dl>
<form class="inside" action="${kind}#recover">
<p>All deliveries of the merchant that were last tried since then, and not accepted, are sent again.</p>
<div class="field"><label for="since">Last tried since, in UTC</label>
<input id="since" name="recover" type="datetime-local" value="${since}" required></div>
<button class="other">Show what would be sent</button>
</form>
${
  preview !== null &&
  html`<form class="inside" method="post" action="${kind}/recover">
<p role="status"><strong>${preview}</strong> would be sent again.</p>
<input type="hidden" name="since" value="${since}">
<button>Send them again</button>
</form>`
}</section>`
}

const attemptsCard = ({ attempts, requests }: EndpointOnPage): Markup =>
  card(
    'Last attempts',
    html`<ol class="rows" role="list">${attempts.length === 0 && html`<li>It was not called lately.</li>`}
${attempts.map(({ delivery, attempt }) => runItem(delivery, [attempt], requests.get(delivery.id)))}</ol>`,
  )

/** An instant of a form, in UTC. */
const instantOf = (text: string): number => {
  const at = Date.parse(`${text}Z`)
  return Number.isNaN(at)
    ? refuse(invalidValue('since', text, 'an instant such as 2026-01-31T12:00'))
    : at
}

const kindOf = (c: Context): Endpoint['kind'] => (c.req.param('kind') === 'ipn' ? 'ipn' : 'event')

const PATH = '/endpoints/:merchant/:kind{ipn|event}'

export const endpointPages = ({ host, merchants, baseUrl, show }: ConsoleParts) =>
  new Hono()
    .get(PATH, async (c) => {
      const { ref } = await merchantOf(c, merchants)
      const kind = kindOf(c)
      const page = await readPage(host, ref, kind)
      const now = host.clock.now()
      const recoverSince = c.req.query('recover') ?? ''
      const since = recoverSince || minuteOf((page.endpoint?.failingSince ?? now - DAY) - 60_000)
      const preview =
        recoverSince === ''
          ? null
          : await value(previewRecovery(host.store)(ref, instantOf(recoverSince)))
      const count = preview && countWords(preview, 'delivery', 'deliveries')
      const title = html`<bdi>${ref}</bdi> ${KIND_TITLES[kind]}`
      const body = html`${c.req.query('done') && html`<p class="notice good" role="status">The deliveries of <bdi>${ref}</bdi> are sent again now.</p>`}
<div class="title"><h1>${title}</h1>${healthPill(page.endpoint, now)}
${page.endpoint && html`<span class="quiet">${page.endpoint.failures} failed attempts, last well ${instantMarkup(page.endpoint.lastGoodAt)}</span>`}
<span class="actions"><a href="../../merchants/${encodeURIComponent(ref)}">Merchant</a> <a href="../../endpoints">All endpoints</a></span></div>
<div class="beside"><div class="stack">${attemptsCard(page)}</div>
<div class="stack">${recoverCard(page, since, count)}${mailCard(page, baseUrl)}</div></div>`
      return show(c, { title: `${ref} ${KIND_TITLES[kind]}`, area: 'endpoints', body })
    })
    .post(`${PATH}/recover`, async (c) => {
      const { ref: merchantRef } = await merchantOf(c, merchants)
      const { since = '' } = await value(formBody(c, ['since']))
      const recovery = { merchantRef, since: instantOf(since), onProgress: yieldToEventLoop }
      await value(recoverDeliveries(host)(recovery))
      return see(c, `/endpoints/${encodeURIComponent(merchantRef)}/${kindOf(c)}?done=recover`)
    })
