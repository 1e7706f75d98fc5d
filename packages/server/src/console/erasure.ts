// An operator sees here what an erasure destroys and what must end before. The page's button is the
// only question, because the page names everything that goes.
import { previewErasure } from '@plazo/core'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { ERASURE_KEEPS, erasedWords } from '../api/orders/erasure.ts'
import { operatorActs } from '../api/orders/operator-acts.ts'
import type { Markup } from '../http/page/page.ts'
import { orderName } from '../http/page/script/formats.ts'
import { formBody } from '../http/request.ts'
import { uuidParam, value } from '../http/route.ts'
import { type ConsoleParts, card, orderOnPage, see } from './frame.ts'

const listCard = (title: string, sentences: readonly string[]): Markup =>
  card(title, html`<ul>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>`)

const ERASE = card(
  'Erase',
  html`<form method="post">
<p>Nothing is unfinished. This cannot be undone.</p>
<button class="final">Yes, erase the shopper for good</button></form>`,
)

export const erasurePages = (parts: ConsoleParts) =>
  new Hono()
    .get('/orders/:uuid/erase', async (c) => {
      const orderRef = uuidParam(c)
      const preview = await value(previewErasure(parts.host)(orderRef))
      const { order, unfinished } = preview
      const goes = erasedWords(preview)
      const erasure = html`<div class="columns">${listCard('This goes for good', goes)}${listCard('This stays', ERASURE_KEEPS)}</div>
${unfinished.length > 0 ? listCard('It cannot be erased yet', unfinished) : ERASE}`
      const body = html`<header><h1>Erase the shopper of order <a href="../${orderRef}"><bdi>${orderName(orderOnPage(order))}</bdi></a></h1></header>
${goes.length === 0 ? html`<p class="notice good" role="status">Nothing of the shopper is left.</p>` : erasure}`
      return parts.show(c, { title: `Erase the shopper of order ${orderRef}`, body })
    })
    .post('/orders/:uuid/erase', async (c) => {
      await formBody(c, [])
      const orderRef = uuidParam(c)
      const page = `/orders/${orderRef}/erase`
      await value(operatorActs(parts).erase(c, orderRef), page)
      return see(c, page)
    })
