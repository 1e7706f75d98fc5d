// The whole server with the host's own providers: they need no URL, may be async, and can report a
// payment later.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { recordProviderCallback } from '@plazo/core'
import { type HostProviders, reply, retryLater } from '@plazo/core/ports'
import {
  type ComposeOptions,
  compose,
  type Environment,
  type Plazo,
  readConfig,
} from '@plazo/server'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { composeInMode, configFrom } from '../harness/config.ts'
import { programsOf } from '../harness/packed-project.ts'
import { CODE, DEMO, PERSON, shopAt } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'

const BASE_URL = 'https://pay.example/plazo'
const KEY = Buffer.alloc(32, 1).toString('base64')
const PRODUCTION = {
  MODE: 'production',
  SECRET_KEY: KEY,
  OPERATOR_PASSWORD: 'a password of its own',
  DATABASE_URL: 'sqlite::memory:',
}

const providers: HostProviders = {
  screening: { screen: async () => ({ outcome: 'approved', alternative: null }) },
  sms: { send: async () => {} },
  identity: { open: async () => null },
  payments: {
    open: async ({ key }) => ({ url: `https://cards.example/${key}` }),
    void: async () => {},
    refund: async () => {},
    keep: async () => {},
    recall: async () => [],
  },
  risk: { assess: async () => reply('low_risk'), watch: async () => null },
}

const startPlazo = async (
  environment: Environment,
  options: Omit<ComposeOptions, 'baseUrl' | 'log'> = {},
): Promise<Plazo> => {
  const { providers: overrides = {} } = options
  const config = readConfig(environment, { providers: overrides })
  if (E.isLeft(config)) throw new Error(config.left.join('\n'))
  const plazo = await composeInMode(config.right, {
    baseUrl: `${BASE_URL}/`,
    log: () => {},
    ...options,
  })
  onTestFinished(() => plazo.stop())
  return plazo
}

const shopOf = ({ app }: Plazo) =>
  shopAt(BASE_URL, DEMO, async (url, init) => app.request(url.replace(BASE_URL, ''), init))

const SANDBOX = { DATABASE_URL: 'sqlite::memory:' }
const body = { ...PERSON, credit_agreement: { product: 'fp1', instalment_count: 1 } }

const folder = fileURLToPath(new URL('./generated/composed', import.meta.url))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('the program of the guide starts in production without URLs, and reports a payment that it knows', async () => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/own-server.ts`, programsOf('hosts/whole-server.md')[0] ?? '')
  const { openPlazo } = await import(`${folder}/own-server.ts`)
  const plazo = await openPlazo({ ...PRODUCTION, LOG_LEVEL: 'silent' }, BASE_URL)
  onTestFinished(() => plazo.stop())
  expect((await plazo.app.request('/readyz')).status).toBe(200)
  expect(await plazo.reportPaid('unknown')).toMatchObject({ left: { _tag: 'OrderNotFound' } })
})

describe('in production', () => {
  it('a server is not composed without a port that its settings left to the host', async () => {
    const config = readConfig(PRODUCTION, { providers })
    if (E.isLeft(config)) throw new Error(config.left.join('\n'))
    await expect(compose(config.right, { baseUrl: BASE_URL, log: () => {} })).rejects.toThrow(
      'SCREENING_URL is not set, and nobody else answers this port.',
    )
  })
})

describe('the host’s own providers', () => {
  it('are asked, their payment page is the shopper’s, and a payment is reported later', async () => {
    const opened: { readonly id: string; readonly orderRef: string }[] = []
    const payments: HostProviders['payments'] = {
      ...providers.payments,
      open: async ({ key, orderRef }) => {
        opened.push({ id: key, orderRef })
        return { url: `https://cards.example/${key}` }
      },
    }
    // A port may be an object with methods.
    class Texts {
      readonly sent: string[] = []
      async send({ payload }: Parameters<HostProviders['sms']['send']>[0]): Promise<void> {
        this.sent.push(payload.code)
      }
    }
    const sms = new Texts()
    const plazo = await startPlazo(SANDBOX, { providers: { payments, sms } })
    const shop = shopOf(plazo)
    const orderRef = await shop.place()
    await shop.submit(orderRef, body)
    await shop.advance(0)
    await shop.submit(orderRef, { ...body, validation_code: sms.sent[0] })
    await shop.advance(60)
    await shop.submit(orderRef, body)
    await shop.advance(0)
    const { iframe_url } = await shop.wait(orderRef)
    const page = await shop.send('GET', String(iframe_url))
    expect([page.status, page.headers.get('location')]).toEqual([
      303,
      `https://cards.example/${opened[0]?.id}`,
    ])
    const [payment = { id: '', orderRef: '' }] = opened
    const report = recordProviderCallback(plazo.host)({
      ...payment,
      update: { type: 'payment.succeeded', card: null, keep: false },
    })
    expect(await report()).toMatchObject(E.right({ isUsed: true }))
    expect(await report()).toMatchObject(E.right({ isUsed: false }))
    await shop.advance(0)
    expect(await shop.wait(orderRef)).toMatchObject({ action: 'wait_for_confirmation' })
  })

  it('are asked again with the same key if they throw or ask for it', async () => {
    const keys: string[] = []
    const answers = [
      async () => {
        throw new Error('no connection')
      },
      () => {
        throw new Error('no connection')
      },
      async () => retryLater(1_000),
      async () => ({ outcome: 'denied', alternative: null }) as const,
    ]
    const screen: HostProviders['screening']['screen'] = ({ key }) => {
      keys.push(key)
      return (answers[keys.length - 1] ?? (answers[3] as never))()
    }
    const environment = { ...SANDBOX, SCREENING_WINDOW: '1d' }
    const shop = shopOf(await startPlazo(environment, { providers: { screening: { screen } } }))
    const orderRef = await shop.place()
    await shop.submit(orderRef)
    await shop.submit(orderRef, { validation_code: CODE })
    await shop.advance(3_600)
    expect(keys).toHaveLength(4)
    expect(new Set(keys).size).toBe(1)
    expect(await shop.submit(orderRef)).toMatchObject({ action: 'reject' })
  })

  it('that hang delay only their own port: 32 calls are in flight, and all other work goes on', async () => {
    let calls = 0
    const screen = () => {
      calls += 1
      return new Promise<never>(() => {})
    }
    // A stop would wait for the calls that hang.
    const plazo = await composeInMode(configFrom(SANDBOX), {
      ...{ baseUrl: BASE_URL, log: () => {} },
      providers: { screening: { screen } },
    })
    const shop = shopOf(plazo)
    const orders = await Promise.all(Array.from({ length: 40 }, () => shop.place()))
    for (const orderRef of orders) {
      await shop.submit(orderRef)
      await shop.submit(orderRef, { validation_code: CODE })
    }
    await waitUntil(async () => calls === 32)
    const another = await shop.place()
    await shop.submit(another)
    await waitUntil(async () => (await shop.messages(another)).length === 1)
    expect(calls).toBe(32)
  })
})
