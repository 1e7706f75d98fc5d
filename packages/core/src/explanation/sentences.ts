// An explanation in words. A state has its caption, and an event its name in the interface, so that an
// operator reads of both by the same words everywhere.
import type { Party } from '../order/machine/state-meta.ts'
import { type OrderModel, restingStateOf } from '../order/model.ts'
import { type Order, type OrderState, REGIONS, type Region } from '../order/order.ts'
import { money } from '../protocol/language.ts'
import type { Explanation } from './explanation.ts'
import type { Awaited } from './waits.ts'

const PARTIES: { readonly [party in Party]: string } = {
  shopper: 'shopper',
  merchant: 'shop',
  operator: 'operator',
  screening: 'screening service',
  sms: 'SMS service',
  identity: 'ID service',
  payments: 'payment service',
  risk: 'risk service',
}

/** One sentence for each thing that an explanation says. */
type Sentences = {
  readonly where: readonly string[]
  readonly awaits: readonly string[]
  readonly by_itself: string
}

// Operators read of orders in many countries, so they have one zone, which is named.
const format = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
})
const date = (at: number): string => `${format.format(at)} UTC`

const sentence = (...parts: readonly string[]): string => `${parts.join(', ')}.`

/** `Awaited: the shop (ipn.accepted), failed attempts: 3 (503), next attempt on …, left: 21.` */
const awaitedSentence = ({ who, what, until, isInFlight, nextAt, lastAttempt }: Awaited): string =>
  sentence(
    `Awaited: the ${PARTIES[who]} (${what})`,
    ...(until === null ? [] : [`until ${date(until)}`]),
    ...(lastAttempt === null
      ? []
      : [`failed attempts: ${lastAttempt.failed} (${lastAttempt.error})`]),
    ...(isInFlight ? ['an attempt is in flight'] : []),
    ...(nextAt === null ? [] : [`next attempt on ${date(nextAt)}`]),
    ...(lastAttempt === null ? [] : [`left: ${lastAttempt.left}`]),
  )

/** `order`: the one that the explanation is about. */
export const sentencesOf = (
  order: Order,
  { since, awaits, byItself }: Explanation,
  model: OrderModel,
): Sentences => {
  const stateWords = (region: Region, state: OrderState): string => {
    const { caption } = restingStateOf(region, state, model)
    return caption.charAt(0).toUpperCase() + caption.slice(1)
  }
  const amount = (value: number): string => money(value, order.placed.currency, 'en').string

  const nextSentence = (): string => {
    if (byItself === null) return 'If everybody stays silent, nothing changes.'
    const { event, at, isLatest, state, charged, refunded } = byItself
    const outcome = [
      ...REGIONS.filter((region) => state[region] !== order.state[region]).map((region) =>
        stateWords(region, state),
      ),
      ...(charged === 0 ? [] : [`charged: ${amount(charged)}`]),
      ...(refunded === 0 ? [] : [`refunded: ${amount(refunded)}`]),
    ]
    const next = `If everybody stays silent, ${event} ${isLatest ? 'at the latest ' : ''}on ${date(at)}`
    return sentence(outcome.length === 0 ? next : `${next}: ${outcome.join(', ')}`)
  }

  return {
    where: REGIONS.map((region) => {
      const at = since[region]
      const words = stateWords(region, order.state)
      return sentence(at === null ? words : `${words} since ${date(at)}`)
    }),
    awaits: awaits.map(awaitedSentence),
    by_itself: nextSentence(),
  }
}
