// The hosted checkout is one custom element in a page. Without scripts, or if the checkout cannot be opened, the page names the
// order and leads back to the shop.
import type { Language } from '@plazo/core'
import { html } from 'hono/html'
import { CHECKOUT_TEXTS } from '../browser/checkout/texts.ts'
import type { Markup } from './page.ts'

type HostedCheckout = {
  readonly language: Language
  readonly orderRef: string
  readonly productCode: string
  /** The amount as the shopper reads it. */
  readonly total: string
  readonly returnUrl: string
}

/** Placed inside `main`. The element replaces its content. */
export const hostedCheckout = ({ language, orderRef, productCode, total, returnUrl }: HostedCheckout): Markup => {
  const texts = CHECKOUT_TEXTS[language]
  return html`<plazo-checkout page order="${orderRef}" product="${productCode}">
<div class="card">
<h1>${texts.cart.title}</h1>
<p>${texts.cart.total}: <strong>${total}</strong></p>
<noscript><p>${texts.needsScript}</p></noscript>
<a class="button" href="${returnUrl}">${texts.back}</a>
</div>
</plazo-checkout>`
}
