import { memoryRecords } from '@plazo/adapters/memory'
import { sandboxProviders } from '@plazo/adapters/sandbox'
import { wireNames } from '@plazo/core'
import { PROVIDER_PORTS } from '@plazo/core/protocol'
import { describe, expect, it } from 'vitest'
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

const composeFor = (mode: 'sandbox' | 'production', providers: typeof ALL | typeof NONE) => {
  const own = mode === 'sandbox' ? sandboxProviders(memoryRecords()) : null
  return {
    own,
    ...composeProviders(
      { mode, names: NAMES, providers },
      'https://pay.example',
      () => ['secret'],
      own,
    ),
  }
}

describe('the providers', () => {
  it('are those of the sandbox if none is configured', () => {
    const { providers, own, usesProviderPage, inFlightMax } = composeFor('sandbox', NONE)
    expect(providers).toEqual(own)
    expect({ usesProviderPage, inFlightMax }).toEqual({
      usesProviderPage: { payment: false, identity: false },
      inFlightMax: 0,
    })
  })

  it('are the configured ones, and none of the sandbox’s if all are configured', () => {
    const { providers, own, usesProviderPage, inFlightMax, close } = composeFor('sandbox', ALL)
    for (const port of ['screening', 'sms', 'identity', 'payments', 'risk'] as const)
      expect(providers[port], port).not.toBe(own?.[port])
    expect({ usesProviderPage, inFlightMax }).toEqual({
      usesProviderPage: { payment: true, identity: true },
      inFlightMax: 160,
    })
    close()
  })

  it.each(PROVIDER_PORTS)(
    'are never simulated in production: %s requires a configured provider',
    (port) => {
      expect(() => composeFor('production', { ...ALL, [port]: null })).toThrow(
        `${port.toUpperCase()}_URL is not set, and nobody else answers this port.`,
      )
    },
  )
})
