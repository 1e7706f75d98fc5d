// Decides which calls go through the operator's proxy. `NO_PROXY` means what it means to curl and to
// most programs, so that one value fits all of a machine's programs.
import { ipAddress, parseNetworks } from '../guard/address-ranges.ts'
import { isLoopback, portOf } from '../guard/ssrf-guard.ts'

/** An HTTP proxy that makes connections to merchants and providers, by CONNECT. */
export type OutboundProxy = {
  /** Its http URL. It may have a username and a password. */
  readonly url: string
  /**
   * The hosts that are called without it: a name with all names below it, an address or a network.
   * A name may have a port. `*` means all hosts.
   */
  readonly except: readonly string[]
}

const ENTRY = /^(?:\*?\.)?(.+?)(?::(\d+))?$/

const isExcepted = (entry: string, url: URL): boolean => {
  const { hostname } = url
  const network = parseNetworks(entry)
  if (network !== undefined) {
    const address = ipAddress(hostname.replace(/^\[|\]$/g, ''))
    return address !== null && network.contains(address)
  }
  const [, name = '', port] = ENTRY.exec(entry.toLowerCase()) ?? []
  if (port !== undefined && Number(port) !== portOf(url)) return false
  return name === '*' || hostname === name || hostname.endsWith(`.${name}`)
}

/** The proxy for a call. Null: it is made directly, as all calls to this machine are. */
export const proxyFor = (proxy: OutboundProxy | null, url: URL): URL | null =>
  proxy === null || isLoopback(url.hostname) || proxy.except.some((entry) => isExcepted(entry, url))
    ? null
    : new URL(proxy.url)
