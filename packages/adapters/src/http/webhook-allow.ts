// The setting `WEBHOOK_ALLOW`: networks that may be called although they are not public. Contract §6 and §7.
import { isIP } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'

/** `cidr` without brackets, its prefix length written out. */
export type AllowedNetwork = { readonly cidr: string; readonly port: number }

/**
 * `10.0.0.0/8:8080,[fd12::/16]:443`; an address without a prefix length stands for itself alone, and an empty text
 * for no network. Left: a sentence that names the first entry which is neither.
 */
export const parseWebhookAllow = (setting: string): E.Either<string, readonly AllowedNetwork[]> =>
  setting.trim() === ''
    ? E.right([])
    : pipe(
        setting.split(',').map((entry) => entry.trim()),
        RA.traverse(E.Applicative)(allowedNetwork),
      )

const ENTRY =
  /^(?:\[(?<ipv6>[0-9a-f:.]+)(?:\/(?<prefix6>\d{1,3}))?\]|(?<ipv4>[0-9.]+)(?:\/(?<prefix4>\d{1,2}))?):(?<port>\d{1,5})$/i

const allowedNetwork = (entry: string): E.Either<string, AllowedNetwork> => {
  const { ipv6, prefix6, ipv4, prefix4, port = '' } = ENTRY.exec(entry)?.groups ?? {}
  const [network, version, prefix] = ipv6 === undefined ? [ipv4 ?? '', 4, prefix4 ?? '32'] : [ipv6, 6, prefix6 ?? '128']
  const isNetwork = isIP(network) === version && Number(prefix) <= (version === 4 ? 32 : 128)
  return isNetwork && Number(port) >= 1 && Number(port) <= 65_535
    ? E.right({ cidr: `${network}/${Number(prefix)}`, port: Number(port) })
    : E.left(`"${entry}" is not a network and a port, such as 10.0.0.0/8:8080 or [fd12::/16]:443.`)
}
