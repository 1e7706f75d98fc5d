// Checks merchants' URLs without Node. It allows only names, because an address in a URL is either
// private or a way around the merchant's certificate. What a name leads to is the egress's to check.
import type { UrlGuard } from '../host/open-checkout.ts'

const WRONG_URL = 'The URL must begin with https:// and have a public host name.'
const HAS_CREDENTIALS = 'The URL must not contain a username or password.'

// The URL parser writes every notation of an IPv4 address as four numbers, and IPv6 in brackets. No
// address ends like a name.
const PUBLIC_NAME = /\.[a-z][a-z0-9-]*\.?$/
const LOCAL_NAME = /\.(?:localhost|local|internal|lan|home\.arpa)\.?$/

const checkPage = (text: string): string | null => {
  const { protocol, hostname = '' } = URL.parse(text) ?? {}
  const isPublic = protocol === 'https:' && PUBLIC_NAME.test(hostname) && !LOCAL_NAME.test(hostname)
  return isPublic ? null : WRONG_URL
}

/** Allows https URLs with a public host name and without a password. */
export const nameGuard: UrlGuard = {
  checkPage,
  checkUrl: (text) => {
    const { username, password } = URL.parse(text) ?? {}
    return username || password ? HAS_CREDENTIALS : checkPage(text)
  },
}
