// Chooses who answers each port: the host's own provider, the provider behind the port's URL or, in
// a sandbox without either, the sandbox's provider.
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
import { answersPort, type Config, PROVIDER_SETTINGS } from './config.ts'

type PortSecrets = (port: ProviderPort) => readonly string[]

export const portSecretsFrom = (keyring: Keyring): PortSecrets => {
  const keys = keyring.map(({ key }) => key.export())
  return (port) => derivePortSecrets(keys, port)
}

/** Where a provider sends later answers. */
export const callbackUrl = (baseUrl: string, port: ProviderPort): string =>
  `${baseUrl}/providers/${port}`

/**
 * `sandbox`: null in production. `hostProviders`: the ports that the host answers itself. Throws if
 * nobody answers a port.
 */
export const composeProviders = (
  { mode, names, providers: urls }: Pick<Config, 'mode' | 'names' | 'providers'>,
  baseUrl: string,
  secretsOf: PortSecrets,
  sandbox: Providers | null,
  hostProviders: Partial<HostProviders> = {},
) => {
  const closers: (() => void)[] = []
  const isOfHost = (port: ProviderPort): boolean => answersPort(hostProviders, port)
  const isSimulated = (port: ProviderPort): boolean => urls[port] === null && !isOfHost(port)

  /** Undefined: the host answers the port. */
  const choosePort = <Port>(
    port: ProviderPort,
    remote: (options: RemoteOptions) => Closable<Port>,
    sandboxPort: Port | undefined,
  ): Port | undefined => {
    if (isOfHost(port)) return undefined
    const url = urls[port]
    if (url === null) {
      if (sandboxPort === undefined)
        throw new Error(
          `${PROVIDER_SETTINGS[port]} is not set, and nobody else answers this port. Set it, or give compose its provider.`,
        )
      return sandboxPort
    }
    const provider = remote({
      url,
      callbackUrl: callbackUrl(baseUrl, port),
      secrets: secretsOf(port),
      userAgent: `${names.service}-Provider/1.0`,
      realNow: () => Date.now(),
    })
    closers.push(provider.close)
    return provider
  }

  const pages = mode === 'production' ? 'https' : 'http or https'
  const chosen = {
    screening: choosePort('screening', remoteScreening, sandbox?.screening),
    sms: choosePort('sms', remoteSms, sandbox?.sms),
    identity: choosePort(
      'identity',
      (options) => remoteIdentity(options, pages),
      sandbox?.identity,
    ),
    payments: choosePort('payment', (options) => remotePayments(options, pages), sandbox?.payments),
    risk: choosePort('risk', remoteRisk, sandbox?.risk),
  }
  // Each port is either chosen or of the host.
  const all = { ...chosen, ...hostProviders } as HostProviders
  const inFlight = new Map(PROVIDER_PORTS.filter(isOfHost).map((port) => [port, 0]))
  return {
    providers: inFlight.size === 0 ? (chosen as Providers) : limitInFlight(all, inFlight),
    /** True: a provider's own page replaces the sandbox's. */
    usesProviderPage: { payment: !isSimulated('payment'), identity: !isSimulated('identity') },
    /** True: the sandbox shows the messages itself. */
    simulatesSms: isSimulated('sms'),
    /**
     * Calls to providers come on top of all other work, so that a hanging provider holds up nothing
     * else.
     */
    inFlightMax: PROVIDER_PORTS.filter((port) => !isSimulated(port)).length * IN_FLIGHT_MAX,
    close: (): void => {
      for (const close of closers) close()
    },
  }
}

const BUSY_MILLIS = 1_000

/**
 * A provider of the host that hangs delays only itself. One behind a URL has this limit already.
 * `inFlight`: by port, of the host's own.
 */
const limitInFlight = (providers: HostProviders, inFlight: Map<ProviderPort, number>): Providers =>
  mapProviders(providers, (call, port) =>
    !inFlight.has(port)
      ? call
      : (request) => async () => {
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
