// Which shops fail, since when and what they answer, so that an operator can tell them before their
// orders expire.
import { ANY_ORDER, deliveryView } from '@plazo/core'
import type { Attempt, Delivery, Endpoint } from '@plazo/core/ports'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { isFailing } from '../background/endpoint-alert.ts'
import { attemptWords } from '../deliveries/attempt-words.ts'
import { value } from '../http/answers.ts'
import type { Markup } from '../http/page/page.ts'
import { card, timeMarkup } from './frame.ts'
import type { ConsoleParts } from './handler.ts'

export const KIND_TITLES: Readonly<Record<Endpoint['kind'], string>> = {
  ipn: 'IPN',
  event: 'events',
}

const SHOWN_MAX = 100
// The last attempts are among these, because most deliveries have one.
const DELIVERIES_READ = 40

export const instantMarkup = (at: number | null): Markup | string =>
  at === null ? 'never' : timeMarkup(new Date(at).toISOString())

/** `endpoint`: undefined if it was never called. */
export const healthPill = (endpoint: Endpoint | undefined, now: number): Markup => {
  if (endpoint === undefined) return html`<span class="pill">not called yet</span>`
  const { failingSince } = endpoint
  if (failingSince === null) return html`<span class="pill good">well</span>`
  const tone = isFailing(endpoint, now) ? 'wrong' : 'wait'
  return html`<span class="pill ${tone}">fails since ${instantMarkup(failingSince)}</span>`
}

/** An attempt, and the delivery that it belongs to. */
export type Tried = { readonly delivery: Delivery; readonly attempt: Attempt }

/**
 * The attempts of the shop's newest deliveries to this endpoint, the last one first. `responses`: how
 * many of each delivery have theirs.
 */
export const readAttempts = async (
  { store }: Pick<ConsoleParts['host'], 'store'>,
  { merchantRef, kind }: Pick<Endpoint, 'merchantRef' | 'kind'>,
  responses: number,
): Promise<readonly Tried[]> => {
  const newest = { merchantRef, orderRef: null, state: null, before: null, limit: DELIVERIES_READ }
  const deliveries = await value(store.deliveries.list({ ...newest, responses }))
  return deliveries
    .filter(({ event }) => (event === 'ipn') === (kind === 'ipn'))
    .flatMap((delivery) => delivery.attempts.map((attempt) => ({ delivery, attempt })))
    .toSorted((one, other) => other.attempt.startedAt - one.attempt.startedAt)
}

/** `failed, 500: the shop did not accept it`. */
export const answerWords = (tried: Tried | undefined): string => {
  if (tried === undefined) return 'none'
  const [view] = deliveryView({ ...tried.delivery, attempts: [tried.attempt] }).attempts
  return view === undefined ? 'none' : attemptWords(tried.delivery.event, view)
}

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

type FailingEndpoint = Endpoint & { readonly answer: string; readonly isLosing: boolean }

const readFailing = async (
  host: ConsoleParts['host'],
  endpoint: Endpoint,
): Promise<FailingEndpoint> => {
  const [[last], isLosing] = await Promise.all([
    readAttempts(host, endpoint, 0),
    losesOrders(host, endpoint),
  ])
  return { ...endpoint, answer: answerWords(last), isLosing }
}

const lossNotice = (failing: readonly FailingEndpoint[]): Markup | false => {
  const losing = failing.filter(({ isLosing }) => isLosing)
  const shops = losing.length === 1 ? 'One shop loses orders' : `${losing.length} shops lose orders`
  return (
    losing.length > 0 &&
    html`<div class="notice wrong"><p><strong>${shops}.</strong>
${losing.map(({ merchantRef, failingSince, answer }) => html`<bdi>${merchantRef}</bdi> fails since ${instantMarkup(failingSince)} (${answer}): see its <a href="orders?merchant=${encodeURIComponent(merchantRef)}&amp;failing=true&amp;checkout=expired">expired orders</a>. `)}
The IPN of an expired order cannot be sent again.</p></div>`
  )
}

const row = (endpoint: Endpoint, cells: Markup): Markup => {
  const { merchantRef, kind, lastGoodAt } = endpoint
  return html`<tr data-row>
<th scope="row"><a href="endpoints/${encodeURIComponent(merchantRef)}/${kind}"><bdi>${merchantRef}</bdi> ${KIND_TITLES[kind]}</a></th>
<td>last well ${instantMarkup(lastGoodAt)}</td>
${cells}</tr>`
}

const table = (title: string, rows: readonly Markup[]): Markup =>
  html`<div class="scroll" role="region" aria-label="${title}" tabindex="0"><table class="stacked">${rows}</table></div>`

const failingRow = (endpoint: FailingEndpoint, now: number): Markup => {
  const { merchantRef, kind, failures, answer } = endpoint
  const page = html`endpoints/${encodeURIComponent(merchantRef)}/${kind}`
  return row(
    endpoint,
    html`<td>${healthPill(endpoint, now)} ${failures} ${failures === 1 ? 'attempt' : 'attempts'}</td>
<td>${answer}</td>
<td><a href="${page}#recover">Send again…</a> <a href="${page}#mail">Tell the shop</a></td>`,
  )
}

export const endpointListPage = ({ host, show }: ConsoleParts) =>
  new Hono().get('/endpoints', async (c) => {
    const list = (isFailingOnly: boolean) =>
      value(
        host.store.endpoints.list({
          merchantRef: null,
          isFailing: isFailingOnly,
          limit: SHOWN_MAX,
        }),
      )
    const [allFailing, all] = await Promise.all([list(true), list(false)])
    const failing = await Promise.all(allFailing.map((each) => readFailing(host, each)))
    const well = all.filter(({ failingSince }) => failingSince === null)
    const now = host.clock.now()
    const rows = failing.map((each) => failingRow(each, now))
    const body = html`
<div class="title"><h1>Endpoints</h1><span class="quiet">where shops take IPNs and events</span></div>
${lossNotice(failing)}
${failing.length === 0 ? html`<p class="notice good">No endpoint fails.</p>` : card('Failing, the longest first', table('Failing endpoints', rows))}
${
  well.length > 0 &&
  html`<details class="card"><summary>${well.length === 1 ? 'One other is well' : `${well.length} others are well`}</summary>
${table(
  'Endpoints that are well',
  well.map((each) => row(each, html``)),
)}</details>`
}
${all.length === SHOWN_MAX && html`<p class="quiet">There are more: the page of each <a href="merchants">merchant</a> leads to its endpoints.</p>`}`
    return show(c, { title: 'Endpoints', area: 'endpoints', body })
  })
