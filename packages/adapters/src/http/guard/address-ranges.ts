// The ranges of addresses that the address guard distinguishes, and the networks in settings: those
// that may be called although they are not public (`WEBHOOK_ALLOW`), and those of trusted proxies.
// Contract §6, §7; IANA's special-purpose registries.
import { BlockList, isIP, isIPv4 } from 'node:net'

/** An address in its family's usual text. An IPv4 address inside IPv6 counts as IPv4. */
export type IpAddress = { readonly family: 'ipv4' | 'ipv6'; readonly text: string }

/**
 * Brings IP addresses into one form, so that a rule for an address holds for every notation of it.
 * Null if the text is not an address, or has a zone. An IPv6 address may represent an IPv4 address:
 * mapped, or behind a translator with the well-known prefix. The IPv4 address is returned then,
 * because a connection arrives there.
 */
export const ipAddress = (text: string): IpAddress | null => {
  if (isIP(text) === 0 || text.includes('%')) return null
  if (isIPv4(text)) return { family: 'ipv4', text }
  const groups = ipv6Groups(text)
  const prefix = groups.slice(0, 6).join(':')
  if (!IPV4_PREFIXES.includes(prefix)) return { family: 'ipv6', text }
  const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff])
  return { family: 'ipv4', text: bytes.join('.') }
}

// ::ffff:0:0/96 and 64:ff9b::/96, as `ipv6Groups` numbers them.
const IPV4_PREFIXES = ['0:0:0:0:0:65535', '100:65435:0:0:0:0']

/**
 * The eight groups of an IPv6 address. The URL parser writes every address in groups only, without
 * a dotted tail.
 */
export const ipv6Groups = (ipv6: string): readonly number[] => {
  const [before = [], after = []] = new URL(`http://[${ipv6}]`).hostname
    .slice(1, -1)
    .split('::')
    .map(parseGroups)
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

const parseGroups = (half: string): readonly number[] =>
  half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16))

/** A set of IP addresses, such as a network in CIDR notation. */
export type AddressRange = { readonly contains: (address: IpAddress) => boolean }

// One list per family. A single list would treat an IPv4 address as part of ::/0, because of its
// mapped form.
export const addressRange = (...cidrs: readonly string[]): AddressRange => {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const cidr of cidrs) {
    const [network = '', prefix = ''] = cidr.split('/')
    const family = network.includes(':') ? 'ipv6' : 'ipv4'
    lists[family].addSubnet(network, Number(prefix), family)
  }
  return { contains: ({ text, family }) => lists[family].check(text, family) }
}

/**
 * Returns the form `10.0.0.0/8`. An address without a prefix length means only itself. Null for
 * anything else.
 */
const cidrOf = (text: string): string | null => {
  const [, address = '', prefix] = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const bits = isIPv4(address) ? 32 : 128
  const length = Number(prefix ?? bits)
  return isIP(address) !== 0 && length <= bits ? `${address}/${length}` : null
}

export const LOOPBACK = addressRange('127.0.0.0/8', '::1/128')

/**
 * Never called, even if a setting allows them: link-local addresses, the metadata services of
 * clouds, and some IPv6 ranges. Metadata services hand out credentials. The IPv6 ranges hide an
 * IPv4 address in an obsolete or network-local form.
 */
export const FORBIDDEN = addressRange(
  '169.254.0.0/16',
  '168.63.129.16/32', // Azure's, in public space.
  '100.100.100.200/32', // Alibaba Cloud's.
  '192.0.0.192/32', // Oracle Cloud's.
  'fe80::/10',
  'fd00:ec2::/32', // Amazon's.
  'fd20:ce::254/128', // Google's.
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b:1::/48',
  '2001::/32', // Teredo.
  '2002::/16', // 6to4.
)

const SPECIAL = addressRange(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
)

const GLOBAL_IPV6 = addressRange('2000::/3')

/**
 * Of the addresses that are neither loopback nor forbidden, those on the public Internet: all of
 * IPv4 except the special ranges, and of IPv6 only the allocated range.
 */
export const PUBLIC: AddressRange = {
  contains: (address) =>
    !SPECIAL.contains(address) && (address.family === 'ipv4' || GLOBAL_IPV6.contains(address)),
}

/** `cidr` without brackets, its prefix length written out. */
export type AllowedNetwork = { readonly cidr: string; readonly port: number }

const entriesOf = (setting: string): readonly string[] =>
  setting.trim() === '' ? [] : setting.split(',').map((entry) => entry.trim())

// Without brackets, it would be unclear where an IPv6 address ends and its port begins.
const ENTRY = /^(?:\[([0-9a-f:.]*:[0-9a-f:./]*)\]|([0-9./]+)):(\d{1,5})$/i

/**
 * Parses `10.0.0.0/8:8080,[fd12::/16]:443`. An address without a prefix length means only itself,
 * and an empty text means no network. Undefined for anything else.
 */
export const parseWebhookAllow = (setting: string): readonly AllowedNetwork[] | undefined => {
  const networks = entriesOf(setting).map((entry) => {
    const [, ipv6, ipv4 = '', digits] = ENTRY.exec(entry) ?? []
    const cidr = cidrOf(ipv6 ?? ipv4)
    const port = Number(digits)
    return cidr !== null && port >= 1 && port <= 65_535 ? { cidr, port } : null
  })
  return networks.every((network) => network !== null) ? networks : undefined
}

/**
 * Parses `10.0.0.0/8,fd00::/8`. An address without a prefix length means only itself. Undefined for
 * anything else.
 */
export const parseNetworks = (setting: string): AddressRange | undefined => {
  const cidrs = entriesOf(setting).map(cidrOf)
  return cidrs.every((cidr) => cidr !== null) ? addressRange(...cidrs) : undefined
}
