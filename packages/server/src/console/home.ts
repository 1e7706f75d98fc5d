// The first page says in sentences what needs an operator, each with a link and a remedy, so that
// nobody has to look through lists to learn that all is well. The bar has the most important numbers
// on every page.
import { ANY_ORDER } from '@plazo/core'
import { type Endpoint, LOOKED_AT_MAX, type StuckJob } from '@plazo/core/ports'
import type { ProviderPort } from '@plazo/core/protocol'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { readFailing } from '../background/endpoint-alert.ts'
import type { FailingProvider } from '../background/provider-watch.ts'
import { PLAZO } from '../command-line/own-commands.ts'
import { diskProblems } from '../doctor/database.ts'
import type { Finding } from '../doctor/finding.ts'
import { type ExhaustedCount, readExhausted } from '../doctor/jobs.ts'
import { value } from '../http/answers.ts'
import type { Markup } from '../http/page/page.ts'
import { TASK_NAMES, TASKS } from './decision-place.ts'
import type { BarCounts } from './frame.ts'
import type { ConsoleParts } from './handler.ts'
import { countWords, durationWords } from './words.ts'

type Parts = Pick<ConsoleParts, 'host' | 'config' | 'providerWatch'>
type StoreParts = Pick<Parts, 'host'>

/** The endpoints of one shop that fail. */
type FailingShop = readonly [merchantRef: string, endpoints: readonly Endpoint[]]

/** The fault may be in the order: its own address is wrong. */
const failsForOneOrder = async (
  { host: { store, terms } }: StoreParts,
  [merchantRef, endpoints]: FailingShop,
): Promise<boolean> => {
  if (endpoints.some(({ lastGoodAt }) => lastGoodAt === null)) return false
  const since = Math.min(...endpoints.map(({ failingSince }) => failingSince ?? 0))
  const placedFrom = since - terms.rules.checkoutLifetime
  const failing = { ...ANY_ORDER, merchantRef, isFailing: true, placedFrom }
  const { orders } = await value(store.orders.search(failing, null, 2))
  return orders.length < 2
}

const readFailingShops = async (parts: StoreParts): Promise<readonly FailingShop[]> => {
  const failing = await value(readFailing(parts.host.store, parts.host.clock))
  const shops = [...Map.groupBy(failing, ({ merchantRef }) => merchantRef)]
  const areExcused = await Promise.all(shops.map((shop) => failsForOneOrder(parts, shop)))
  return shops.filter((_, index) => !areExcused[index])
}

// The bar is on every page, so its numbers must cost nearly nothing.
const BAR_MAX = 99

/** An area without a number has nothing, or the store does not answer: its page says so. */
export const readBarCounts = (parts: StoreParts) => async (): Promise<BarCounts> => {
  const [counts, shops] = await Promise.all([
    value(parts.host.store.orders.countWaiting(null, BAR_MAX)).catch(() => []),
    readFailingShops(parts).catch(() => []),
  ])
  const count = counts.reduce((sum, each) => sum + each.count + (each.isExact ? 0 : 1), 0)
  return {
    decisions: count > BAR_MAX ? `${BAR_MAX}+` : String(count || ''),
    endpoints: String(shops.length || ''),
  }
}

/** A sentence with its link and its remedy. */
type Item = { readonly label: string; readonly tone: 'wrong' | 'wait'; readonly text: Markup }

const wrong = (label: string, text: Markup): Item => ({ label, tone: 'wrong', text })

const shopItem = ([merchantRef, endpoints]: FailingShop, now: number): Item => {
  const since = Math.min(...endpoints.map(({ failingSince }) => failingSince ?? now))
  const kinds = endpoints.map(({ kind }) => kind)
  const kind = kinds.includes('ipn') ? 'ipn' : 'event'
  const what = kinds.length > 1 ? 'IPNs and events' : kind === 'ipn' ? 'IPNs' : 'events'
  return wrong(
    'shop fails',
    html`<a href="console/endpoints/${encodeURIComponent(merchantRef)}/${kind}"><bdi>${merchantRef}</bdi></a> has not accepted ${what} for ${durationWords(now - since)}${kind === 'ipn' && ', and its orders expire'}. See what it answers, and tell the shop.`,
  )
}

/** The orders that wait for the port. */
const WAITING_FOR: Readonly<Record<ProviderPort, string>> = {
  screening: 'checkout=screening',
  sms: 'checkout=verifying_phone',
  identity: 'checkout=verifying_identity',
  payment: 'checkout=paying',
  risk: 'risk=assessing',
}

const providerItem = ({ port, failingSince, failures }: FailingProvider, now: number): Item =>
  wrong(
    'provider fails',
    html`The ${port} provider has not answered for ${durationWords(now - failingSince)}, ${failures} times in a row, and <a href="console/orders?${WAITING_FOR[port]}">orders wait for it</a>. Run <code>${PLAZO} doctor</code> to see whether it can be reached, and tell the provider.`,
  )

const findingItem = ({ check, says, todo }: Finding): Item => wrong(check, html`${says}. ${todo}`)

// Of all merchants together. A page needs no exact count.
const EXHAUSTED_COUNTED = 30

const exhaustedItem = ({ merchantRef, ...count }: ExhaustedCount): Item => {
  const ref = encodeURIComponent(merchantRef)
  return wrong(
    'given up',
    html`<a href="console/orders?merchant=${ref}&amp;failing=true">${countWords(count, 'webhook')}</a> of <bdi>${merchantRef}</bdi> in the last 7 days. Once its endpoint answers, <a href="console/endpoints/${ref}/event">send them again</a>.`,
  )
}

const JOBS_SHOWN = 5

const stuckItem = (jobs: readonly StuckJob[]): Item => {
  return wrong(
    'stuck',
    html`${countWords({ count: jobs.length, isExact: true }, 'job')} stuck after an internal error: ${jobs.slice(0, JOBS_SHOWN).map(({ key, orderRef, message }) => html`<a href="console/orders/${orderRef}">${key}</a> (${message}) `)}
See the log, then run <code>${PLAZO} deliveries retry &lt;key&gt;</code>.`,
  )
}

export const readAttention = async (parts: Parts): Promise<readonly Item[]> => {
  const { host, config, providerWatch } = parts
  const { store, clock } = host
  const [shops, stuck, exhausted, waiting] = await Promise.all([
    readFailingShops(parts),
    value(store.stuckJobs()),
    value(readExhausted({ store }, clock, EXHAUSTED_COUNTED)),
    value(store.orders.countWaiting(null, LOOKED_AT_MAX)),
  ])
  const now = clock.now()
  const tasks = TASK_NAMES.flatMap((name) => waiting.filter(({ task }) => task === name))
  return [
    ...shops.map((shop) => shopItem(shop, now)),
    ...providerWatch.readFailing().map((provider) => providerItem(provider, now)),
    ...diskProblems(config.database).map(findingItem),
    ...(stuck.length === 0 ? [] : [stuckItem(stuck)]),
    ...exhausted.map(exhaustedItem),
    ...tasks.map(
      ({ task, since, ...count }): Item => ({
        label: 'decide',
        tone: 'wait',
        text: html`<a href="console/decisions?kind=${task}">${countWords(count)}</a> ${TASKS[task][1]} The oldest has waited for ${durationWords(now - since)}.`,
      }),
    ),
  ]
}

export const homeMarkup = (items: readonly Item[]): Markup => html`
<div class="title"><h1>Home</h1></div>
${
  items.length === 0
    ? html`<p class="notice good"><strong>Nothing needs you.</strong></p>`
    : html`<section class="card"><header><h2>Needs attention</h2></header><ul class="rows" role="list">
${items.map(({ label, tone, text }) => html`<li data-row><span class="pill ${tone}">${label}</span><p>${text}</p></li>`)}
</ul></section>`
}`

export const homePage = (parts: ConsoleParts) =>
  new Hono().get('/', async (c) => {
    const body = homeMarkup(await readAttention(parts))
    return parts.show(c, { title: 'Home', area: 'home', body })
  })
