// Decides which addresses the service may call, so that a merchant's URL never leads into the
// service's own network. Contract §6, Address guard: `checkUrl` checks at intake, and `isAllowed` at
// each attempt.
import type { LookupAddress, LookupAllOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { explainedFailure, FailureError } from '../client/request-failure.ts'
import {
  type AllowedNetwork,
  addressRange,
  FORBIDDEN,
  type IpAddress,
  ipAddress,
  LOOPBACK,
  PUBLIC,
} from './address-ranges.ts'

/** The port that a URL leads to. If the URL names none, it is the default port of the scheme. */
export const portOf = ({ port, protocol }: URL): number =>
  Number(port || (protocol === 'https:' ? 443 : 80))

/** The checks of URLs and addresses, as `addressGuard` returns them. */
export type AddressGuard = ReturnType<typeof addressGuard>

/** Which addresses may be called in addition to public ones by https. */
export type AddressGuardOptions = {
  /**
   * True: plain http, and the loopback addresses of this machine, may be used too. Default: only
   * public addresses, and only by https.
   */
  readonly allowsLocal?: boolean
  /** These networks may be called too, unless they are always forbidden. */
  readonly allow: readonly AllowedNetwork[]
}

/**
 * Makes the checks that keep a merchant's URL out of the service's own network: `checkUrl` for
 * addresses that are called, `checkPage` for pages that shoppers are sent to, and `isAllowed` for
 * each address that is connected to. A check returns null or a sentence with the reason. Contract
 * §6, Address guard.
 */
export const addressGuard = ({ allowsLocal = false, allow }: AddressGuardOptions) => {
  const schemes = allowsLocal ? ['https:', 'http:'] : ['https:']
  const allowed = allow.map(({ cidr, port }) => ({ range: addressRange(cidr), port }))

  const isListed = (address: IpAddress, port: number) =>
    allowed.some((network) => network.port === port && network.range.contains(address))

  /** `text`: an IPv4 or IPv6 address as `node:net` writes it. Anything else is not allowed. */
  const isAllowed = (text: string, port: number): boolean => {
    const address = ipAddress(text)
    if (address === null) return false
    if (LOOPBACK.contains(address)) return allowsLocal || isListed(address, port)
    if (FORBIDDEN.contains(address)) return false
    return PUBLIC.contains(address) || isListed(address, port)
  }

  /**
   * A sentence that says why no shopper may be sent to this URL, or null. The service itself never
   * calls it.
   */
  const checkPage = (text: string): string | null => {
    const url = URL.parse(text)
    if (url === null) return 'The URL is invalid.'
    if (/^https?:$/.test(url.protocol) && !hasHost(text, url)) return 'The URL is invalid.'
    const prefixes = schemes.map((scheme) => `${scheme}//`).join(' or ')
    return schemes.includes(url.protocol) ? null : `The URL must begin with ${prefixes}.`
  }

  /**
   * A sentence that says why this URL must not be called, or null. Addresses that need a lookup are
   * not checked.
   */
  const checkUrl = (text: string): string | null => {
    const refusal = checkPage(text)
    if (refusal !== null) return refusal
    const url = new URL(text)
    if (url.username !== '' || url.password !== '')
      return 'The URL must not contain a username or password.'
    const addresses = addressesOf(url.hostname)
    return addresses.length === 0 || addresses.some((address) => isAllowed(address, portOf(url)))
      ? null
      : 'The URL leads to an address that must not be called.'
  }

  return { checkUrl, checkPage, isAllowed }
}

// The parser mends much: it takes the first segment of `https:///path` for the host, drops blanks, and
// reads backslashes as slashes. A URL that needs this was a mistake of its writer.
const hasHost = (text: string, { hostname, port }: URL): boolean => {
  if (!/^https?:\/\/[^/?#\\\s][^\\\s]*$/i.test(text) || port === '0') return false
  if (hostname.startsWith('[')) return true
  const name = hostname.replace(/\.$/, '')
  return name.length <= 253 && name.split('.').every((label) => /^.{1,63}$/.test(label))
}

// The addresses that a host names without a lookup. The URL parser has already rewritten every
// notation of an IPv4 address as four decimal numbers: 0x7f.1, 2130706433, 0177.0.0.1, full-width
// digits, or a trailing dot.
const addressesOf = (hostname: string): readonly string[] => {
  if (hostname.startsWith('[')) return [hostname.slice(1, -1)]
  if (/^(?:.*\.)?localhost\.?$/.test(hostname)) return ['127.0.0.1', '::1']
  return ipAddress(hostname) === null ? [] : [hostname]
}

/** True if a host is this machine, which is known without a lookup. */
export const isLoopback = (hostname: string): boolean =>
  addressesOf(hostname)
    .map(ipAddress)
    .some((address) => address !== null && LOOPBACK.contains(address))

/** Looks up all addresses of a host; it has the shape of `dns.lookup` with `all`. */
export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

const NO_ADDRESS = explainedFailure('dns', 'The host name has no address.')

export const BLOCKED_ADDRESS = explainedFailure(
  'blocked_address',
  'The host has an address that must not be called.',
)

/**
 * Resolves a host for one connection and passes on only addresses that the guard allows. The
 * connection uses exactly the addresses that were checked. So a name whose addresses change in
 * between (DNS rebinding) gains nothing. One blocked address fails the whole name, because plazo
 * does not choose which address a connection uses.
 */
export const createSafeLookup =
  (lookup: LookupAll, isAllowed: AddressGuard['isAllowed'], port: number): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [])
      if (addresses.length === 0) return callback(new FailureError(NO_ADDRESS), [])
      const areAllowed = addresses.every(({ address }) => isAllowed(address, port))
      return areAllowed
        ? callback(null, addresses)
        : callback(new FailureError(BLOCKED_ADDRESS), [])
    })
