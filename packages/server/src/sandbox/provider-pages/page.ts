// The sandbox's own pages in place of a provider's: the card form, the bank's question, and the ID
// session. They speak the language of the order. Contract §10.

import type { Language, SavedCard } from '@plazo/core/internal'
import {
  CARD_TEXTS,
  type CardTexts,
  framedPage,
  type Markup,
  type Page,
} from '@plazo/server/internal'
import { html } from 'hono/html'

const en = {
  bank: {
    title: 'Your bank needs to confirm it’s you',
    text: 'The sandbox plays your bank.',
    yes: 'Yes, pay',
    no: 'No',
  },
  session: {
    title: 'Verify your identity',
    text: 'The sandbox plays the identity service. Choose how the verification ends.',
    VERIFIED: 'Verified',
    FAILED: 'Not verified',
    ERROR: 'Interrupted',
    thanks: 'Thank you',
    ended: 'This verification has ended',
    back: 'Close this tab and go back to your order. It continues there.',
  },
}

const TEXTS: { readonly [language in Language]: typeof en } = {
  en,
  es: {
    bank: {
      title: 'Tu banco quiere confirmar que eres tú',
      text: 'El sandbox hace de banco.',
      yes: 'Sí, pagar',
      no: 'No',
    },
    session: {
      title: 'Verifica tu identidad',
      text: 'El sandbox hace de servicio de identidad. Elige cómo termina la verificación.',
      VERIFIED: 'Verificada',
      FAILED: 'No verificada',
      ERROR: 'Interrumpida',
      thanks: 'Gracias',
      ended: 'Esta verificación ha terminado',
      back: 'Cierra esta pestaña y vuelve a tu pedido. Continúa allí.',
    },
  },
}

type FieldName = 'number' | 'expiry' | 'cvc'

const field = (card: CardTexts, name: FieldName, autocomplete: string, hint?: string): Markup =>
  html`<div class="field">
<label for="${name}">${card[name]}${name === 'number' && html` <span class="quiet" id="brand"></span>`}</label>
<input id="${name}" name="${name}" inputmode="numeric" autocomplete="${autocomplete}" required aria-describedby="${name}-wrong${hint && ` ${name}-hint`}">
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
<p class="wrong" id="${name}-wrong"></p>
</div>`

/**
 * Its heading is for screen readers, because the page around it shows one. `saved`: a saved card, which needs only its
 * CVC. `button`: the words that bind to pay.
 */
export const cardFormPage = (
  service: string,
  language: Language,
  saved: SavedCard | null,
  button: string,
): Page => {
  const card = CARD_TEXTS[language]
  const cvc = field(card, 'cvc', 'cc-csc', card.cvcHint)
  return framedPage(
    language,
    card.title,
    html`<form method="post" novalidate data-page="card" data-service="${service}">
<h1 class="unseen">${card.title}</h1>
${
  saved
    ? html`<p class="saved-card">${card.saved.replace('{digits}', saved.lastFour)}</p>
${cvc}`
    : html`${field(card, 'number', 'cc-number')}
<div class="pair">
${field(card, 'expiry', 'cc-exp', card.expiryHint)}
${cvc}
</div>
<label class="choice"><input type="checkbox" name="save"> <span>${card.save}</span></label>`
}
<div class="actions"><button disabled>${button}</button></div>
</form>
<noscript><p>${card.needsScript}</p></noscript>`,
  )
}

export const bankPage = (service: string, language: Language): Page => {
  const { bank } = TEXTS[language]
  return framedPage(
    language,
    bank.title,
    html`<form method="post" data-page="bank" data-service="${service}">
<div><h1>${bank.title}</h1>
<p class="quiet">${bank.text}</p></div>
<div class="actions"><button name="status" value="success" disabled>${bank.yes}</button>
<button name="status" value="failure" class="other" disabled>${bank.no}</button></div>
</form>
<noscript><p>${CARD_TEXTS[language].needsScript}</p></noscript>`,
  )
}

export const idSessionPage = (language: Language): Page => {
  const { session } = TEXTS[language]
  return {
    title: session.title,
    language,
    layout: 'shopper',
    hasForms: true,
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
  const { [end]: title, back } = TEXTS[language].session
  return { title, language, layout: 'shopper', body: html`<h1>${title}</h1>\n<p>${back}</p>` }
}
