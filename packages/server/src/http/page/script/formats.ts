// Pages write an instant of domain time, the time until it, an amount and an order in one way, on
// the server and in the browser.
import type { OrderView } from '@plazo/core/protocol'

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** The two largest units: `23 h 59 min`. */
export const countdown = (millis: number): string => {
  let rest = Math.max(0, Math.ceil(millis / 1_000))
  const parts = UNITS.flatMap(([size, unit]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count === 0 ? [] : [`${count} ${unit}`]
  })
  return parts.slice(0, 2).join(' ') || 'now'
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** `24 Nov 2026, 09:41:12`, in UTC. */
export const readableInstant = (instant: string): string =>
  `${DAY.format(new Date(instant))} ${instant.slice(0, 4)}, ${instant.slice(11, 19)}`

/**
 * The day of an instant, in UTC: `27 Nov`, or `1 Jan 2027` in another year than `now`. Empty on the
 * same day as `now`.
 */
export const otherDay = (instant: string, now: string): string => {
  if (instant.slice(0, 10) === now.slice(0, 10)) return ''
  const day = DAY.format(new Date(instant))
  return instant.slice(0, 4) === now.slice(0, 4) ? day : `${day} ${instant.slice(0, 4)}`
}

const inEuros = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' })

/**
 * An amount of the demo shop, in minor units. The page's language decides how it is written, not
 * the shopper's.
 */
export const euros = (minor: number): string => inEuros.format(minor / 100)

/** The shop's reference, or the beginning of the uuid. */
export const orderName = ({
  order_ref_1,
  order_ref,
}: Pick<OrderView, 'order_ref' | 'order_ref_1'>): string =>
  order_ref_1 === '' ? order_ref.slice(0, 8) : order_ref_1

/** The timeline's text for a stuck job, which has no time left to show. */
export const STUCK_TEXT = 'stuck: an operator must retry it'
