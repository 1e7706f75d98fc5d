// The first page says in sentences what needs an operator, with the way to each remedy, so that nobody
// has to look through lists to learn that all is well.
import type { InboxKind } from '@plazo/core'
import type { Clock, Endpoint, FullStore, Unavailable } from '@plazo/core/ports'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { html } from 'hono/html'
import { isFailing } from '../background/endpoint-alert.ts'
import type { Markup } from '../http/page/page.ts'
import { countWords, durationWords } from './words.ts'

const LISTED_MAX = 100

const TASKS: Readonly<Record<Exclude<InboxKind, 'stuck'>, (orders: string) => string>> = {
  review: (orders) => `${orders} on hold: approve or reject.`,
  unanswered: (orders) => `${orders} whose cancel request the shop has not answered in a week.`,
  unsupported: (orders) => `${orders} whose shop does not support cancel.`,
  asked: (orders) => `${orders} whose shop has not decided about a cancellation.`,
}

export type Attention = {
  readonly tasks: readonly { readonly kind: InboxKind; readonly sentence: string }[]
  readonly failing: readonly Endpoint[]
}

export const readAttention = (
  store: Pick<FullStore, 'orders' | 'endpoints' | 'stuckJobs'>,
  clock: Clock,
): TE.TaskEither<Unavailable, Attention> =>
  pipe(
    TE.Do,
    TE.bind('counts', () => store.orders.countWaiting(null)),
    TE.bind('stuck', () => store.stuckJobs()),
    TE.bind('failing', () =>
      store.endpoints.list({ merchantRef: null, isFailing: true, limit: LISTED_MAX }),
    ),
    TE.map(({ counts, stuck, failing }) => ({
      failing: failing.filter((each) => isFailing(each, clock.now())),
      tasks: [
        ...counts
          .filter(({ count }) => count > 0)
          .map(({ task, count, isExact, since }) => ({
            kind: task,
            sentence: `${TASKS[task](countWords({ count, isExact }))} The oldest has waited for ${durationWords(clock.now() - since)}.`,
          })),
        ...(stuck.length === 0
          ? []
          : [
              {
                kind: 'stuck' as const,
                sentence: `${countWords({ count: stuck.length, isExact: true }, 'job')} stuck after an internal error.`,
              },
            ]),
      ],
    })),
  )

/** `now`: domain time. */
export const attentionMarkup = ({ tasks, failing }: Attention, now: number): Markup =>
  tasks.length + failing.length === 0
    ? html`<p class="notice good"><strong>Nothing needs you.</strong></p>`
    : html`<section class="card"><header><h2>Needs attention</h2></header><ul class="rows" role="list">
${failing.map(
  ({
    merchantRef,
    kind,
    failingSince,
    pausedUntil,
  }) => html`<li><span class="pill wrong">shop fails</span>
<p><a href="console/endpoints/${encodeURIComponent(merchantRef)}/${kind}"><bdi>${merchantRef}</bdi></a> has failed for ${durationWords(now - (failingSince ?? now))}${kind === 'ipn' && ', and its orders expire'}. ${(pausedUntil ?? 0) > now && 'It is paused.'}</p></li>`,
)}
${tasks.map(
  ({ kind, sentence }) =>
    html`<li><span class="pill wait">decide</span><p><a href="console?waiting=${kind}">${sentence}</a></p></li>`,
)}
</ul></section>`
