// Shoppers read here what happens to their data, if the operator names no policy in PRIVACY_POLICY_URL.
import type { Language } from '@plazo/core'
import { html } from 'hono/html'
import { SHOPPER_STYLE } from './styles.ts'

type Section = { readonly title: string; readonly text: string }
type PrivacyText = { readonly title: string; readonly sections: readonly Section[] }

const TEXTS: { readonly [language in Language]: (service: string) => PrivacyText } = {
  en: (service) => ({
    title: `How ${service} treats your data`,
    sections: [
      {
        title: 'Which data we ask for',
        text: 'Your names, your date of birth, your mobile phone, your identity number and your address.',
      },
      {
        title: 'Why we need it',
        text: 'To identify you, to confirm with a code that the phone is yours, to decide on the payment of this order, and to collect it.',
      },
      {
        title: 'Who receives it',
        text: `${service} and its service providers. They decide on the payment, send the code, verify identity documents and process cards. The shop learns the result of the order, but nothing that you type here.`,
      },
    ],
  }),
  es: (service) => ({
    title: `Cómo trata ${service} tus datos`,
    sections: [
      {
        title: 'Qué te pedimos',
        text: 'Tu nombre y apellidos, tu fecha de nacimiento, tu móvil, tu número de identidad y tu dirección.',
      },
      {
        title: 'Para qué',
        text: 'Para saber quién eres, comprobar con un código que el móvil es tuyo, decidir sobre el pago de este pedido y cobrarlo.',
      },
      {
        title: 'Quién los recibe',
        text: `${service} y sus proveedores. Deciden sobre el pago, envían el código, verifican los documentos de identidad y cobran con la tarjeta. La tienda conoce el resultado del pedido, pero nada de lo que escribas aquí.`,
      },
    ],
  }),
}

export const privacyPage = (language: Language, service: string) => {
  const { title, sections } = TEXTS[language](service)
  return {
    language,
    title,
    style: SHOPPER_STYLE,
    body: html`<h1>${title}</h1>
${sections.map((section) => html`<h2>${section.title}</h2>\n<p>${section.text}</p>`)}`,
  }
}
