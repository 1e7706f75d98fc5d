// By law, shoppers must know who lends, and on which conditions, before they are bound. Only the
// operator knows these facts, so they are settings. Each may be given once for all languages, or
// for one language with its suffix, as LENDER_NAME_ES. Contract §4, Law.
import { LANGUAGES, type Language, type Legal, type LegalFacts } from '@plazo/core/internal'
import { httpUrl, optional, type Setting } from './parse-settings.ts'

const TEXT_MAX = 4_000
// A text has lines, but nothing else that is invisible.
const TEXT = /^(?=.*\S)[^\p{Cc}]*(?:\r?\n[^\p{Cc}]*)*$/su

const text = optional(`a text of at most ${TEXT_MAX} characters`, (raw) =>
  raw.length <= TEXT_MAX && TEXT.test(raw) ? raw.trim() : undefined,
)

const NAMES = {
  LENDER_NAME: text,
  LENDER_ADDRESS: text,
  LENDER_SUPERVISOR: text,
  CONDITIONS_URL: httpUrl,
  PRE_CONTRACT_URL: httpUrl,
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
export type LegalSettings = {
  readonly [language in Language]: { readonly [name in Name]: string | null }
}

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

/** The names of the settings about the terms of a credit. */
const OF_CREDIT = /^(CONDITIONS|PRE_CONTRACT|WITHDRAWAL)_/

const lenderOf = ({ lender, contact }: LegalFacts): LegalFacts => ({ lender, contact })

/**
 * Prepared once at start. `placeholders`: what is said in place of a setting that is missing; none
 * if it must not be.
 */
export const legalFrom = (settings: LegalSettings, placeholders?: LegalSettings): Legal => {
  const factsIn = (language: Language): LegalFacts => {
    const valueIn = (name: Name): string =>
      settings[language][name] ?? placeholders?.[language][name] ?? ''
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
  const missing = placeholders === undefined ? missingLegal(settings) : []
  const all = { en: factsIn('en'), es: factsIn('es') }
  const needsOthers = missing.some((name) => !OF_CREDIT.test(name))
  return {
    facts: missing.length > 0 ? null : all,
    withoutCredit: needsOthers ? null : { en: lenderOf(all.en), es: lenderOf(all.es) },
    missing,
  }
}
