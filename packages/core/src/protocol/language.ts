// Shops send language tags in many forms (`es_ES`, `es_ES.UTF-8`, empty, garbage). A tag must never
// make an order fail, so every tag maps to a language. Contract §3.
import * as t from 'io-ts'
import { currencyDigits } from './currency.ts'
import { description } from './json-schema.ts'
import { MinorAmount, namedObject } from './scalars.ts'

/** A shop's language tag as a tag that `Intl` supports, or else English. */
export const languageTag = (text: string | null): string => {
  try {
    const tag = (text ?? '')
      .trim()
      .replace(/[.,;@].*/s, '')
      .replaceAll('_', '-')
    return Intl.NumberFormat.supportedLocalesOf(tag)[0] ?? 'en'
  } catch {
    return 'en'
  }
}

/** The languages in which we have texts. */
export const LANGUAGES = ['en', 'es'] as const

/** A language in which shoppers are addressed. */
export type Language = (typeof LANGUAGES)[number]

/** The language that a shop's tag begins with, or else English. */
export const languageOf = (tag: string | null): Language => {
  const [primary] = (tag ?? '')
    .trim()
    .toLowerCase()
    .split(/[^a-z]/)
  return LANGUAGES.find((language) => language === primary) ?? 'en'
}

const READ_IN_SPANISH = /^\s*(?:ca|gl|eu)(?![a-z])/i

/**
 * The language tag of an order. In Spain everybody who writes Catalan, Galician or Basque reads
 * Spanish, which has texts. Contract §3.
 */
export const orderLanguage = (tag: string | null, country: string | null): string | null =>
  country === 'ES' && READ_IN_SPANISH.test(tag ?? '') ? 'es' : tag

/**
 * Frontends show amounts as they get them, so each amount carries its text in the shopper's
 * language. `value` in minor currency units, `string` the same for people. Interface §2.2.
 */
export const Money = namedObject('Money', {
  value: MinorAmount,
  string: description('As the shopper reads it, in the order’s language.', t.string),
})
export type Money = t.TypeOf<typeof Money>

const FORMATS_MAX = 1000
const formats = new Map<string, { readonly format: Intl.NumberFormat; readonly digits: number }>()

// The format of a currency, and the number of its fraction digits. Creating a format takes a
// hundred times as long as using it. `Intl` has digits of its own for some currencies, so it gets
// those of ISO 4217.
const formatFor = (currency: string, language: string | null) => {
  const key = `${currency} ${language ?? ''}`
  const cached = formats.get(key)
  if (cached !== undefined) return cached
  const digits = currencyDigits(currency)
  const format = new Intl.NumberFormat(languageTag(language), {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  const created = { format, digits }
  // Shops choose their tags freely, so the cache needs a limit.
  if (formats.size >= FORMATS_MAX) formats.clear()
  formats.set(key, created)
  return created
}

/**
 * Writes an amount as a shopper reads it. `value`: minor units. `currency`: three letters,
 * otherwise throws a `RangeError`. `language`: a tag as shops send it; null or an unknown tag means
 * English. Interface §2.2.
 */
export const money = (value: number, currency: string, language: string | null): Money => {
  const { format, digits } = formatFor(currency, language)
  // A decimal number as text is exact for every amount; a division is not.
  return { value, string: format.format(`${value}E-${digits}` as Intl.StringNumericLiteral) }
}
