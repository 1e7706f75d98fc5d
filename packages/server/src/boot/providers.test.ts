import { memoryRecords } from '@plazo/adapters/memory'
import { sandboxProviders } from '@plazo/adapters/sandbox'
import { wireNames } from '@plazo/core'
import type { Providers } from '@plazo/core/ports'
import { PROVIDER_PORTS } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { type Config, readConfig } from '../settings/config.ts'
import { composeProviders } from './providers.ts'

const NAMES = wireNames('Service', 'sq_state')
const URL_OF_ALL = 'https://provider.example'
const ALL = {
  screening: URL_OF_ALL,
  sms: URL_OF_ALL,
  identity: URL_OF_ALL,
  payment: URL_OF_ALL,
  risk: URL_OF_ALL,
}
const NONE = { screening: null, sms: null, identity: null, payment: null, risk: null }

const policy = E.match(
  () => ({}) as Config['policy'],
  (config: Config) => config.policy,
)(readConfig({}))

/** `simulated`: what an extension answers. */
const composeFor = (providers: typeof ALL | typeof NONE, simulated: Partial<Providers> = {}) =>
  composeProviders(
    { policy, names: NAMES, providers },
    'https://pay.example',
    () => ['secret'],
    {},
    (own) => ({ ...simulated, ...own }),
  )

describe('the providers', () => {
  it('are those of the sandbox if none is configured', () => {
    const own = sandboxProviders(memoryRecords())
    const { providers, inFlightMax } = composeFor(NONE, own)
    expect(providers).toEqual(own)
    expect(inFlightMax).toBe(0)
  })

  it('are the configured ones, and none of the sandbox’s if all are configured', () => {
    const own = sandboxProviders(memoryRecords())
    const { providers, inFlightMax, close } = composeFor(ALL, own)
    for (const port of ['screening', 'sms', 'identity', 'payments', 'risk'] as const)
      expect(providers[port], port).not.toBe(own[port])
    expect(inFlightMax).toBe(160)
    close()
  })

  it.each(PROVIDER_PORTS)(
    'are never simulated in production: %s requires a configured provider',
    (port) => {
      expect(() => composeFor({ ...ALL, [port]: null } as typeof ALL)).toThrow(
        `${port.toUpperCase()}_URL is not set, and nobody else answers this port.`,
      )
    },
  )
})
