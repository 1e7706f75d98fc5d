// The pages of plazo itself for shoppers: the hosted checkout, and the privacy policy if the
// operator names none in PRIVACY_POLICY_URL.
import {
  type CreditProduct,
  type Language,
  languageOf,
  money,
  type Order,
  returnUrlOf,
} from '@plazo/core/internal'
import { html } from 'hono/html'
import type { Markup, Page } from '../../http/page/page.ts'
import { CHECKOUT_TEXTS } from './texts.ts'

/**
 * One custom element, which replaces its content. Without scripts, or if the checkout cannot be
 * opened, the page names the order and leads back to the shop. All its URLs are absolute, so that
 * any site can show it.
 */
export const hostedCheckout = (order: Order, product: CreditProduct, baseUrl: string): Page => {
  const { orderRef, currency, total } = order.placed
  const language = languageOf(order.placed.language)
  const texts = CHECKOUT_TEXTS[language]
  const { origin } = new URL(baseUrl)
  return {
    language,
    title: texts.cart.title,
    scripts: ['checkout-element'],
    root: `${baseUrl}/`,
    body: html`<plazo-checkout page order="${orderRef}" product="${product.code}">
<div class="card"><div class="stack">
<h1>${texts.cart.title}</h1>
<p>${texts.cart.total}: <strong>${money(total, currency, order.placed.language).string}</strong></p>
<noscript><p>${texts.needsScript}</p></noscript>
<p class="late">${texts.notStarted}</p>
<a class="button" href="${returnUrlOf(order)}">${texts.back}</a>
</div></div>
</plazo-checkout>`,
    // The card form's URL is our own, and may redirect to a provider's https URL.
    policy: [`connect-src ${origin}`, `frame-src ${origin} https:`],
  }
}

/**
 * Until the operator has set who lends, nobody may be bound: the page leads back, and names the
 * settings for the operator.
 */
export const closedCheckout = (order: Order, missing: readonly string[]): Page => {
  const language = languageOf(order.placed.language)
  const { closed, back } = CHECKOUT_TEXTS[language]
  return {
    language,
    title: closed.title,
    layout: 'shopper',
    body: html`<h1>${closed.title}</h1>
<p>${closed.text}</p>
<p class="quiet">${closed.missing} ${missing.map((name, index) => html`${index === 0 ? '' : ', '}<code>${name}</code>`)}</p>
<div class="actions"><a class="button" href="${returnUrlOf(order)}">${back}</a></div>`,
  }
}

type PrivacyText = (service: string) => { readonly title: string; readonly sections: Markup }

const PRIVACY_TEXTS: { readonly [language in Language]: PrivacyText } = {
  en: (service) => ({
    title: `How ${service} treats your data`,
    sections: html`<h2>Which data we ask for</h2>
<p>Your names, your date of birth, your mobile phone, your identity number and your address.</p>
<h2>Why we need it</h2>
<p>To identify you, to confirm with a code that the phone is yours, to decide on the payment of this order, and to collect it.</p>
<h2>Who receives it</h2>
<p>${service} and its service providers. They decide on the payment, send the code, verify identity documents and process cards. The shop learns the result of the order, but nothing that you type here.</p>`,
  }),
  es: (service) => ({
    title: `Cómo trata ${service} tus datos`,
    sections: html`<h2>Qué te pedimos</h2>
<p>Tu nombre y apellidos, tu fecha de nacimiento, tu móvil, tu número de identidad y tu dirección.</p>
<h2>Para qué</h2>
<p>Para saber quién eres, comprobar con un código que el móvil es tuyo, decidir sobre el pago de este pedido y cobrarlo.</p>
<h2>Quién los recibe</h2>
<p>${service} y sus proveedores. Deciden sobre el pago, envían el código, verifican los documentos de identidad y cobran con la tarjeta. La tienda conoce el resultado del pedido, pero nada de lo que escribas aquí.</p>`,
  }),
}

export const privacyPage = (language: Language, service: string): Page => {
  const { title, sections } = PRIVACY_TEXTS[language](service)
  return { language, title, layout: 'shopper', body: html`<h1>${title}</h1>\n${sections}` }
}
