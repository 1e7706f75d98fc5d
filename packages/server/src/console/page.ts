// The console's first page lists what waits for a decision, and finds any order. It never shows the
// shopper's data.
import type { InboxKind, Order } from '@plazo/core'
import type { StuckJob } from '@plazo/core/ports'
import { html } from 'hono/html'
import { PLAZO } from '../command-line/own-commands.ts'
import { card, orderOnPage, timeMarkup } from '../http/page/console-page.ts'
import type { Markup } from '../http/page/page.ts'
import { orderStateWords } from '../http/page/script/words.ts'

const TITLES: Readonly<Record<InboxKind, string>> = {
  review: 'On hold: approve or reject',
  unanswered: 'No answer from the merchant for a week: cancel, or ask again',
  unsupported: 'Cancellation not supported by the merchant: cancel, or ask again',
  asked: 'The merchant was asked to cancel and has not decided',
  stuck: `Stuck after an internal error: see the log, then run ${PLAZO} stuck retry`,
}

export type InboxSection = {
  readonly kind: InboxKind
  readonly lines: readonly (
    | { readonly order: Order; readonly since: number }
    | { readonly stuck: StuckJob }
  )[]
  /** Where the next page begins; null if there is none. */
  readonly next: number | null
}

export type SearchResult = { readonly reference: string; readonly orders: readonly Order[] }

const orderLine = (order: Order, at: number): Markup => {
  const { order_ref, order_ref_1, merchant, amount, state } = orderOnPage(order)
  return html`<li>
${timeMarkup(new Date(at).toISOString())}
<div><p><a href="console/orders/${order_ref}"><bdi>${order_ref_1 === '' ? order_ref : order_ref_1}</bdi></a></p>
<p>${merchant}, ${amount.string}, <span class="quiet">${orderStateWords(state)}</span></p></div>
</li>`
}

const stuckLine = ({ key, orderRef, message }: StuckJob): Markup => html`<li>
<a href="console/orders/${orderRef}">${orderRef}</a>
<div><p><code>${key}</code></p>
<p class="quiet">${message}</p></div>
</li>`

const section = ({ kind, lines, next }: InboxSection): Markup =>
  card(
    TITLES[kind],
    html`${
      lines.length === 0
        ? html`<p class="inside quiet">Nothing.</p>`
        : html`<ol class="rows" role="list">
${lines.map((line) => ('stuck' in line ? stuckLine(line.stuck) : orderLine(line.order, line.since)))}
</ol>`
    }
${next !== null && html`<p class="inside"><a href="console?waiting=${kind}&amp;after=${next}">More: ${TITLES[kind].toLowerCase()}</a></p>`}`,
  )

const results = ({ reference, orders }: SearchResult): Markup =>
  orders.length === 0
    ? html`<div role="alert"><p><strong>No order found:</strong> <bdi>${reference}</bdi></p></div>`
    : card(
        html`${orders.length} orders have the reference <bdi>${reference}</bdi>`,
        html`<ol class="rows" role="list">${orders.map((order) => orderLine(order, order.placed.placedAt))}</ol>`,
      )

/** `attention`: what needs an operator, on the page of all kinds. Null: a page of one kind. */
export const inboxPage = (
  sections: readonly InboxSection[],
  attention: Markup | null,
  result: SearchResult | null,
): Markup => html`
<div class="title"><h1>Needs a decision</h1>${attention === null && html`<a href="console">All kinds</a>`}</div>
${attention}
${result && results(result)}
${(attention === null ? sections : sections.filter(({ lines }) => lines.length > 0)).map(section)}`
