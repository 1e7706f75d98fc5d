// The first page says in sentences what needs an operator, each with a link and a remedy, so that
// nobody has to look through lists to learn that all is well.
import {
  type Endpoint,
  LOOKED_AT_MAX,
  type OrderCount,
  type ProviderPort,
  type StuckJob,
} from '@plazo/core/internal'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { readFailing } from '../background/endpoint-alert.ts'
import type { FailingProvider } from '../background/provider-watch.ts'
import { diskProblems } from '../doctor/database.ts'
import type { Markup } from '../http/page/page.ts'
import { countdown } from '../http/page/script/formats.ts'
import { value } from '../http/route.ts'
import { PLAZO } from '../settings/own-commands.ts'
import { TASK_NAMES, TASKS } from './decisions.ts'
import { KIND_TITLES } from './endpoints.ts'
import { type ConsoleParts, countWords } from './frame.ts'

/** What needs an operator. `todo`: the remedy, with commands in backticks. */
type Item = {
  readonly label: string
  readonly subject: string
  /** A page about the subject; null if there is none. */
  readonly href: string | null
  readonly says: string
  readonly todo: string
  /** True: an order waits, and nothing is wrong. */
  readonly waits?: true
}

const shopItem = (merchantRef: string, endpoints: readonly Endpoint[], now: number): Item => {
  const since = Math.min(...endpoints.map(({ failingSince }) => failingSince ?? now))
  const kind = endpoints.some((each) => each.kind === 'ipn') ? 'ipn' : 'event'
  return {
    label: 'shop fails',
    subject: merchantRef,
    href: `console/endpoints/${encodeURIComponent(merchantRef)}/${kind}`,
    says: `has failed for ${countdown(now - since)}: ${endpoints.map((each) => KIND_TITLES[each.kind]).join(' and ')}.`,
    todo: 'See on the console what it answers, and tell the shop.',
  }
}

/** The orders that wait for the port. */
const WAITING_FOR: Readonly<Record<ProviderPort, string>> = {
  screening: 'checkout=screening',
  sms: 'checkout=verifying_phone',
  identity: 'checkout=verifying_identity',
  payment: 'checkout=paying',
  risk: 'risk=assessing',
}

const providerItem = ({ port, failingSince, failures }: FailingProvider, now: number): Item => ({
  label: 'provider fails',
  subject: `The ${port} provider`,
  href: `console/orders?${WAITING_FOR[port]}`,
  says: `has not answered for ${countdown(now - failingSince)}, ${failures} times in a row, and orders wait for it.`,
  todo: `Run \`${PLAZO} doctor\`, and tell the provider.`,
})

// Of all merchants together. Nobody needs an exact count.
const EXHAUSTED_COUNTED = 30
const WEEK = 7 * 24 * 3_600_000

const exhaustedItem = (merchantRef: string, count: OrderCount): Item => ({
  label: 'given up',
  subject: merchantRef,
  href: `console/endpoints/${encodeURIComponent(merchantRef)}/event`,
  says: `did not accept ${countWords(count, 'webhook')} that were given up in the last 7 days.`,
  todo: `Once its endpoint answers, send them again on its page or with \`${PLAZO} deliveries recover --merchant ${merchantRef}\`.`,
})

const stuckItem = ({ key, orderRef, message }: StuckJob): Item => ({
  label: 'stuck',
  subject: `A job of order ${orderRef}`,
  href: `console/orders/${orderRef}`,
  says: `stopped after an internal error: ${message}.`,
  todo: `See the log, then run \`${PLAZO} deliveries retry ${key}\`.`,
})

const STUCK_SHOWN = 5

/** What the home page says, without this server's own providers and disk. Rejects if it cannot be read. */
export const readItems = async ({
  store,
  clock,
}: Pick<ConsoleParts['host'], 'store' | 'clock'>): Promise<readonly Item[]> => {
  const [failing, stuck, exhausted, waiting] = await Promise.all([
    value(readFailing(store, clock)),
    value(store.stuckJobs()),
    value(store.deliveries.exhausted(EXHAUSTED_COUNTED)),
    value(store.orders.countWaiting(null, LOOKED_AT_MAX)),
  ])
  const now = clock.now()
  const shops = Map.groupBy(failing, ({ merchantRef }) => merchantRef)
  const isExact = exhausted.length < EXHAUSTED_COUNTED
  const recent = exhausted.filter(({ attempts }) => (attempts.at(-1)?.startedAt ?? 0) >= now - WEEK)
  const givenUp = Map.groupBy(recent, ({ merchantRef }) => merchantRef)
  const tasks = TASK_NAMES.flatMap((name) => waiting.filter(({ task }) => task === name))
  return [
    ...[...shops].map(([merchantRef, endpoints]) => shopItem(merchantRef, endpoints, now)),
    ...stuck.slice(0, STUCK_SHOWN).map(stuckItem),
    ...[...givenUp].map(([ref, { length: count }]) => exhaustedItem(ref, { count, isExact })),
    ...tasks.map(
      ({ task, since, ...count }): Item => ({
        label: 'decide',
        subject: countWords(count),
        href: `console/decisions?kind=${task}`,
        says: TASKS[task][1],
        todo: `The oldest has waited for ${countdown(now - since)}.`,
        waits: true,
      }),
    ),
  ]
}

const itemMarkup = ({ label, subject, href, says, todo, waits }: Item): Markup => {
  const name = html`<bdi>${subject}</bdi>`
  const remedy = todo.split('`').map((part, n) => (n % 2 === 0 ? part : html`<code>${part}</code>`))
  return html`<li data-row><span class="pill ${waits ? 'wait' : 'wrong'}">${label}</span><p>${href === null ? name : html`<a href="${href}">${name}</a>`} ${says} ${remedy}</p></li>`
}

export const homeMarkup = async ({
  host: { store, clock },
  config,
  providerWatch,
}: Pick<ConsoleParts, 'host' | 'config' | 'providerWatch'>): Promise<Markup> => {
  const now = clock.now()
  const disk = diskProblems(config.database).map(
    ({ check, says, todo }): Item => ({
      label: check,
      subject: 'The disk:',
      href: null,
      says: `${says}.`,
      todo: todo ?? '',
    }),
  )
  const items = [
    ...providerWatch.readFailing().map((provider) => providerItem(provider, now)),
    ...disk,
    ...(await readItems({ store, clock })),
  ]
  return html`<header><h1>Home</h1></header>
${
  items.length === 0
    ? html`<p class="notice good"><strong>Nothing needs you.</strong></p>`
    : html`<section class="card"><ul class="rows" role="list" aria-label="Needs attention">${items.map(itemMarkup)}</ul></section>`
}`
}

export const homePage = (parts: ConsoleParts) =>
  new Hono().get('/', async (c) => parts.show(c, { title: 'Home', body: await homeMarkup(parts) }))
