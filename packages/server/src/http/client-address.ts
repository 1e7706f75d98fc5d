// Finds out which client sent a request. Only trusted proxies are believed, so that no client evades
// a limit by claiming another address. Contract §7.
import type { HttpBindings } from '@hono/node-server'
import { type AddressRange, ipAddress, ipv6Groups } from '@plazo/adapters/http'
import type { Context } from 'hono'

/** The client whose requests are counted together. */
export type ClientAddress = (c: Context) => string

/** Finds the client: the other end of the socket, or what trusted proxies say. Contract §7. */
export const clientAddress =
  (trusted: AddressRange): ClientAddress =>
  (c) => {
    const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
    return clientOf(incoming?.socket.remoteAddress, c.req.header('x-forwarded-for'), trusted)
  }

// Some proxies write the port too.
const withoutPort = (entry: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry

/**
 * The client as one text: an IPv4 address, or the /64 network of an IPv6 address, which belongs to
 * one household or machine.
 */
export const clientOf = (
  remote: string | undefined,
  forwarded: string | undefined,
  trusted: AddressRange,
): string => {
  const hops = (forwarded ?? '').split(',').map((entry) => withoutPort(entry.trim()))
  let client = ipAddress(remote ?? '')
  while (client !== null && trusted.contains(client)) {
    const before = ipAddress(hops.pop() ?? '')
    // No readable address comes before this proxy, so the proxy itself counts as the client.
    if (before === null) break
    client = before
  }
  if (client === null) return 'unknown'
  return client.family === 'ipv4' ? client.text : network64(client.text)
}

const network64 = (ipv6: string): string =>
  `${ipv6Groups(ipv6)
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
