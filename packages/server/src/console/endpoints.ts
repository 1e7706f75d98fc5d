// Which shops fail, and since when, so that an operator can tell them before their orders expire.
import { ANY_ORDER } from '@plazo/core'
import type { Endpoint } from '@plazo/core/ports'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { isFailing } from '../background/endpoint-alert.ts'
import { value } from '../http/answers.ts'
import type { Markup } from '../http/page/page.ts'
import { type ConsoleParts, timeMarkup } from './frame.ts'

export const KIND_TITLES: Readonly<Record<Endpoint['kind'], string>> = {
  ipn: 'IPN',
  event: 'events',
}

const SHOWN_MAX = 100

/** `endpoint`: undefined if it was never called. */
export const healthPill = (endpoint: Endpoint | undefined, now: number): Markup => {
  if (endpoint === undefined) return html`<span class="pill">not called yet</span>`
  const { failingSince } = endpoint
  if (failingSince === null) return html`<span class="pill good">well</span>`
  const tone = isFailing(endpoint, now) ? 'wrong' : 'wait'
  return html`<span class="pill ${tone}">fails since ${timeMarkup(failingSince)}</span>`
}

export const lastWell = ({ lastGoodAt }: Endpoint): Markup =>
  html`last well ${lastGoodAt === null ? 'never' : timeMarkup(lastGoodAt)}`

/** True: orders of the shop have expired since it fails. */
const losesOrders = async (
  { store, terms }: ConsoleParts['host'],
  { merchantRef, kind, failingSince }: Endpoint,
): Promise<boolean> => {
  if (kind !== 'ipn' || failingSince === null) return false
  const placedFrom = failingSince - terms.rules.checkoutLifetime
  const expired = { ...ANY_ORDER, merchantRef, isFailing: true, checkout: 'expired', placedFrom }
  const { orders } = await value(store.orders.search(expired, null, 1))
  return orders.length > 0
}

const lossNotice = (losing: readonly Endpoint[]): Markup =>
  html`<div class="notice wrong"><p><strong>${losing.length === 1 ? 'One shop loses' : `${losing.length} shops lose`} orders.</strong>
${losing.map(({ merchantRef }) => html`See the <a href="orders?merchant=${encodeURIComponent(merchantRef)}&amp;failing=true&amp;checkout=expired">expired orders</a> of <bdi>${merchantRef}</bdi>. `)}
The IPN of an expired order cannot be sent again.</p></div>`

const table = (title: string, endpoints: readonly Endpoint[], now: number): Markup =>
  html`<div class="scroll" role="region" aria-label="${title}" tabindex="0"><table class="stacked">
${endpoints.map((endpoint) => {
  const { merchantRef, kind, failures } = endpoint
  return html`<tr data-row>
<th scope="row"><a href="endpoints/${encodeURIComponent(merchantRef)}/${kind}"><bdi>${merchantRef}</bdi> ${KIND_TITLES[kind]}</a></th>
<td>${healthPill(endpoint, now)}</td>
<td>${failures} failed attempts</td>
<td>${lastWell(endpoint)}</td></tr>`
})}</table></div>`

export const endpointListPage = ({ host, show }: ConsoleParts) =>
  new Hono().get('/endpoints', async (c) => {
    const list = (onlyFailing: boolean) =>
      value(
        host.store.endpoints.list({
          merchantRef: null,
          isFailing: onlyFailing,
          limit: SHOWN_MAX,
        }),
      )
    const [failing, all] = await Promise.all([list(true), list(false)])
    const areLosing = await Promise.all(failing.map((each) => losesOrders(host, each)))
    const losing = failing.filter((_, n) => areLosing[n])
    const well = all.filter(({ failingSince }) => failingSince === null)
    const now = host.clock.now()
    const body = html`
<div class="title"><h1>Endpoints</h1><span class="quiet">where shops take IPNs and events, the longest failing first</span></div>
${losing.length > 0 && lossNotice(losing)}
${failing.length === 0 ? html`<p class="notice good">No endpoint fails.</p>` : html`<section class="card">${table('Failing endpoints', failing, now)}</section>`}
${well.length > 0 && html`<details class="card"><summary>${well.length} others are well</summary>${table('Endpoints that are well', well, now)}</details>`}
${all.length === SHOWN_MAX && html`<p class="quiet">The list of <a href="merchants">merchants</a> leads to all others.</p>`}`
    return show(c, { title: 'Endpoints', body })
  })
