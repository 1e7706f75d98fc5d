// The first page says in sentences what needs an operator, each with a link and a remedy, so that
// nobody has to look through lists to learn that all is well. The bar has the most important numbers
// on every page.
import { type Endpoint, LOOKED_AT_MAX, type StuckJob, type Unavailable } from '@plazo/core/ports'
import type { ProviderPort } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { html } from 'hono/html'
import { readFailing } from '../background/endpoint-alert.ts'
import type { FailingProvider } from '../background/provider-watch.ts'
import { PLAZO } from '../command-line/own-commands.ts'
import { diskProblems } from '../doctor/database.ts'
import type { Finding } from '../doctor/finding.ts'
import { type ExhaustedCount, readExhausted } from '../doctor/jobs.ts'
import type { Markup } from '../http/page/page.ts'
import type { AppParts } from '../http/services.ts'
import { TASK_NAMES, TASKS } from './decision-place.ts'
import type { BarCounts } from './frame.ts'
import { countWords, durationWords, shortCount } from './words.ts'

type Parts = Pick<AppParts, 'host' | 'config' | 'providerWatch'>

const readFailingShops = ({ host }: Pick<Parts, 'host'>) => readFailing(host.store, host.clock)

// The bar is on every page, so its number must cost nearly nothing.
const BAR_MAX = 99

/** An area without a number has nothing, or the store does not answer: its page says so. */
export const readBarCounts = (parts: Pick<Parts, 'host'>) => async (): Promise<BarCounts> => {
  const [waiting, failing] = await Promise.all([
    parts.host.store.orders.countWaiting(null, BAR_MAX)(),
    readFailingShops(parts)(),
  ])
  const counts = E.isRight(waiting) ? waiting.right : []
  const count = counts.reduce((sum, each) => sum + each.count + (each.isExact ? 0 : 1), 0)
  const shops = E.isRight(failing) ? failing.right.length : 0
  return {
    ...(count > 0 && {
      decisions: shortCount({ count: Math.min(count, BAR_MAX), isExact: count <= BAR_MAX }),
    }),
    ...(shops > 0 && { endpoints: String(shops) }),
  }
}

/** A sentence with its link and its remedy. */
type Item = { readonly label: string; readonly tone: 'wrong' | 'wait'; readonly text: Markup }

const shopItem = ({ merchantRef, kind, failingSince }: Endpoint, now: number): Item => ({
  label: 'shop fails',
  tone: 'wrong',
  text: html`<a href="console/endpoints/${encodeURIComponent(merchantRef)}/${kind}"><bdi>${merchantRef}</bdi></a> has failed for ${durationWords(now - (failingSince ?? now))}${kind === 'ipn' && ', and its orders expire'}. See what it answers, and tell the shop.`,
})

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
  tone: 'wrong',
  text: html`The ${port} provider has not answered for ${durationWords(now - failingSince)}, ${failures} times in a row, and <a href="console/orders?${WAITING_FOR[port]}">orders wait for it</a>. Run <code>${PLAZO} doctor</code> to see whether it can be reached, and tell the provider.`,
})

const findingItem = ({ check, says, todo }: Finding): Item => ({
  label: check,
  tone: 'wrong',
  text: html`${says}. ${todo}`,
})

// Of all merchants together. A page needs no exact count.
const EXHAUSTED_COUNTED = 30

const exhaustedItem = ({ merchantRef, ...count }: ExhaustedCount): Item => {
  const ref = encodeURIComponent(merchantRef)
  const counted = countWords(count, 'webhook')
  return {
    label: 'given up',
    tone: 'wrong',
    text: html`<a href="console/orders?merchant=${ref}&amp;failing=true">${counted}</a> of <bdi>${merchantRef}</bdi> in the last 7 days. Once its endpoint answers, <a href="console/endpoints/${ref}/event">send them again</a>.`,
  }
}

const JOBS_SHOWN = 5

const stuckItem = (jobs: readonly StuckJob[]): Item => ({
  label: 'stuck',
  tone: 'wrong',
  text: html`${countWords({ count: jobs.length, isExact: true }, 'job')} stuck after an internal error: ${jobs
    .slice(0, JOBS_SHOWN)
    .map(
      ({ key, orderRef, message }) =>
        html`<a href="console/orders/${orderRef}">${key}</a> (${message}) `,
    )}
See the log, then run <code>${PLAZO} deliveries retry &lt;key&gt;</code>.`,
})

export const readAttention = (parts: Parts): TE.TaskEither<Unavailable, readonly Item[]> => {
  const { host, config, providerWatch } = parts
  const { store, clock } = host
  return pipe(
    TE.Do,
    TE.bind('failing', () => readFailingShops(parts)),
    TE.bind('stuck', () => store.stuckJobs()),
    TE.bind('exhausted', () => readExhausted({ store }, clock, EXHAUSTED_COUNTED)),
    TE.bind('waiting', () => store.orders.countWaiting(null, LOOKED_AT_MAX)),
    TE.map(({ failing, stuck, exhausted, waiting }) => {
      const now = clock.now()
      return [
        ...failing.map((endpoint) => shopItem(endpoint, now)),
        ...providerWatch.readFailing().map((provider) => providerItem(provider, now)),
        ...diskProblems(config.database).map(findingItem),
        ...(stuck.length === 0 ? [] : [stuckItem(stuck)]),
        ...exhausted.map(exhaustedItem),
        ...TASK_NAMES.flatMap((task) => waiting.filter((each) => each.task === task)).map(
          ({ task, since, ...count }): Item => ({
            label: 'decide',
            tone: 'wait',
            text: html`<a href="console/decisions?kind=${task}">${countWords(count)}</a> ${TASKS[task][1]} The oldest has waited for ${durationWords(now - since)}.`,
          }),
        ),
      ]
    }),
  )
}

export const homePage = (items: readonly Item[]): Markup => html`
<div class="title"><h1>Home</h1></div>
${
  items.length === 0
    ? html`<p class="notice good"><strong>Nothing needs you.</strong></p>`
    : html`<section class="card"><header><h2>Needs attention</h2></header><ul class="rows" role="list">
${items.map(({ label, tone, text }) => html`<li data-row><span class="pill ${tone}">${label}</span><p>${text}</p></li>`)}
</ul></section>`
}`
