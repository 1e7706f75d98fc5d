// Days are those of the merchant's country: a shopper in Madrid is of age at their midnight, not at
// that of UTC. Contract §4.
import { factsOf } from './country.ts'

const MINUTE = 60_000

type ZoneDay = {
  readonly format: Intl.DateTimeFormat
  readonly minute: number
  readonly day: string
}

// Creating a format takes a hundred times as long as using it, and using it longer than all other
// checks of a form. No zone begins a day within a minute.
const days = new Map<string, ZoneDay>()

const formatFor = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })

const dayOf = (format: Intl.DateTimeFormat, at: number): string => {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
  return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
}

/**
 * The day, `YYYY-MM-DD`, at an instant (epoch milliseconds) in the zone in which most people of the
 * country live. Without a country that pays in a priced currency: in UTC.
 */
export const dayIn = (country: string | null, at: number): string => {
  const zone = factsOf(country)?.zone ?? 'UTC'
  const minute = Math.floor(at / MINUTE)
  const cached = days.get(zone)
  if (cached?.minute === minute) return cached.day
  const format = cached?.format ?? formatFor(zone)
  const day = dayOf(format, at)
  days.set(zone, { format, minute, day })
  return day
}
