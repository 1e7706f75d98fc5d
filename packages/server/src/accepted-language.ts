// Picks the caller's preferred language among those that have texts, for answers where no order names a language.
import { LANGUAGES, type Language, languageOf } from '@plazo/core'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'

const hasTexts = (tag: string): boolean => languageOf(tag) === tag.toLowerCase().split('-')[0]

export const acceptedLanguage = (c: Context): Language =>
  languageOf(
    accepts(c, {
      header: 'Accept-Language',
      supports: [...LANGUAGES],
      default: 'en',
      match: (accepted, { default: otherwise }) =>
        accepted.filter(({ type, q }) => q > 0 && hasTexts(type)).sort((a, b) => b.q - a.q)[0]?.type ?? otherwise,
    }),
  )
