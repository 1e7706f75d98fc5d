// Chooses who answers each port: the provider behind the port's URL or, in a sandbox without one, the sandbox's own provider.
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
import { PROVIDER_PORTS, type ProviderPort, type Providers } from '@plazo/core'
import { type Config, PROVIDER_SETTINGS } from '../config.ts'

type PortSecrets = (port: ProviderPort) => readonly string[]

export const portSecretsFrom = (keyring: Keyring): PortSecrets => {
  const keys = keyring.map(({ key }) => key.export())
  return (port) => derivePortSecrets(keys, port)
}

/** Where a provider sends later answers. */
export const callbackUrl = (baseUrl: string, port: ProviderPort): string => `${baseUrl}/providers/${port}`

/** `sandbox`: null in production. Throws if nobody answers a port. */
export const composeProviders = (
  { mode, names, providers }: Pick<Config, 'mode' | 'names' | 'providers'>,
  baseUrl: string,
  secretsOf: PortSecrets,
  sandbox: Providers | null,
) => {
  const closers: (() => void)[] = []

  const choosePort = <Port>(
    port: ProviderPort,
    remote: (options: RemoteOptions) => Closable<Port>,
    sandboxPort: Port | undefined,
  ): Port => {
    const url = providers[port]
    if (url === null) {
      if (sandboxPort === undefined)
        throw new Error(`${PROVIDER_SETTINGS[port]} is not set, and nobody else answers this port.`)
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
  const chosen: Providers = {
    screening: choosePort('screening', remoteScreening, sandbox?.screening),
    sms: choosePort('sms', remoteSms, sandbox?.sms),
    identity: choosePort('identity', (options) => remoteIdentity(options, pages), sandbox?.identity),
    payments: choosePort('payment', (options) => remotePayments(options, pages), sandbox?.payments),
    risk: choosePort('risk', remoteRisk, sandbox?.risk),
  }
  return {
    providers: chosen,
    /** True: a provider's own page replaces the sandbox's. */
    usesProviderPage: { payment: providers.payment !== null, identity: providers.identity !== null },
    /** Calls to providers come on top of all other work, so that a hanging provider holds up nothing else. */
    inFlightMax: PROVIDER_PORTS.filter((port) => providers[port] !== null).length * IN_FLIGHT_MAX,
    close: (): void => {
      for (const close of closers) close()
    },
  }
}
