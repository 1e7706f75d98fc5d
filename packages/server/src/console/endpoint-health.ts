// What the hours of an endpoint say about the shop: rates over an hour, a day and a week, the last
// answer, and orders lost. Pages, commands and alerts judge a shop by the same numbers.
import type { Endpoint, EndpointHour } from '@plazo/core/ports'
import { durationWords } from './words.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
export const WEEK_MILLIS = 7 * DAY

type Rate = { readonly attempts: number; readonly failures: number }

type AddressHealth = Rate & {
  /** Empty: further addresses, counted together. */
  readonly address: string
  readonly lastAt: number
  readonly lastAnswer: string
  readonly lost: number
}

export type EndpointHealth = Endpoint & {
  readonly hour: Rate
  readonly day: Rate
  readonly week: Rate
  /** Of each of the last seven days, the oldest first. */
  readonly days: readonly Rate[]
  /** In the last seven days. */
  readonly lost: number
  /** Of the last seven days, the most recently called first. */
  readonly addresses: readonly AddressHealth[]
}

const sumOf = (hours: readonly EndpointHour[]): Rate => ({
  attempts: hours.reduce((sum, { attempts }) => sum + attempts, 0),
  failures: hours.reduce((sum, { failures }) => sum + failures, 0),
})

const lostIn = (hours: readonly EndpointHour[]): number =>
  hours.reduce((sum, { lost }) => sum + lost, 0)

/** `503`, `timeout`; empty if it was never called. */
const answerOf = ({ lastStatus, lastError }: EndpointHour): string =>
  lastStatus === null ? (lastError ?? '').replaceAll('_', ' ') : String(lastStatus)

const addressHealth = (address: string, hours: readonly EndpointHour[]): AddressHealth => {
  const last = hours.reduce((latest, each) => (each.lastAt > latest.lastAt ? each : latest))
  return {
    address,
    ...sumOf(hours),
    lastAt: last.lastAt,
    lastAnswer: answerOf(last),
    lost: lostIn(hours),
  }
}

/** `hours`: of the endpoint's merchant in the last seven days. */
export const healthOf = (
  endpoint: Endpoint,
  hours: readonly EndpointHour[],
  now: number,
): EndpointHealth => {
  const ours = hours.filter(({ kind }) => kind === endpoint.kind)
  const since = (from: number, to = Number.POSITIVE_INFINITY) =>
    sumOf(ours.filter(({ hour }) => hour > from && hour <= to))
  const addresses = [...Map.groupBy(ours, ({ address }) => address)].map(([address, hoursThere]) =>
    addressHealth(address, hoursThere),
  )
  return {
    ...endpoint,
    hour: since(now - 2 * HOUR),
    day: since(now - DAY - HOUR),
    week: sumOf(ours),
    days: Array.from({ length: 7 }, (_, day) =>
      since(now - WEEK_MILLIS + day * DAY, now - WEEK_MILLIS + (day + 1) * DAY),
    ),
    lost: lostIn(ours),
    addresses: addresses.toSorted((a, b) => b.lastAt - a.lastAt),
  }
}

/** The share of attempts that were accepted, in percent; null if there were none. */
export const acceptedShare = ({ attempts, failures }: Rate): number | null =>
  attempts === 0 ? null : ((attempts - failures) / attempts) * 100

/** `98 %`; `–` if there were no attempts. */
export const acceptedText = (rate: Rate): string => {
  const share = acceptedShare(rate)
  return share === null ? '–' : `${share.toFixed(share > 99 && share < 100 ? 1 : 0)} %`
}

/** Without the attempts of a day, an endpoint that fails at times is not told from one that is well. */
export type JudgedEndpoint = Endpoint & Partial<Pick<EndpointHealth, 'day'>>

/** How the endpoint does, in words. `endpoint`: undefined if it was never called. */
export const judgeEndpoint = (
  endpoint: JudgedEndpoint | undefined,
  now: number,
): { readonly tone: 'wrong' | 'wait' | 'good' | ''; readonly words: string } => {
  const { failingSince = null, lastGoodAt = null, day } = endpoint ?? {}
  if (failingSince !== null)
    return { tone: 'wrong', words: `failing for ${durationWords(now - failingSince)}` }
  if (lastGoodAt === null) return { tone: '', words: 'not called yet' }
  return day !== undefined && day.failures > 0
    ? { tone: 'wait', words: 'unsteady' }
    : { tone: 'good', words: 'well' }
}
