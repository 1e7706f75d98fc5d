// Chooses who answers each port: the host's own provider, the provider behind the port's URL, or an
// extension.
import type { Keyring } from '@plazo/adapters/encryption'
import {
  type Closable,
  derivePortSecrets,
  IN_FLIGHT_MAX,
  type RemoteOptions,
  remoteIdentity,
  remotePayments,
  remoteRisk,
  remoteScreening,
  remoteSms,
} from '@plazo/adapters/provider'
import { type HostProviders, mapProviders, type Providers, retryLater } from '@plazo/core/ports'
import { PROVIDER_PORTS, type ProviderPort } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { answersPort, type Config, memberOf, PROVIDER_SETTINGS } from '../settings/config.ts'

type PortSecrets = (port: ProviderPort) => readonly string[]

export const portSecretsFrom = (keyring: Keyring): PortSecrets => {
  const keys = keyring.map(({ key }) => key.export())
  return (port) => derivePortSecrets(keys, port)
}

/** Where a provider sends later answers. */
export const callbackUrl = (baseUrl: string, port: ProviderPort): string =>
  `${baseUrl}/providers/${port}`

/**
 * `hostProviders`: the ports that the host answers itself. `wrapProviders`: answers the ports that
 * have neither a host's provider nor a URL. Throws if nobody answers a port.
 */
export const composeProviders = (
  { policy, names, providers: urls }: Pick<Config, 'policy' | 'names' | 'providers'>,
  baseUrl: string,
  secretsOf: PortSecrets,
  hostProviders: Partial<HostProviders>,
  wrapProviders: (external: Partial<Providers>) => Partial<Providers>,
) => {
  const closers: (() => void)[] = []

  /** The provider behind the port's URL, as the member that answers the port. */
  const callRemote = (
    port: ProviderPort,
    remote: (options: RemoteOptions) => Closable<object>,
  ): Partial<Providers> => {
    const url = urls[port]
    if (url === null || answersPort(hostProviders, port)) return {}
    const provider = remote({
      url,
      callbackUrl: callbackUrl(baseUrl, port),
      secrets: secretsOf(port),
      userAgent: `${names.service}-Provider/1.0`,
      realNow: () => Date.now(),
    })
    closers.push(provider.close)
    return { [memberOf(port)]: provider }
  }

  const pages = policy.allowsLocal ? 'http or https' : 'https'
  const external: Partial<Providers> = {
    ...callRemote('screening', remoteScreening),
    ...callRemote('sms', remoteSms),
    ...callRemote('identity', (options) => remoteIdentity(options, pages)),
    ...callRemote('payment', (options) => remotePayments(options, pages)),
    ...callRemote('risk', remoteRisk),
    ...limitInFlight(hostProviders),
  }
  const providers = wrapProviders(external)
  for (const port of PROVIDER_PORTS)
    if (providers[memberOf(port)] === undefined)
      throw new Error(
        `${PROVIDER_SETTINGS[port]} is not set, and nobody else answers this port. Set it, or give compose its provider.`,
      )
  return {
    // The loop above has found each of them.
    providers: providers as Providers,
    /**
     * Calls to providers come on top of all other work, so that a hanging provider holds up nothing
     * else.
     */
    inFlightMax: Object.keys(external).length * IN_FLIGHT_MAX,
    close: (): void => {
      for (const close of closers) close()
    },
  }
}

const BUSY_MILLIS = 1_000

/** A provider of the host that hangs delays only itself. One behind a URL has this limit already. */
const limitInFlight = (hostProviders: Partial<HostProviders>): Partial<Providers> => {
  const inFlight = new Map<ProviderPort, number>()
  // A member that is missing is never called.
  const limited = mapProviders(
    hostProviders as HostProviders,
    (call, port) => (request) => async () => {
      const count = inFlight.get(port) ?? 0
      if (count >= IN_FLIGHT_MAX) return E.right(retryLater(BUSY_MILLIS))
      inFlight.set(port, count + 1)
      try {
        return await call(request)()
      } finally {
        inFlight.set(port, (inFlight.get(port) ?? 1) - 1)
      }
    },
  )
  return Object.fromEntries(
    PROVIDER_PORTS.filter((port) => answersPort(hostProviders, port)).map((port) => [
      memberOf(port),
      limited[memberOf(port)],
    ]),
  )
}
