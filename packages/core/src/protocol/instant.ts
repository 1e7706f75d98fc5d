// The format of instants on the wire is ISO 8601. The service always writes them in UTC. Contract §3.
import * as t from 'io-ts'
import { annotate } from './json-schema.ts'

/** An instant as the service writes it, such as 2026-01-31T12:00:00.000Z. */
export const Instant = annotate(t.string, { schema: () => ({ type: 'string', format: 'date-time' }) })

const DAY_AND_TIME = '^(\\d{4}-\\d{2}-\\d{2})(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+\\-]\\d{2}:\\d{2}))?$'
const ISO = new RegExp(DAY_AND_TIME)

const isDay = (day: string): boolean => {
  const at = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
}

/** Reads a day (in UTC) or an instant with its zone, as people write it. Epoch milliseconds, or null if it is neither. */
export const instantOf = (value: unknown): number | null => {
  if (typeof value !== 'string' || !ISO.test(value) || !isDay(value.slice(0, 10))) return null
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : at
}

export const INSTANT_FORMAT = 'an instant like 2026-01-31T12:00:00Z'

/** An instant as people write it, decoded to epoch milliseconds. */
export const InstantInput = annotate(
  new t.Type<number, number, unknown>(
    INSTANT_FORMAT,
    t.number.is,
    (value, context) => {
      const at = instantOf(value)
      return at === null ? t.failure(value, context) : t.success(at)
    },
    t.identity,
  ),
  { schema: () => ({ type: 'string', pattern: DAY_AND_TIME, description: INSTANT_FORMAT }) },
)
