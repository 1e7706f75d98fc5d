// The languages that shoppers are spoken to in, and what a shop's language tag comes to. A tag is whatever a shop sent
// (`es_ES`, `es_ES.UTF-8`, empty, garbage); it must never fail an order. Contract §3.

/** The first well-formed and supported reading of a shop's language tag, else English. */
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

/** A language that has texts of ours. */
export type Language = 'en' | 'es'

export const LANGUAGES: readonly Language[] = ['en', 'es']

/** The one nearest to a shop's tag, else English. */
export const languageOf = (given: string | null): Language => {
  const [spoken] = (given ?? '')
    .trim()
    .toLowerCase()
    .split(/[^a-z]/)
  return LANGUAGES.find((language) => language === spoken) ?? 'en'
}
