// The first page says in sentences what needs an operator, each with a link and a remedy, so that
// nobody has to look through lists to learn that all is well.
import { type Endpoint, LOOKED_AT_MAX, type StuckJob } from '@plazo/core/ports'
import type { ProviderPort } from '@plazo/core/protocol'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { readFailing } from '../background/endpoint-alert.ts'
import { type ExhaustedCount, readExhausted } from '../background/exhausted.ts'
import type { FailingProvider } from '../background/provider-watch.ts'
import { diskProblems } from '../doctor/database.ts'
import { value } from '../http/answers.ts'
import type { Markup } from '../http/page/page.ts'
import { countdown } from '../http/page/script/formats.ts'
import { PLAZO } from '../settings/own-commands.ts'
import { TASK_NAMES, TASKS } from './decisions.ts'
import { KIND_TITLES } from './endpoints.ts'
import { type ConsoleParts, countWords } from './frame.ts'

/** A sentence with its link and its remedy. */
const item = (label: string, text: Markup, tone = 'wrong'): Markup =>
  html`<li data-row><span class="pill ${tone}">${label}</span><p>${text}</p></li>`

const shopItem = (merchantRef: string, endpoints: readonly Endpoint[], now: number): Markup => {
  const since = Math.min(...endpoints.map(({ failingSince }) => failingSince ?? now))
  const kind = endpoints.some((each) => each.kind === 'ipn') ? 'ipn' : 'event'
  return item(
    'shop fails',
    html`<a href="console/endpoints/${encodeURIComponent(merchantRef)}/${kind}"><bdi>${merchantRef}</bdi></a> has failed for ${countdown(now - since)}: ${endpoints.map((each) => KIND_TITLES[each.kind]).join(' and ')}. See what it answers, and tell the shop.`,
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

const providerItem = ({ port, failingSince, failures }: FailingProvider, now: number): Markup =>
  item(
    'provider fails',
    html`The ${port} provider has not answered for ${countdown(now - failingSince)}, ${failures} times in a row, and <a href="console/orders?${WAITING_FOR[port]}">orders wait for it</a>. Run <code>${PLAZO} doctor</code>, and tell the provider.`,
  )

// Of all merchants together. A page needs no exact count.
const EXHAUSTED_COUNTED = 30

const exhaustedItem = ({ merchantRef, ...count }: ExhaustedCount): Markup =>
  item(
    'given up',
    html`${countWords(count, 'webhook')} of <bdi>${merchantRef}</bdi> in the last 7 days. Once its endpoint answers, <a href="console/endpoints/${encodeURIComponent(merchantRef)}/event">send them again</a>.`,
  )

const stuckItem = ({ key, orderRef, message }: StuckJob): Markup =>
  item(
    'stuck',
    html`A job of an <a href="console/orders/${orderRef}">order</a> stopped after an internal error: ${message}. See the log, then run <code>${PLAZO} deliveries retry ${key}</code>.`,
  )

const STUCK_SHOWN = 5

export const homeMarkup = async ({
  host: { store, clock },
  config,
  providerWatch,
}: Pick<ConsoleParts, 'host' | 'config' | 'providerWatch'>): Promise<Markup> => {
  const [failing, stuck, exhausted, waiting] = await Promise.all([
    value(readFailing(store, clock)),
    value(store.stuckJobs()),
    value(readExhausted({ store }, clock, EXHAUSTED_COUNTED)),
    value(store.orders.countWaiting(null, LOOKED_AT_MAX)),
  ])
  const now = clock.now()
  const shops = Map.groupBy(failing, ({ merchantRef }) => merchantRef)
  const tasks = TASK_NAMES.flatMap((name) => waiting.filter(({ task }) => task === name))
  const items = [
    ...[...shops].map(([merchantRef, endpoints]) => shopItem(merchantRef, endpoints, now)),
    ...providerWatch.readFailing().map((provider) => providerItem(provider, now)),
    ...diskProblems(config.database).map(({ check, says, todo }) =>
      item(check, html`${says}. ${todo}`),
    ),
    ...stuck.slice(0, STUCK_SHOWN).map(stuckItem),
    ...exhausted.map(exhaustedItem),
    ...tasks.map(({ task, since, ...count }) =>
      item(
        'decide',
        html`<a href="console/decisions?kind=${task}">${countWords(count)}</a> ${TASKS[task][1]} The oldest has waited for ${countdown(now - since)}.`,
        'wait',
      ),
    ),
  ]
  return html`<header><h1>Home</h1></header>
${
  items.length === 0
    ? html`<p class="notice good"><strong>Nothing needs you.</strong></p>`
    : html`<section class="card"><ul class="rows" role="list" aria-label="Needs attention">${items}</ul></section>`
}`
}

export const homePage = (parts: ConsoleParts) =>
  new Hono().get('/', async (c) => parts.show(c, { title: 'Home', body: await homeMarkup(parts) }))
