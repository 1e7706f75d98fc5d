// A frame in a shop's page must say what happened, even if a provider's page cannot be shown in it.
// Its page speaks the language of the order.
import type { Language } from '@plazo/core/protocol'
import { html } from 'hono/html'
import type { Markup, Page } from '../../http/page/page.ts'

const ERROR_TEXTS = {
  en: {
    gone: 'This payment form is no longer valid.',
    over: 'Your bank’s question has ended.',
    endedNote: 'Continue with your purchase. If a payment is still due, you get a new form.',
    unavailable: 'The payment form is not available right now.',
    unavailableNote: 'Please try again in a moment.',
    next: 'Continue',
    again: 'Try again',
    shop: 'Back to the shop',
  },
  es: {
    gone: 'Este formulario de pago ya no es válido.',
    over: 'La pregunta de tu banco ha terminado.',
    endedNote: 'Continúa con tu compra. Si aún queda un pago pendiente, verás un formulario nuevo.',
    unavailable: 'El formulario de pago no está disponible ahora.',
    unavailableNote: 'Inténtalo de nuevo en un momento.',
    next: 'Continuar',
    again: 'Intentar de nuevo',
    shop: 'Volver a la tienda',
  },
}

type PaymentError = {
  readonly service: string
  readonly language: Language
  /** `gone`: this card form will never work again; `over`: nor will this question of the bank. */
  readonly error: 'gone' | 'over' | 'unavailable'
  /** The shop's own page; null if the order is not known. */
  readonly shopUrl: string | null
}

/** For a browser that opens the card form or the bank's question, and gets an error. */
export const paymentErrorPage = ({ service, language, error, shopUrl }: PaymentError): Page => {
  const texts = ERROR_TEXTS[language]
  const hasEnded = error !== 'unavailable'
  return framedPage(
    language,
    texts[error],
    html`<form data-page="error" data-service="${service}">
<div><h1>${texts[error]}</h1>
<p class="quiet">${hasEnded ? texts.endedNote : texts.unavailableNote}</p></div>
<div class="actions">${hasEnded ? html`<button disabled>${texts.next}</button>` : html`<a class="button" href="">${texts.again}</a>`}
${shopUrl && html`<a class="button other" href="${shopUrl}" target="_top">${texts.shop}</a>`}</div>
</form>`,
  )
}

// The buttons of the framed forms are disabled until their script is ready: a browser that
// submitted a form by itself would show the message that is meant for the page around it.
export const framedPage = (language: Language, title: string, form: Markup): Page => ({
  title,
  language,
  layout: 'framed',
  scripts: ['payment-frame'],
  mayBeFramed: true,
  hasForms: true,
  policy: ["connect-src 'self'"],
  body: html`${form}
<p role="status" tabindex="-1"></p>`,
})
