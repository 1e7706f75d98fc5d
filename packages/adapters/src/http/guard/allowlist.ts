// Reads the networks in settings: those that may be called although they are not public (`WEBHOOK_ALLOW`), and those of trusted
// proxies. Contract §6 and §7.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { type AddressRange, addressRange, cidrOf } from './address-ranges.ts'

/** `cidr` without brackets, its prefix length written out. */
export type AllowedNetwork = { readonly cidr: string; readonly port: number }

/**
 * Parses `10.0.0.0/8:8080,[fd12::/16]:443`. The latter may also be written `[fd12::]/16:443` or `fd12::/16:443`. An address
 * without a prefix length means only itself, and an empty text means no network. Left: a sentence that names the first
 * invalid entry.
 */
export const parseWebhookAllow = (setting: string): E.Either<string, readonly AllowedNetwork[]> =>
  setting.trim() === ''
    ? E.right([])
    : pipe(
        setting.split(',').map((entry) => entry.trim()),
        RA.traverse(E.Applicative)(allowedNetwork),
      )

const ENTRY = /^(?:\[(?<bracketed>[0-9a-f:./]+)\](?<behind>\/\d+)?|(?<bare>[0-9a-f:./]+)):(?<port>\d{1,5})$/i

const allowedNetwork = (entry: string): E.Either<string, AllowedNetwork> => {
  const { bracketed, behind = '', bare = '', port = '' } = ENTRY.exec(entry)?.groups ?? {}
  const text = `${bracketed ?? bare}${behind}`
  // Without brackets or a prefix length, it is unclear where an IPv6 address ends and its port begins.
  const isUnambiguous = text.includes(':') ? bracketed !== undefined || text.includes('/') : bracketed === undefined
  const cidr = isUnambiguous ? cidrOf(text) : null
  return cidr !== null && Number(port) >= 1 && Number(port) <= 65_535
    ? E.right({ cidr, port: Number(port) })
    : E.left(`"${entry}" is not a network and a port, such as 10.0.0.0/8:8080 or [fd12::/16]:443.`)
}

/** Parses `10.0.0.0/8,fd00::/8`. An address without a prefix length means that address alone. Undefined for anything else. */
export const parseNetworks = (setting: string): AddressRange | undefined => {
  const networks = setting.trim() === '' ? [] : setting.split(',').map((entry) => entry.trim())
  const cidrs = networks.map(cidrOf)
  return cidrs.includes(null) ? undefined : addressRange(...cidrs.filter((cidr) => cidr !== null))
}
