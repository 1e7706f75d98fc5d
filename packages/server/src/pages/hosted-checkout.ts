// The hosted checkout is one custom element in a page. Without scripts, or if the checkout cannot be opened, the page names the
// order and leads back to the shop. All its URLs are absolute, so that any site can show it.
import { type CreditProduct, languageOf, money, type Order, returnUrlOf } from '@plazo/core'
import { html } from 'hono/html'
import { CHECKOUT_TEXTS } from '../browser/checkout/texts.ts'
import { SCRIPTS } from './scripts.ts'
import { CHECKOUT_PAGE_STYLE } from './styles.ts'

/** The element replaces its content. */
export const hostedCheckout = (order: Order, product: CreditProduct, baseUrl: string) => {
  const { orderRef, currency, total } = order.placed
  const language = languageOf(order.placed.language)
  const texts = CHECKOUT_TEXTS[language]
  const { origin } = new URL(baseUrl)
  return {
    language,
    title: texts.cart.title,
    style: CHECKOUT_PAGE_STYLE,
    scripts: [SCRIPTS.checkoutElement],
    root: `${baseUrl}/`,
    body: html`<plazo-checkout page order="${orderRef}" product="${product.code}">
<div class="card">
<h1>${texts.cart.title}</h1>
<p>${texts.cart.total}: <strong>${money(total, currency, order.placed.language).string}</strong></p>
<noscript><p>${texts.needsScript}</p></noscript>
<a class="button" href="${returnUrlOf(order)}">${texts.back}</a>
</div>
</plazo-checkout>`,
    // The card form's URL is our own, and may redirect to a provider's https URL.
    policy: [`connect-src ${origin}`, `frame-src ${origin} https:`],
  }
}
