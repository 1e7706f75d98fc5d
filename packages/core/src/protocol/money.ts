// Money as people read it: the value in minor units beside its text in the shopper's language.
import { languageTag } from './language.ts'

/** `value` in minor currency units. Interface §2.2. */
export type Money = { readonly value: number; readonly string: string }

const MOST_FORMATS = 1000
const formats = new Map<string, Format>()

/** `digits`: how many of a value are behind the point. */
type Format = { readonly format: Intl.NumberFormat; readonly digits: number }

// To make a format takes a hundred times as long as to use it, and to ask it for its digits as long.
const formatFor = (currency: string, language: string | null): Format => {
  const key = `${currency} ${language ?? ''}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const format = new Intl.NumberFormat(languageTag(language), { style: 'currency', currency })
  const made = { format, digits: format.resolvedOptions().maximumFractionDigits ?? 2 }
  // Shops could fill any room with tags of their own making.
  if (formats.size >= MOST_FORMATS) formats.clear()
  formats.set(key, made)
  return made
}

/**
 * `currency`: three letters, else a `RangeError`. `language`: a tag as shops send them; null, or none that is known, reads as
 * English. Interface §2.2.
 */
export const money = (value: number, currency: string, language: string | null): Money => {
  const { format, digits } = formatFor(currency, language)
  // As a decimal number in text it is exact, whatever the amount: a division is not.
  return { value, string: format.format(`${value}E-${digits}` as Intl.StringNumericLiteral) }
}
