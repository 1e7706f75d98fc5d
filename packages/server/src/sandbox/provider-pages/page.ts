// The sandbox's own pages in place of a provider's: the card form, the bank's question, and the ID
// session. They speak the language of the order. Contract §10.
import type { Language } from '@plazo/core/protocol'
import { html } from 'hono/html'
import { SCRIPTS } from '../../http/page/browser-script.ts'
import type { Markup, Page } from '../../http/page/page.ts'
import { FRAMED_STYLE, SHOPPER_STYLE } from '../../http/page/styles.ts'
import { SANDBOX_TEXTS, type SandboxTexts } from '../script/texts.ts'

// The buttons of the framed forms are disabled until their script is ready: a browser that
// submitted a form by itself would show the message that is meant for the page around it.
const framedPage = (language: Language, title: string, form: Markup): Page => ({
  ...{ title, language, style: FRAMED_STYLE, scripts: [SCRIPTS.paymentFrame] },
  ...{ mayBeFramed: true, hasForms: true, policy: ["connect-src 'self'"] },
  body: html`${form}
<p role="status" tabindex="-1"></p>`,
})

type FieldName = keyof SandboxTexts['card']['wrong']

const field = (
  { card }: SandboxTexts,
  name: FieldName,
  autocomplete: string,
  hint?: string,
): Markup =>
  html`<div class="field">
<label for="${name}">${card[name]}</label>
<input id="${name}" name="${name}" inputmode="numeric" autocomplete="${autocomplete}" required aria-describedby="${name}-wrong${hint && ` ${name}-hint`}">
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
<p class="wrong" id="${name}-wrong"></p>
</div>`

type CardFormPage = {
  readonly service: string
  readonly language: Language
  /** The last digits of a saved card, whose form asks only for its CVC; null for a new card. */
  readonly savedDigits: string | null
  /** The words of the button that binds to pay. */
  readonly button: string
}

/** It has no heading, because the page around it has one. */
export const cardFormPage = ({ service, language, savedDigits, button }: CardFormPage): Page => {
  const texts = SANDBOX_TEXTS[language]
  const { card } = texts
  const cvc = field(texts, 'cvc', 'cc-csc', card.cvcHint)
  return framedPage(
    language,
    card.title,
    html`<form method="post" novalidate data-page="card" data-service="${service}">
${
  savedDigits === null
    ? html`${field(texts, 'number', 'cc-number')}
<div class="pair">
${field(texts, 'expiry', 'cc-exp', card.expiryHint)}
${cvc}
</div>
<label class="choice"><input type="checkbox" name="save"> <span>${card.save}</span></label>`
    : html`<p class="saved-card">${card.saved.replace('{digits}', savedDigits)}</p>
${cvc}`
}
<div class="actions"><button disabled>${button}</button></div>
</form>
<noscript><p>${texts.needsScript}</p></noscript>`,
  )
}

export const bankPage = (service: string, language: Language): Page => {
  const texts = SANDBOX_TEXTS[language]
  const { bank } = texts
  return framedPage(
    language,
    bank.title,
    html`<form method="post" data-page="bank" data-service="${service}">
<div><h1>${bank.title}</h1>
<p class="quiet">${bank.text}</p></div>
<div class="actions"><button name="status" value="success" disabled>${bank.yes}</button>
<button name="status" value="failure" class="other" disabled>${bank.no}</button></div>
</form>
<noscript><p>${texts.needsScript}</p></noscript>`,
  )
}

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

export const idSessionPage = (language: Language): Page => {
  const { session } = SANDBOX_TEXTS[language]
  return {
    ...{ title: session.title, language, style: SHOPPER_STYLE, hasForms: true },
    body: html`<h1>${session.title}</h1>
<p class="quiet">${session.text}</p>
<form method="post"><div class="actions">
<button name="status" value="VERIFIED">${session.VERIFIED}</button>
<button name="status" value="FAILED" class="other">${session.FAILED}</button>
<button name="status" value="ERROR" class="other">${session.ERROR}</button>
</div></form>`,
  }
}

/** `ended`: the order has another session now, or none. */
export const idSessionEndPage = (language: Language, end: 'thanks' | 'ended'): Page => {
  const { [end]: title, back } = SANDBOX_TEXTS[language].session
  return { title, language, style: SHOPPER_STYLE, body: html`<h1>${title}</h1>\n<p>${back}</p>` }
}
