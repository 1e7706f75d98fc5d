import { memoryRecords } from '@plazo/adapters/memory'
import { sandboxProviders } from '@plazo/adapters/sandbox'
import { wireNames } from '@plazo/core'
import type { Providers } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
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

/** `simulated`: what answers a port without a URL. */
const composeFor = (providers: typeof ALL | typeof NONE, simulated: Partial<Providers> = {}) =>
  composeProviders(
    { policy, names: NAMES, proxy: null, providers },
    'https://pay.example',
    () => ['secret'],
    {
      wrapProviders: (ours) => ({ ...simulated, ...ours }),
    },
  )

it('the configured providers have room for 32 calls each, and those of the sandbox need none', () => {
  const simulated = sandboxProviders(memoryRecords())
  expect(composeFor(NONE, simulated)).toMatchObject({ providers: simulated, inFlightMax: 0 })
  const { providers, inFlightMax, close } = composeFor(ALL, simulated)
  for (const port of ['screening', 'sms', 'identity', 'payments', 'risk'] as const)
    expect(providers[port], port).not.toBe(simulated[port])
  expect(inFlightMax).toBe(160)
  close()
})
