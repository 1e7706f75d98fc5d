// A shopper sees these pages of ours: the hosted checkout, and the privacy policy if the operator names none in PRIVACY_POLICY_URL.
import { type CreditProduct, type Language, languageOf, money, type Order, returnUrlOf } from '@plazo/core'
import { html } from 'hono/html'
import { CHECKOUT_TEXTS } from '../browser/checkout/texts.ts'
import { SCRIPTS } from './browser-script.ts'
import type { Page } from './page.ts'
import { CHECKOUT_PAGE_STYLE, SHOPPER_STYLE } from './styles.ts'

/**
 * One custom element, which replaces its content. Without scripts, or if the checkout cannot be opened, the page names the order
 * and leads back to the shop. All its URLs are absolute, so that any site can show it.
 */
export const hostedCheckout = (order: Order, product: CreditProduct, baseUrl: string): Page => {
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

type PrivacyText = {
  readonly title: string
  readonly sections: readonly (readonly [title: string, text: string])[]
}

const PRIVACY_TEXTS: { readonly [language in Language]: (service: string) => PrivacyText } = {
  en: (service) => ({
    title: `How ${service} treats your data`,
    sections: [
      [
        'Which data we ask for',
        'Your names, your date of birth, your mobile phone, your identity number and your address.',
      ],
      [
        'Why we need it',
        'To identify you, to confirm with a code that the phone is yours, to decide on the payment of this order, and to collect it.',
      ],
      [
        'Who receives it',
        `${service} and its service providers. They decide on the payment, send the code, verify identity documents and process cards. The shop learns the result of the order, but nothing that you type here.`,
      ],
    ],
  }),
  es: (service) => ({
    title: `Cómo trata ${service} tus datos`,
    sections: [
      [
        'Qué te pedimos',
        'Tu nombre y apellidos, tu fecha de nacimiento, tu móvil, tu número de identidad y tu dirección.',
      ],
      [
        'Para qué',
        'Para saber quién eres, comprobar con un código que el móvil es tuyo, decidir sobre el pago de este pedido y cobrarlo.',
      ],
      [
        'Quién los recibe',
        `${service} y sus proveedores. Deciden sobre el pago, envían el código, verifican los documentos de identidad y cobran con la tarjeta. La tienda conoce el resultado del pedido, pero nada de lo que escribas aquí.`,
      ],
    ],
  }),
}

export const privacyPage = (language: Language, service: string): Page => {
  const { title, sections } = PRIVACY_TEXTS[language](service)
  return {
    language,
    title,
    style: SHOPPER_STYLE,
    body: html`<h1>${title}</h1>
${sections.map(([heading, text]) => html`<h2>${heading}</h2>\n<p>${text}</p>`)}`,
  }
}
