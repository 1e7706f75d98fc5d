// Chooses who answers each port: the host's own provider, the provider behind the port's URL, or a
// simulation.
import type { Keyring } from '@plazo/adapters/internal/encryption'
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
} from '@plazo/adapters/internal/provider'
import {
  type HostProviders,
  mapProviderCalls,
  type PageProtocol,
  PROVIDER_PORTS,
  type ProviderPort,
  type Providers,
  retryLater,
  toProviders,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import {
  answersPort,
  type Config,
  callbackUrl,
  memberOf,
  PROVIDER_SETTINGS,
} from '../settings/config.ts'

type PortSecrets = (port: ProviderPort) => readonly string[]

export const portSecretsFrom = (keyring: Keyring): PortSecrets => {
  const keys = keyring.map(({ key }) => key.export())
  return (port) => derivePortSecrets(keys, port)
}

type OpenRemote = (options: RemoteOptions, pages: PageProtocol) => Closable<object>

/** How the provider behind a port's URL is called. */
const REMOTE: { readonly [port in ProviderPort]: OpenRemote } = {
  screening: remoteScreening,
  sms: remoteSms,
  identity: remoteIdentity,
  payment: remotePayments,
  risk: remoteRisk,
}

/** What a program that composes the server answers itself. */
export type OwnProviders = {
  /** The ports that the program answers by `async` functions. They need no URL, in production too. */
  readonly providers?: Partial<HostProviders>
  /** Answers the ports that have neither a host's provider nor a URL, and may wrap all of them. */
  readonly wrapProviders?: (providers: Partial<Providers>) => Partial<Providers>
}

/** Throws if nobody answers a port. */
export const composeProviders = (
  {
    policy,
    names,
    proxy,
    providers: urls,
  }: Pick<Config, 'policy' | 'names' | 'proxy' | 'providers'>,
  baseUrl: string,
  secretsOf: PortSecrets,
  { providers: hostProviders = {}, wrapProviders = (providers) => providers }: OwnProviders,
) => {
  const pages = policy.allowsLocal ? 'http or https' : 'https'
  const remote = PROVIDER_PORTS.flatMap((port) => {
    const url = urls[port]
    if (url === null || answersPort(hostProviders, port)) return []
    const options = {
      url,
      callbackUrl: callbackUrl(baseUrl, port),
      secrets: secretsOf(port),
      userAgent: `${names.service}-Provider/1.0`,
      realNow: () => Date.now(),
      proxy,
    }
    return [{ member: memberOf(port), provider: REMOTE[port](options, pages) }]
  })
  const external: Partial<Providers> = {
    // Each factory makes the member that answers its port.
    ...Object.fromEntries(remote.map(({ member, provider }) => [member, provider])),
    ...limitInFlight(toProviders(hostProviders)),
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
      for (const { provider } of remote) provider.close()
    },
  }
}

const BUSY_MILLIS = 1_000

/** A provider of the host that hangs delays only itself. One behind a URL has this limit already. */
const limitInFlight = (hostProviders: Partial<Providers>): Partial<Providers> => {
  const inFlight = new Map<ProviderPort, number>()
  return mapProviderCalls(hostProviders, (call, port) => (request) => async () => {
    const count = inFlight.get(port) ?? 0
    if (count >= IN_FLIGHT_MAX) return E.right(retryLater(BUSY_MILLIS))
    inFlight.set(port, count + 1)
    try {
      return await call(request)()
    } finally {
      inFlight.set(port, (inFlight.get(port) ?? 1) - 1)
    }
  })
}
