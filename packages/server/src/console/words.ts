// Counts and durations as the console's pages say them, so that all pages say them alike.
import { LOOKED_AT_MAX, type OrderCount } from '@plazo/core/ports'
import { otherDay } from '../http/page/script/formats.ts'

/** `1,284`. */
const numberWords = (value: number): string => value.toLocaleString('en')

/** `12`, `10,000+`. */
export const shortCount = ({ count, isExact }: OrderCount): string =>
  `${numberWords(count)}${isExact ? '' : '+'}`

/** `1 order`, `more than 10,000 orders`. */
export const countWords = (
  { count, isExact }: OrderCount,
  noun = 'order',
  plural = `${noun}s`,
): string => {
  const counted = `${numberWords(count)} ${count === 1 ? noun : plural}`
  if (isExact) return counted
  return count < LOOKED_AT_MAX ? `at least ${counted}` : `more than ${counted}`
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** In the largest unit that fits: `3 days`. */
export const durationWords = (millis: number): string => {
  const [unit, size] = UNITS.find(([, length]) => millis >= length) ?? UNITS[2]
  const count = Math.max(1, Math.floor(millis / size))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const DAY = 86_400_000
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** `12:54 UTC` on the day of `now`, `tomorrow 12:54 UTC`, `27 Nov 12:54 UTC`. */
export const instantWords = (at: number, now: number): string => {
  const instant = new Date(at).toISOString()
  const isTomorrow = dayOf(at) === dayOf(now + DAY)
  const day = isTomorrow ? 'tomorrow' : otherDay(instant, new Date(now).toISOString())
  return `${day} ${instant.slice(11, 16)} UTC`.trim()
}
