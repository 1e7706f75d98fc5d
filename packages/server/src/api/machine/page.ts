// The pages of the statechart: the machine itself, and the way that one order took. Without scripts
// they show pictures.
import type { OrderView } from '@plazo/core/protocol'
import { html, raw } from 'hono/html'
import type { Markup } from '../../http/page/page.ts'
import { orderName } from '../../http/page/script/formats.ts'
import type { LinesView } from '../orders/order-lines.ts'
import { MACHINE_MAP, PICTURES } from './machine-data.ts'
import { findOrderPath, type PathLine } from './order-path.ts'
import { highlightOf, svgOf } from './picture.ts'

/** `highlighted`: the way of an order. */
const picturesOf = (lines: readonly PathLine[]): readonly Markup[] => {
  const highlight = highlightOf(findOrderPath(MACHINE_MAP, lines))
  return PICTURES.map(
    (picture) => html`<figure>
<figcaption>${picture.region}</figcaption>
${raw(svgOf(picture, highlight))}
</figure>`,
  )
}

/** `runs`: where the ways to states can be run; null if nowhere. */
export const machinePage = (runs: string | null): Markup => html`<h1>The statechart of an order</h1>
<p>Three regions run in parallel: the checkout, the risk, and the cancellation. Each state names its caption, the answer of the
wait endpoint, and the section of the interface or the contract that describes it.${runs !== null && ' Select a state to see how an order gets there, and to bring one there.'}</p>
<plazo-machine${runs !== null && html` runs="${runs}"`}>${picturesOf([])}</plazo-machine>`

export const orderMachinePage = (
  order: OrderView,
  { history, is_cut }: LinesView,
  runs: string | null,
): Markup => html`<h1>Order <bdi>${orderName(order)}</bdi></h1>
<p>${order.merchant} · ${order.product} · ${order.amount.string} · <code class="uuid">${order.order_ref}</code></p>
${is_cut && html`<p class="quiet">The picture begins at event ${history[0]?.seq ?? 0}; older events are in the order’s history.</p>`}
<plazo-machine src="${order.order_ref}/history"${runs !== null && html` runs="${runs}"`}>${picturesOf(history)}</plazo-machine>`
