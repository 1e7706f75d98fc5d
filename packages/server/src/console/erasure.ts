// An operator sees here what an erasure destroys and what must end before. The page's button is the
// only question, because the page names everything that goes.
import { type ErasurePreview, eraseShopperData, orderView, previewErasure } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { html } from 'hono/html'
import { wantsPage } from '../http/answers.ts'
import { card, refusalMarkup } from '../http/page/console-page.ts'
import type { Markup } from '../http/page/page.ts'
import { orderName } from '../http/page/script/formats.ts'
import type { KnownError } from '../http/problem.ts'
import { uuidParam } from '../http/request.ts'
import { answer, HTML, jsonAnswer, type Route, route } from '../http/route.ts'
import type { Services } from '../http/services.ts'
import {
  ERASURE_KEEPS,
  ERASURE_REFUSED,
  ErasedView,
  ErasureView,
  erasedView,
  erasedWords,
  erasureView,
} from '../orders/erasure.ts'

const listCard = (title: string, sentences: readonly string[]): Markup =>
  card(
    title,
    html`<div class="inside"><ul>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul></div>`,
  )

const eraseCard = ({ unfinished }: ErasurePreview): Markup =>
  unfinished.length === 0
    ? card(
        'Erase',
        html`<form class="inside" method="post" action="erasure">
<p>Nothing is unfinished. This cannot be undone.</p>
<button class="final">Yes, erase the shopper for good</button></form>`,
      )
    : listCard('It cannot be erased yet', unfinished)

const erasurePage = (preview: ErasurePreview, refusal: readonly string[]): Markup => {
  const { order_ref, ...view } = orderView(preview.order)
  const goes = erasedWords(preview)
  return html`${refusalMarkup(refusal)}
<div class="title"><h1>Erase the shopper of order <bdi>${orderName({ order_ref, ...view })}</bdi></h1>
<span class="quiet">${view.merchant}</span>
<span class="actions"><a href="../${order_ref}">The order</a></span></div>
${goes.length === 0 && html`<p class="notice good" role="status">Nothing of the shopper is left.</p>`}
<div class="columns">
${goes.length > 0 && listCard('This goes for good', goes)}
${listCard('This stays', ERASURE_KEEPS)}
</div>
${goes.length > 0 && eraseCard(preview)}`
}

export const erasureRoutes = ({
  host: { store, clock },
  erasure,
  byOperator,
  showConsole,
}: Services): readonly Route[] => {
  const anOrder = { ...byOperator, load: (c: Context) => TE.fromEither(uuidParam(c)) }
  const preview = previewErasure({ store })

  const showErasure = (
    c: Context,
    orderRef: string,
    refusal: readonly string[] = [],
  ): TE.TaskEither<KnownError, Response> =>
    pipe(
      preview(orderRef),
      TE.chainTaskK((shown) => () => {
        const body = erasurePage(shown, refusal)
        const title = `Erase the shopper of order ${orderRef}`
        return showConsole(c, { title, area: null, body }, refusal.length === 0 ? 200 : 409)
      }),
    )

  const preparedErasure = jsonAnswer('What would go, and what is unfinished.', ErasureView)
  return [
    route('GET /console/orders/:uuid/erasure', 'previewErasure', 'See what an erasure destroys', {
      access: anOrder,
      errors: 'page',
      description: 'A browser gets a page with a button, other clients get JSON.',
      ok: { ...preparedErasure, content: { ...preparedErasure.content, ...HTML } },
      handle: (
        orderRef,
        _,
        c,
      ): TE.TaskEither<KnownError, Response | ReturnType<typeof erasureView>> =>
        wantsPage(c) ? showErasure(c, orderRef) : pipe(preview(orderRef), TE.map(erasureView)),
    }),
    route('POST /console/orders/:uuid/erasure', 'eraseShopper', 'Erase the shopper of an order', {
      isSampled: false,
      access: anOrder,
      errors: 'page',
      description:
        'Destroys the shopper’s data. The order, its history and its list of deliveries stay. Only a backup can restore the data.',
      ok: jsonAnswer('The shopper is erased.', ErasedView),
      answers: {
        303: answer('For a browser: a redirect to what is left.', undefined, {
          Location: 'The page of the erasure.',
        }),
      },
      problems: { 409: 'The checkout has not ended, or the order still has jobs.' },
      handle: (orderRef, _, c) =>
        pipe(
          eraseShopperData({ erasure, clock })(orderRef),
          TE.map((outcome) =>
            wantsPage(c) ? c.redirect('erasure', 303) : erasedView(orderRef, outcome),
          ),
          TE.orElseW((error) =>
            error._tag === 'Refused' && wantsPage(c)
              ? showErasure(c, orderRef, [...error.sentences, ERASURE_REFUSED])
              : TE.left<KnownError>(error),
          ),
        ),
    }),
  ]
}
