// Derives from an attempt the health of its endpoint and the address to count it under. Every store
// uses this, so that both databases count alike.
import {
  addressOf,
  countsForEndpoint,
  type EndpointKind,
  isGoodAttempt,
  type Job,
  queueNameOf,
  type Report,
} from '@plazo/core/ports'

export const HOUR_MILLIS = 3_600_000

const ADDRESSES_MAX = 20

export type AddressFor = ReturnType<typeof createAddressLimit>

/**
 * Returns the address that an attempt counts for. Beyond the first twenty addresses of an endpoint
 * that this process has seen, it is empty, so that no shop can fill the database with addresses.
 */
export const createAddressLimit = () => {
  const addressesOf = new Map<string, Set<string>>()
  return (merchantRef: string, kind: string, url: string): string => {
    const endpoint = `${kind} ${merchantRef}`
    const addresses = addressesOf.get(endpoint) ?? new Set()
    addressesOf.set(endpoint, addresses)
    const address = addressOf(url)
    if (addresses.size < ADDRESSES_MAX) addresses.add(address)
    return addresses.has(address) ? address : ''
  }
}

/** The URL that was called; null if the attempt says nothing about the shop. */
export const calledUrl = (report: Report | null): string | null =>
  report !== null && countsForEndpoint(report) ? (report.request?.url ?? null) : null

export type EndpointResult = {
  readonly merchantRef: string
  readonly kind: EndpointKind
  /** Null: no request was sent, so the attempt is not counted. */
  readonly address: string | null
  readonly isGood: boolean
}

/** Null: the attempt says nothing about the shop. */
export const endpointResultOf = (
  { merchantRef, payload }: Pick<Job, 'merchantRef' | 'payload'>,
  report: Report,
  addressFor: AddressFor,
): EndpointResult | null => {
  const kind = queueNameOf(payload.kind)
  const isGood = isGoodAttempt(report)
  if (kind === 'work' || isGood === null) return null
  const url = calledUrl(report)
  return { merchantRef, kind, address: url && addressFor(merchantRef, kind, url), isGood }
}
