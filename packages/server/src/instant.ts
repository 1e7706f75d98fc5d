// An instant as people write one. Contract §3: ISO 8601.

const ISO = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/

const isDay = (day: string): boolean => {
  const at = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
}

/** A day in UTC, or an instant with its zone; epoch milliseconds, or null where it is none. */
export const instantOf = (given: unknown): number | null => {
  const [text, day = ''] = (typeof given === 'string' ? ISO.exec(given) : null) ?? []
  const at = text !== undefined && isDay(day) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : at
}

export const INSTANT_WANTED = 'an instant like 2026-01-31T12:00:00Z'
