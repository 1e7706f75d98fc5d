// Says which addresses the service may call, so that a merchant's URL never leads it into its own network.
// Contract §6, Address guard: judged at intake by `checkUrl`, with looked-up-hosts.ts, and at each attempt by `isAllowed`.
import { addressRange, FORBIDDEN, LOOPBACK, PUBLIC } from './address-ranges.ts'
import { type IpAddress, ipAddress } from './ip-address.ts'
import { portOf } from './url-port.ts'
import type { AllowedNetwork } from './webhook-allow.ts'

export type AddressGuard = {
  /** Why this URL must not be called, as a sentence; null where only its name's addresses remain to be judged. */
  readonly checkUrl: (url: string) => string | null
  /** Why no shopper may be led to this URL, as a sentence, or null. The service itself never calls it. */
  readonly checkPage: (url: string) => string | null
  /** An IPv4 or IPv6 address as `node:net` writes it; anything else is not allowed. */
  readonly isAllowed: (address: string, port: number) => boolean
}

export type AddressGuardOptions = {
  /** Production calls public addresses by https alone; the sandbox also http, and the machine it runs on. */
  readonly mode: 'sandbox' | 'production'
  /** Called in either mode, unless forbidden always. */
  readonly allow: readonly AllowedNetwork[]
}

const NO_URL = 'The URL is not one.'
export const MUST_NOT_BE_CALLED = 'The URL leads to an address that must not be called.'

export const addressGuard = ({ mode, allow }: AddressGuardOptions): AddressGuard => {
  const schemes = mode === 'production' ? ['https:'] : ['https:', 'http:']
  const allowed = allow.map(({ cidr, port }) => ({ range: addressRange(cidr), port }))

  const isListed = (address: IpAddress, port: number) =>
    allowed.some((network) => network.port === port && network.range.contains(address))

  const isAllowed = (text: string, port: number): boolean => {
    const address = ipAddress(text)
    if (address === null) return false
    if (LOOPBACK.contains(address)) return mode === 'sandbox' || isListed(address, port)
    if (FORBIDDEN.contains(address)) return false
    return PUBLIC.contains(address) || isListed(address, port)
  }

  const checkScheme = ({ protocol }: URL): string | null =>
    schemes.includes(protocol) ? null : `The URL must begin with ${schemes.map((s) => `${s}//`).join(' or ')}.`

  const checkPage = (text: string): string | null => {
    const url = URL.parse(text)
    return url === null ? NO_URL : checkScheme(url)
  }

  const checkUrl = (text: string): string | null => {
    const url = URL.parse(text)
    if (url === null) return NO_URL
    const refusal = checkScheme(url)
    if (refusal !== null) return refusal
    if (url.username !== '' || url.password !== '') return 'The URL must not hold a username or password.'
    const known = addressesOf(url.hostname)
    return known.length === 0 || known.some((address) => isAllowed(address, portOf(url))) ? null : MUST_NOT_BE_CALLED
  }

  return { checkUrl, checkPage, isAllowed }
}

// What a host says without being looked up. The URL parser has written every notation of an IPv4 address as four
// decimal numbers: 0x7f.1, 2130706433, 0177.0.0.1, with full-width digits or a trailing dot.
const addressesOf = (hostname: string): readonly string[] => {
  if (hostname.startsWith('[')) return [hostname.slice(1, -1)]
  if (/^(?:.*\.)?localhost\.?$/.test(hostname)) return ['127.0.0.1', '::1']
  return ipAddress(hostname) === null ? [] : [hostname]
}
