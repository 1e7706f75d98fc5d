// Decides which addresses the service may call, so that a merchant's URL never leads into the
// service's own network. Contract §6, Address guard: `checkUrl`, with dns-precheck.ts, checks at
// intake, and `isAllowed` at each attempt.
import type { LookupAddress, LookupAllOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { explainedFailure, FailureError, toRequestFailure } from '../client/request-failure.ts'
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
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

/** Why a URL must not be used. `message`: a sentence for the person who gave the URL. */
export type UrlRefusal = {
  readonly code: 'invalid_url' | 'wrong_scheme' | 'has_credentials' | 'blocked_address'
  readonly message: string
}

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

const refusal = (code: UrlRefusal['code'], message: string): UrlRefusal => ({ code, message })

const INVALID_URL = refusal('invalid_url', 'The URL is invalid.')
const HAS_CREDENTIALS = refusal(
  'has_credentials',
  'The URL must not contain a username or password.',
)
export const BLOCKED_URL = refusal(
  'blocked_address',
  'The URL leads to an address that must not be called.',
)

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

  const prefixes = schemes.map((scheme) => `${scheme}//`).join(' or ')
  const wrongScheme = refusal('wrong_scheme', `The URL must begin with ${prefixes}.`)

  const findPageRefusal = (url: URL | null): UrlRefusal | null => {
    if (url === null) return INVALID_URL
    return schemes.includes(url.protocol) ? null : wrongScheme
  }

  /**
   * The reason why this URL must not be called, or null. Addresses that need a lookup are not
   * checked.
   */
  const findRefusal = (text: string): UrlRefusal | null => {
    const url = URL.parse(text)
    const pageRefusal = findPageRefusal(url)
    if (url === null || pageRefusal !== null) return pageRefusal
    if (url.username !== '' || url.password !== '') return HAS_CREDENTIALS
    const addresses = addressesOf(url.hostname)
    return addresses.length === 0 || addresses.some((address) => isAllowed(address, portOf(url)))
      ? null
      : BLOCKED_URL
  }

  return {
    findRefusal,
    /** The message of `findRefusal`, or null. */
    checkUrl: (text: string): string | null => findRefusal(text)?.message ?? null,
    /**
     * A sentence that says why no shopper may be sent to this URL, or null. The service itself
     * never calls it.
     */
    checkPage: (text: string): string | null => findPageRefusal(URL.parse(text))?.message ?? null,
    isAllowed,
  }
}

// The addresses that a host names without a lookup. The URL parser has already rewritten every
// notation of an IPv4 address as four decimal numbers: 0x7f.1, 2130706433, 0177.0.0.1, full-width
// digits, or a trailing dot.
const addressesOf = (hostname: string): readonly string[] => {
  if (hostname.startsWith('[')) return [hostname.slice(1, -1)]
  if (/^(?:.*\.)?localhost\.?$/.test(hostname)) return ['127.0.0.1', '::1']
  return ipAddress(hostname) === null ? [] : [hostname]
}

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
  (lookup: LookupAll, guard: Pick<AddressGuard, 'isAllowed'>, port: number): LookupFunction =>
  (hostname, { family, hints }, callback) => {
    const refuse = (failure: FailureError) => callback(failure, [])
    const failUnresolved = (thrown: unknown) =>
      refuse(new FailureError({ ...toRequestFailure(thrown, 'dns'), error: 'dns' }))
    const lookupOptions = {
      ...(family === undefined ? {} : { family }),
      ...(hints === undefined ? {} : { hints }),
    }
    try {
      lookup(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
        if (error !== null) {
          const failure = toRequestFailure(error)
          return failure.error === 'no_socket'
            ? refuse(new FailureError(failure))
            : failUnresolved(error)
        }
        if (addresses.length === 0) return refuse(new FailureError(NO_ADDRESS))
        if (!addresses.every(({ address }) => guard.isAllowed(address, port)))
          return refuse(new FailureError(BLOCKED_ADDRESS))
        return callback(null, addresses)
      })
    } catch (thrown) {
      failUnresolved(thrown)
    }
  }
