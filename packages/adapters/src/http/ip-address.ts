// Brings IP addresses into one form, so that a rule for an address holds for every notation of it.
import { isIP, isIPv4 } from 'node:net'

export type IpAddress = { readonly family: 'ipv4' | 'ipv6'; readonly text: string }

/**
 * Null if the text is not an address, or has a zone. An IPv6 address may represent an IPv4 address: mapped, or behind a
 * translator with the well-known prefix. The IPv4 address is returned then, because a connection arrives there.
 */
export const ipAddress = (text: string): IpAddress | null => {
  if (isIP(text) === 0 || text.includes('%')) return null
  if (isIPv4(text)) return { family: 'ipv4', text }
  const groups = ipv6Groups(text)
  const prefix = groups.slice(0, 6).join(':')
  return IPV4_PREFIXES.includes(prefix)
    ? {
        family: 'ipv4',
        text: groups
          .slice(6)
          .flatMap((group) => [group >> 8, group & 0xff])
          .join('.'),
      }
    : { family: 'ipv6', text }
}

// ::ffff:0:0/96 and 64:ff9b::/96, as `ipv6Groups` numbers them.
const IPV4_PREFIXES: readonly string[] = [
  [0, 0, 0, 0, 0, 0xffff],
  [0x64, 0xff9b, 0, 0, 0, 0],
].map((prefix) => prefix.join(':'))

/** The eight groups of an IPv6 address. The URL parser writes every address in groups only, without a dotted tail. */
export const ipv6Groups = (ipv6: string): readonly number[] => {
  const [before = [], after = []] = new URL(`http://[${ipv6}]`).hostname.slice(1, -1).split('::').map(parseGroups)
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

const parseGroups = (half: string): readonly number[] =>
  half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16))
