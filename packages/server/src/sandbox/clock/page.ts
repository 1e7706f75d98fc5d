// The page of the sandbox's clock: what time it is, how to move it, and what happens next to the
// demo merchant's orders.

import type { OrderView } from '@plazo/core/protocol'
import { countdown, type Markup, orderName, PLAZO, readableInstant } from '@plazo/server/internal'
import { html } from 'hono/html'
import { pageHead } from '../layout.ts'
import type { UpcomingEntry } from '../protocol.ts'

type UpcomingJob = { readonly order: OrderView; readonly job: UpcomingEntry }

type ClockPage = {
  readonly root: string
  /** Domain time, epoch milliseconds. */
  readonly now: number
  /** The instant at which the next job of any order is due; null: there is none. */
  readonly nextDueAt: number | null
  /** Of the demo merchant's newest orders, the next one first. */
  readonly upcoming: readonly UpcomingJob[]
}

const iso = (at: number): string => new Date(at).toISOString()

const upcomingItem =
  (root: string) =>
  ({ order, job }: UpcomingJob): Markup =>
    html`<li class="row"><a href="${root}?order=${order.order_ref}"><bdi>${orderName(order)}</bdi></a>
<span><span class="quiet">${job.text}</span> <time class="when" datetime="${job.at}">${readableInstant(job.at)}</time></span></li>`

/** Neighbours that say the same of several orders are one item. */
const upcomingItems = (root: string, upcoming: readonly UpcomingJob[]): readonly Markup[] => {
  const groups: (readonly [title: string, jobs: UpcomingJob[]])[] = []
  for (const each of upcoming) {
    const last = groups.at(-1)
    if (last?.[0] === each.job.title) last[1].push(each)
    else groups.push([each.job.title, [each]])
  }
  return groups.map(
    ([title, jobs]) => html`<li><strong>${title}</strong>
<ul class="jobs">${jobs.map(upcomingItem(root))}</ul></li>`,
  )
}

export const clockPage = ({
  root,
  now,
  nextDueAt,
  upcoming,
}: ClockPage): Markup => html`${pageHead('Clock', 'Every timer of the sandbox follows this clock. Move it forward, and each job that becomes due runs at its own time.')}
<section class="card" aria-label="The time">
<time id="now" datetime="${iso(now)}">${readableInstant(iso(now))} UTC</time>
<div class="actions">
<button type="button" data-move="next">Next timer · <span id="next" data-at="${nextDueAt === null ? '' : iso(nextDueAt)}">${nextDueAt === null ? 'nothing is due' : nextDueAt <= now ? 'now' : `in ${countdown(nextDueAt - now)}`}</span></button>
<button type="button" data-move="3600">+1 h</button>
<button type="button" data-move="604800">+1 week</button>
</div>
<p class="status" id="status" role="status"></p>
<noscript><p>The buttons need JavaScript. In a terminal, use <code>${PLAZO} clock next</code> or <code>${PLAZO} clock +1h</code>.</p></noscript>
</section>
<section class="card" id="happened" aria-label="What happened" hidden></section>
<section class="card" aria-labelledby="comes"><h2 id="comes">What comes next</h2>
<div id="upcoming">${
  upcoming.length === 0
    ? html`<p class="quiet">Nothing waits in the demo merchant’s newest orders. <a href="${root}">Buy something</a></p>`
    : html`<ul class="rows">${upcomingItems(root, upcoming)}</ul>`
}</div>
</section>
<p class="quiet">Programs do the same: <code>POST /sandbox/clock/advance {"seconds": 3600}</code> and <code>POST /sandbox/clock/next</code>.</p>`
