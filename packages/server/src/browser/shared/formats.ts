// How the sandbox's pages write an instant of domain time, the time until it, an amount, an order, and a step of it. The server uses
// it too.
import type { OrderView } from '@plazo/core'
import type { PathLine } from '../../machine/order-path.ts'

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

/** `24 Nov 2026, 09:41:12`, in UTC. */
export const readableInstant = (instant: string): string => {
  const at = new Date(instant)
  const day = at.toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
  return `${day}, ${at.toISOString().slice(11, 19)}`
}

const inEuros = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' })

/** An amount of the demo shop, in minor units. The page's language decides how it is written, not the shopper's. */
export const euros = (minor: number): string => inEuros.format(minor / 100)

/** The shop's reference, or the beginning of the uuid. */
export const orderName = ({ order_ref_1, order_ref }: Pick<OrderView, 'order_ref' | 'order_ref_1'>): string =>
  order_ref_1 === '' ? order_ref.slice(0, 8) : order_ref_1

/** The timeline's text for a stuck job, which has no time left to show. */
export const STUCK_TEXT = 'stuck: an operator must retry it'

/** The timeline's text for a webhook with a right signature. */
export const VALID_SIGNATURE_TEXT = 'valid: Webhook-Signature matches the id, the timestamp and the body'

export const REGIONS: readonly string[] = ['checkout', 'risk', 'cancellation']

/** An event's detail, and how the event moved the order: `expired · checkout: screening to screened`. */
export const stepText = ({ detail, from, to }: Pick<PathLine, 'detail' | 'from' | 'to'>): string =>
  [
    ...(detail === null ? [] : [detail]),
    ...REGIONS.filter((region) => from[region] !== to[region]).map(
      (region) => `${region}: ${from[region]} to ${to[region]}`,
    ),
  ].join(' · ')
