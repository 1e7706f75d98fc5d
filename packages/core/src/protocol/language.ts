// Shops send language tags in many forms (`es_ES`, `es_ES.UTF-8`, empty, garbage). A tag must never make an order fail, so
// every tag maps to a language. Contract §3.

/** A shop's language tag as a tag that `Intl` supports, or else English. */
export const languageTag = (given: string | null): string => {
  try {
    const tag = (given ?? '')
      .trim()
      .replace(/[.,;@].*/s, '')
      .replaceAll('_', '-')
    return Intl.NumberFormat.supportedLocalesOf(tag)[0] ?? 'en'
  } catch {
    return 'en'
  }
}

/** A language in which we have texts. */
export type Language = 'en' | 'es'

export const LANGUAGES: readonly Language[] = ['en', 'es']

/** The language that a shop's tag begins with, or else English. */
export const languageOf = (given: string | null): Language => {
  const [primary] = (given ?? '')
    .trim()
    .toLowerCase()
    .split(/[^a-z]/)
  return LANGUAGES.find((language) => language === primary) ?? 'en'
}
