// By law, shoppers must know who lends, and on which conditions, before they are bound. Only the
// operator knows these facts, so they are settings. Each may be given once for all languages, or
// for one language with its suffix, as LENDER_NAME_ES. Contract §4, Law.
import type { Legal } from '@plazo/core'
import { LANGUAGES, type Language, type LegalFacts } from '@plazo/core/protocol'
import { parseHttpUrl, type Setting, setting } from './parse-settings.ts'

const TEXT_MAX = 4_000
// A text has lines, but nothing else that is invisible.
const TEXT = /^(?=.*\S)[^\p{Cc}]*(?:\r?\n[^\p{Cc}]*)*$/su

const text = setting<string | null>('', `a text of at most ${TEXT_MAX} characters`, (raw) => {
  if (raw === '') return null
  return raw.length <= TEXT_MAX && TEXT.test(raw) ? raw.trim() : undefined
})
const url = setting<string | null>('', 'an http or https URL', (raw) =>
  raw === '' ? null : parseHttpUrl(raw),
)

const NAMES = {
  LENDER_NAME: text,
  LENDER_ADDRESS: text,
  LENDER_SUPERVISOR: text,
  CONDITIONS_URL: url,
  PRE_CONTRACT_URL: url,
  WITHDRAWAL_TEXT: text,
  CONTACT_FOR_PERSON: text,
}
type Name = keyof typeof NAMES

const nameIn = (name: string, language: Language): string => `${name}_${language.toUpperCase()}`

/** The settings by name, each also with the suffix of each language. */
export const LEGAL_SETTINGS: Readonly<Record<string, Setting<string | null>>> = Object.fromEntries(
  Object.entries(NAMES).flatMap(([name, kind]) => [
    [name, kind],
    ...LANGUAGES.map((language) => [nameIn(name, language), kind] as const),
  ]),
)

/**
 * What the settings say in each language. A setting with a language's suffix replaces the one
 * without.
 */
type LegalSettings = { readonly [language in Language]: { readonly [name in Name]: string | null } }

export const readLegal = (values: Readonly<Record<string, string | null>>): LegalSettings => {
  const inLanguage = (language: Language) =>
    Object.fromEntries(
      Object.keys(NAMES).map((name) => [
        name,
        values[nameIn(name, language)] ?? values[name] ?? null,
      ]),
    ) as LegalSettings[Language]
  return { en: inLanguage('en'), es: inLanguage('es') }
}

/** The settings that no language has are named without a suffix. */
export const missingLegal = (settings: LegalSettings): readonly string[] =>
  (Object.keys(NAMES) as Name[]).flatMap((name) => {
    const languages = LANGUAGES.filter((language) => settings[language][name] === null)
    return languages.length === LANGUAGES.length
      ? [name]
      : languages.map((language) => nameIn(name, language))
  })

/** What a sandbox says in place of a setting. */
const PLACEHOLDERS: { readonly [language in Language]: { readonly [name in Name]: string } } = {
  en: {
    LENDER_NAME: 'Sandbox Lender (placeholder)',
    LENDER_ADDRESS: '1 Example Street, 00000 Example City',
    LENDER_SUPERVISOR: 'Example supervisory authority, register number 0000',
    CONDITIONS_URL: 'conditions',
    PRE_CONTRACT_URL: 'pre-contract',
    WITHDRAWAL_TEXT:
      'Placeholder: you may withdraw from the credit within 14 days, without giving a reason. To do so, write to the lender.',
    CONTACT_FOR_PERSON: 'person@lender.example',
  },
  es: {
    LENDER_NAME: 'Prestamista del sandbox (ejemplo)',
    LENDER_ADDRESS: 'Calle de Ejemplo 1, 00000 Ciudad Ejemplo',
    LENDER_SUPERVISOR: 'Autoridad supervisora de ejemplo, registro 0000',
    CONDITIONS_URL: 'conditions',
    PRE_CONTRACT_URL: 'pre-contract',
    WITHDRAWAL_TEXT:
      'Ejemplo: puedes desistir del crédito en 14 días, sin dar motivos. Para ello, escribe al prestamista.',
    CONTACT_FOR_PERSON: 'persona@prestamista.example',
  },
}

export const LENDER_PATH = '/sandbox/lender'

const placeholder = (language: Language, name: Name, baseUrl: string): string => {
  const text = PLACEHOLDERS[language][name]
  return name.endsWith('_URL') ? `${baseUrl}${LENDER_PATH}#${text}` : text
}

/** Prepared once at start. A sandbox has placeholders, so nothing is missing there. */
export const legalFrom = (settings: LegalSettings, isSandbox: boolean, baseUrl: string): Legal => {
  const missing = isSandbox ? [] : missingLegal(settings)
  const factsIn = (language: Language): LegalFacts => {
    const valueIn = (name: Name): string =>
      settings[language][name] ?? placeholder(language, name, baseUrl)
    return {
      lender: {
        name: valueIn('LENDER_NAME'),
        address: valueIn('LENDER_ADDRESS'),
        supervisor: valueIn('LENDER_SUPERVISOR'),
      },
      conditions_url: valueIn('CONDITIONS_URL'),
      pre_contract_url: valueIn('PRE_CONTRACT_URL'),
      withdrawal: valueIn('WITHDRAWAL_TEXT'),
      contact: valueIn('CONTACT_FOR_PERSON'),
    }
  }
  return { facts: missing.length > 0 ? null : { en: factsIn('en'), es: factsIn('es') }, missing }
}
