// Money as people read it: the value in minor units beside its text in the shopper's language.

/** `value` in minor currency units. Interface §2.2. */
export type Money = { readonly value: number; readonly string: string }

const formats = new Map<string, Intl.NumberFormat>()

// A language tag is whatever a shop sent (`es_ES`, empty, garbage); it must never fail an order. Contract §3.
const formatFor = (currency: string, language: string | null): Intl.NumberFormat => {
  const key = `${currency} ${language ?? ''}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const made = new Intl.NumberFormat(languageTag(language), { style: 'currency', currency })
  if (formats.size < 1000) formats.set(key, made)
  return made
}

/** The first well-formed and supported reading of a shop's language tag, else English. */
export const languageTag = (language: string | null): string => {
  try {
    const [supported] = Intl.NumberFormat.supportedLocalesOf((language ?? '').replaceAll('_', '-'))
    return supported ?? 'en'
  } catch {
    return 'en'
  }
}

export const money = (value: number, currency: string, language: string | null): Money => {
  const format = formatFor(currency, language)
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  return { value, string: format.format(value / 10 ** digits) }
}
