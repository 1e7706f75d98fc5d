// An operator sees here what an erasure destroys and what must end before. The page's button is the
// only question, because the page names everything that goes.
import { type ErasurePreview, orderView, previewErasure } from '@plazo/core'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { value } from '../http/answers.ts'
import type { Markup } from '../http/page/page.ts'
import { orderName } from '../http/page/script/formats.ts'
import { ERASURE_KEEPS, erasedWords } from '../orders/erasure.ts'
import { operatorActs } from '../orders/operator-acts.ts'
import { card } from './frame.ts'
import { type ConsoleParts, orderRefOf, see } from './handler.ts'

const listCard = (title: string, sentences: readonly string[]): Markup =>
  card(
    title,
    html`<div class="inside"><ul>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul></div>`,
  )

const eraseCard = ({ unfinished }: ErasurePreview): Markup =>
  unfinished.length > 0
    ? listCard('It cannot be erased yet', unfinished)
    : card(
        'Erase',
        html`<form class="inside" method="post">
<p>Nothing is unfinished. This cannot be undone.</p>
<button class="final">Yes, erase the shopper for good</button></form>`,
      )

const erasurePage = (preview: ErasurePreview): Markup => {
  const view = orderView(preview.order)
  const goes = erasedWords(preview)
  return html`<div class="title"><h1>Erase the shopper of order <bdi>${orderName(view)}</bdi></h1>
<span class="quiet">${view.merchant}</span>
<span class="actions"><a href="../${view.order_ref}">The order</a></span></div>
${goes.length === 0 && html`<p class="notice good" role="status">Nothing of the shopper is left.</p>`}
<div class="columns">
${goes.length > 0 && listCard('This goes for good', goes)}
${listCard('This stays', ERASURE_KEEPS)}
</div>
${goes.length > 0 && eraseCard(preview)}`
}

export const erasurePages = (parts: ConsoleParts) =>
  new Hono()
    .get('/orders/:uuid/erase', async (c) => {
      const orderRef = await orderRefOf(c)
      const preview = await value(previewErasure(parts.host)(orderRef))
      const title = `Erase the shopper of order ${orderRef}`
      return parts.show(c, { title, area: null, body: erasurePage(preview) })
    })
    .post('/orders/:uuid/erase', async (c) => {
      const orderRef = await orderRefOf(c)
      const page = `/orders/${orderRef}/erase`
      await value(operatorActs(parts).erase(c, orderRef), page)
      return see(c, page)
    })
