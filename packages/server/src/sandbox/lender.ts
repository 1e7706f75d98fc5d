// Only the operator knows who lends. Without these placeholders, nobody could finish a checkout in a
// sandbox. Contract §4, Law.

import type { Language } from '@plazo/core/protocol'
import { acceptedLanguage, type LegalSettings, type Page, sendPage } from '@plazo/server/internal'
import { Hono } from 'hono'
import { html } from 'hono/html'

const LENDER_PATH = '/sandbox/lender'

/** What the sandbox says in place of each setting of the lender. */
export const lenderPlaceholders = (baseUrl: string): LegalSettings => {
  const url = `${baseUrl}${LENDER_PATH}`
  const urls = { CONDITIONS_URL: `${url}#conditions`, PRE_CONTRACT_URL: `${url}#pre-contract` }
  return {
    en: {
      ...urls,
      LENDER_NAME: 'Sandbox Lender (placeholder)',
      LENDER_ADDRESS: '1 Example Street, 00000 Example City',
      LENDER_SUPERVISOR: 'Example supervisory authority, register number 0000',
      WITHDRAWAL_TEXT:
        'Placeholder: you may withdraw from the credit within 14 days, without giving a reason. To do so, write to the lender.',
      CONTACT_FOR_PERSON: 'person@lender.example',
    },
    es: {
      ...urls,
      LENDER_NAME: 'Prestamista del sandbox (ejemplo)',
      LENDER_ADDRESS: 'Calle de Ejemplo 1, 00000 Ciudad Ejemplo',
      LENDER_SUPERVISOR: 'Autoridad supervisora de ejemplo, registro 0000',
      WITHDRAWAL_TEXT:
        'Ejemplo: puedes desistir del crédito en 14 días, sin dar motivos. Para ello, escribe al prestamista.',
      CONTACT_FOR_PERSON: 'persona@prestamista.example',
    },
  }
}

/** The sandbox's placeholder for the documents of a lender, in the language of Accept-Language. */
export const lenderPages = (): Hono =>
  new Hono().get(LENDER_PATH, (c) => sendPage(c, lenderPage(acceptedLanguage(c))))

const lenderPage = (language: Language): Page => {
  const { title, note } = LENDER_TEXTS[language]
  return {
    language,
    title,
    layout: 'shopper',
    body: html`<h1>${title}</h1>
<p>${note}</p>
<h2 id="conditions">CONDITIONS_URL</h2>
<h2 id="pre-contract">PRE_CONTRACT_URL</h2>`,
  }
}

const LENDER_TEXTS = {
  en: {
    title: 'Documents of the lender',
    note: 'This is a placeholder of the sandbox. In production, the documents are at the addresses of these settings.',
  },
  es: {
    title: 'Documentos del prestamista',
    note: 'Esta página es un ejemplo del sandbox. En producción, los documentos están en las direcciones de estos ajustes.',
  },
} satisfies { readonly [language in Language]: unknown }
