// Production mode: https everywhere, decisions by providers, and nothing of the sandbox, of which not
// even a file is loaded. Contract §7.
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verify } from '@plazo/adapters/internal/http'
import { derivePortSecrets } from '@plazo/adapters/internal/provider'
import { PROVIDER_PORTS } from '@plazo/core/internal'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandLine, merchantWords } from '../harness/command-line.ts'
import { LOOPBACK_CERTIFICATE } from '../harness/loopback-certificate.ts'
import { freePort } from '../harness/ports-and-folders.ts'
import { startReceiver } from '../harness/receiver.ts'
import {
  type RunningServer,
  runUntilExit,
  spawnServer,
  startServer,
} from '../harness/running-server.ts'
import { callbacksTo, startSampleProvider } from '../harness/sample-provider.ts'
import { basic, DEMO, type Shop, shopAt } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'
import { type ProxiedRequest, startTlsProxy } from '../harness/tls-proxy.ts'
import { agreement, checkoutOf } from './stages.ts'

const KEY = Buffer.alloc(32, 9)
const SECRET = 'fedcba9876543210fedcba9876543210'
const PASSWORD = 'the operator’s own'
const RECORD_MODULES = new URL('../harness/record-modules.ts', import.meta.url).href

const folder = await mkdtemp(join(tmpdir(), 'plazo-production-'))
const authority = join(folder, 'authority.pem')
const modules = join(folder, 'modules.txt')
await writeFile(authority, LOOPBACK_CERTIFICATE.cert)
const trusted = { NODE_EXTRA_CA_CERTS: authority }
const tlsProxy = await startTlsProxy(true)
const provider = await startSampleProvider({ key: KEY, isSecure: true, env: trusted })
const receiver = await startReceiver()
const merchant = await startTlsProxy(true)
merchant.forwardTo(receiver.url)
const merchantPort = new URL(merchant.url).port
const settings: Readonly<Record<string, string>> = {
  ...trusted,
  ...provider.settings,
  MODE: 'production',
  BASE_URL: tlsProxy.url,
  DATABASE_URL: `sqlite:${join(folder, 'plazo.db')}`,
  SECRET_KEY: KEY.toString('base64'),
  OPERATOR_PASSWORD: PASSWORD,
  WEBHOOK_ALLOW: `127.0.0.1/32:${merchantPort},[::1/128]:${merchantPort}`,
}
afterAll(async () => {
  await provider.stop()
  await Promise.all([tlsProxy.close(), merchant.close(), receiver.close()])
  await rm(folder, { recursive: true })
})

it('production takes over a sandbox’s database once its key is known, and disables the publicly known demo credentials', async () => {
  const path = join(folder, 'sandbox.db')
  const database = { DATABASE_URL: `sqlite:${path}` }
  const sandbox = await startServer({ env: database })
  await sandbox.stop()
  const former = (await readFile(`${path}.key`, 'utf8')).trim()
  const env = {
    ...settings,
    ...database,
    SECRET_KEY: `${KEY.toString('base64')},${former}`,
    PORT: '0',
  }
  const plazo = commandLine(env)
  const PASSWORD_KNOWN = 'merchant demo has the sandbox’s well-known password'
  const SECRET_KNOWN = 'merchant demo has the sandbox’s well-known signing secret'
  const before = (await runUntilExit(env)).lines
  expect(before).toEqual([
    expect.stringContaining(`plazo does not start: ${PASSWORD_KNOWN}`),
    expect.stringContaining(SECRET_KNOWN),
  ])
  expect(before[0]).toContain('`plazo merchant set --merchant demo --password`')
  const { stdout } = await plazo.run('doctor')
  for (const known of [PASSWORD_KNOWN, SECRET_KNOWN])
    expect(stdout).toContain(`WRONG  credentials      ${known}`)
  const setPassword = commandLine({ ...env, MERCHANT_PASSWORD: 'another' })
  expect(
    await setPassword.run('merchant', 'set', '--merchant', 'demo', '--password'),
  ).toMatchObject({
    code: 0,
  })
  expect((await runUntilExit(env)).lines).toEqual([
    expect.stringMatching(`^plazo does not start: ${SECRET_KNOWN}`),
  ])
  const [, command = ''] =
    /`plazo (merchant rotate-secret --merchant demo)`/.exec(before[1] ?? '') ?? []
  expect(await plazo.run(...command.split(' '), '--yes')).toMatchObject({ code: 0 })

  const port = await freePort()
  const server = await startServer({ env: { ...env, PORT: String(port) } })
  const answer = await shopAt(`http://127.0.0.1:${port}`).asMerchant(
    'GET',
    '/merchants/credentials',
  )
  expect(answer.status).toBe(401)
  expect(await server.stop()).toBe(0)
})

it('production refuses the sandbox’s password and secret at each command that sets one', async () => {
  const plazo = commandLine({ ...settings, DATABASE_URL: `sqlite:${join(folder, 'known.db')}` })
  await plazo.json(...merchantWords('shop'))
  for (const words of [
    merchantWords('other', { password: ' Demo ', secret: DEMO.secret }),
    ['merchant', 'set', '--merchant', 'shop', '--password', 'demo'],
    ['merchant', 'rotate-secret', '--merchant', 'shop', '--secret', DEMO.secret.toUpperCase()],
  ])
    expect(await plazo.run(...words), words.join(' ')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^--(password|secret) is the sandbox’s, which everybody knows/),
    })
  expect(await plazo.json('merchant', 'list')).toMatchObject([{ ref: 'shop' }])
})

it('has only JSON on standard output, also while it stops and when it cannot start', async () => {
  const port = await freePort()
  const run = (port: number) => {
    const env = { ...settings, DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'debug' }
    const server = spawnServer({ env: { ...env, PORT: String(port) } })
    let printed = ''
    server.child.stdout?.on('data', (chunk: Buffer) => (printed += chunk))
    return { ...server, closed: once(server.child, 'close').then(() => printed) }
  }
  const { child, closed, ended, listening, output } = run(port)
  await listening
  for (const refused of [run(port), run(70_000)]) {
    expect(await refused.closed).toBe('')
    expect(await refused.ended).toBe(1)
    expect(refused.output()).toContain('plazo does not start')
  }
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) child.kill(signal)
  const events = (await closed)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).event)
  expect(events).toEqual(expect.arrayContaining(['started', 'stopping', 'stopped']))
  expect(output()).toContain('plazo is stopping.')
  expect(await ended).toBe(0)
})

describe('production with all required settings', () => {
  let server: RunningServer
  let shop: Shop
  let callProvider: ReturnType<typeof callbacksTo>
  let plain: string

  beforeAll(async () => {
    const port = await freePort()
    plain = `http://127.0.0.1:${port}`
    const recorded = { LOADED_MODULES: modules, NODE_OPTIONS: `--import=${RECORD_MODULES}` }
    server = await startServer({ env: { ...settings, ...recorded, PORT: String(port) } })
    tlsProxy.forwardTo(plain)
    await commandLine(settings).json(
      ...merchantWords('shop', { password: 'secret', secret: SECRET, products: 'i1,fp1' }),
    )
    shop = shopAt(plain, { username: 'shop', password: 'secret' })
    callProvider = callbacksTo(plain, KEY)
  })
  afterAll(async () => {
    expect(await server.stop()).toBe(0)
  })

  it('shows the secrets to sign with on demand, and where each provider answers later', async () => {
    expect(await commandLine(settings).json('keys', 'list', '--ports')).toEqual(
      Object.fromEntries(
        PROVIDER_PORTS.map((port) => [
          port,
          {
            callback_url: `${tlsProxy.url}/providers/${port}`,
            secrets: derivePortSecrets([KEY], port),
          },
        ]),
      ),
    )
  })

  const cart = {
    currency: 'EUR',
    order_total_with_tax: 12_100,
    items: [{ total_with_tax: 12_100 }],
  }
  const addresses = () => ({
    id: 'shop',
    return_url: 'https://shop.example/thanks?product=SQ_PRODUCT_CODE',
    notify_url: `${merchant.url}/ipn`,
    events_webhook: { url: `${merchant.url}/events` },
  })

  const requestsFor = (ref: string, ask: string): readonly ProxiedRequest[] =>
    provider.front.passed.filter(({ json }) => json.order_ref === ref && json.ask === ask)

  it('shows an order on the statechart only to the operator, without buttons', async () => {
    const path = `/machine/orders/${await shop.place({ cart, merchant: addresses() })}`
    expect((await shop.asMerchant('GET', path)).status).toBe(401)
    const operator = { authorization: basic('operator', PASSWORD) }
    const text = await (await shop.send('GET', path, undefined, operator)).text()
    expect(text).toContain('<plazo-machine')
    expect(text).not.toMatch(/<(?:button|form)|runs=|<plazo-machine[^>]* (?:run|person-link)/)
  })

  it('leads shoppers back until it knows who lends, and its other endpoints work as before', async () => {
    const ref = await shop.place({ cart, merchant: addresses() })
    const missing = [
      'LENDER_NAME',
      'LENDER_ADDRESS',
      'LENDER_SUPERVISOR',
      'CONDITIONS_URL',
      'PRE_CONTRACT_URL',
      'WITHDRAWAL_TEXT',
      'CONTACT_FOR_PERSON',
    ]
    const page = await (await shop.asMerchant('GET', `/orders/${ref}/form_v2?product=i1`)).text()
    for (const name of missing) expect(page).toContain(`<code>${name}</code>`)
    expect(page).toContain(
      '<a class="button" href="https://shop.example/thanks?product=i1">Back to the shop</a>',
    )
    expect(page).not.toMatch(/<script|<plazo-checkout/)
    expect(await shop.wait(ref)).toEqual({ action: 'show_identification_form' })
  })

  it('offers none of the sandbox’s routes or credentials, and loads none of its files', async () => {
    expect(server.output()).toContain(`plazo is listening on ${tlsProxy.url} (production, `)
    for (const path of ['/', '/demo/return', '/sandbox/clock', '/sandbox/triggers'])
      for (const accept of ['application/json', 'text/html'])
        expect((await shop.send('GET', path, undefined, { accept })).status, path).toBe(404)
    for (const path of ['/sandbox/clock/advance', '/demo/notify'])
      expect((await shop.send('POST', path, {})).status, path).toBe(404)
    for (const path of ['/machine', '/docs', '/console']) await fetch(`${plain}${path}`)
    const loaded = (await readFile(modules, 'utf8')).split('\n')
    expect(loaded).toContainEqual(expect.stringContaining('/server/src/host/compose.ts'))
    expect(loaded.filter((url) => url.includes('/sandbox/'))).toEqual([])
    const demo = { authorization: basic(DEMO.username, DEMO.password) }
    expect((await shop.send('GET', '/merchants/credentials', undefined, demo)).status).toBe(401)
    const added = await fetch(`${plain}/console/merchants`, {
      method: 'POST',
      headers: { authorization: basic('operator', PASSWORD) },
      body: new URLSearchParams({
        ...{ ref: 'known', name: 'Known', username: 'known', password: 'of the shop' },
        ...{ currency: 'EUR', products: 'i1', secret: DEMO.secret },
      }),
    })
    expect([added.status, await added.text()]).toEqual([
      409,
      expect.stringContaining('which everybody knows'),
    ])
    const document = await (await shop.send('GET', '/openapi.json')).text()
    expect(document).not.toMatch(/\/sandbox\/|\/demo\/(?:return|notify|events)|demo:demo|"Sandbox"/)
  })

  it('sends one phone five codes in an hour, over all orders', async () => {
    const phone = { ...agreement('fp1'), mobile_phone: '600999888' }
    for (let n = 0; n < 5; n += 1) {
      const ref = await shop.place({ cart, merchant: addresses() })
      expect((await shop.submit(ref, phone)).action).toBe('require_validate_otp')
    }
    const refused = await shop.place({ cart, merchant: addresses() })
    expect(await shop.submit(refused, phone)).toEqual({
      action: 'show_identification_form',
      errors: { mobile_phone: 'invalid' },
    })
    expect(await checkoutOf(shop, refused)).toBe('identifying')
  })

  it('takes an order to its end', async () => {
    const ref = await shop.place({ cart, merchant: addresses() })
    await shop.submit(ref, agreement('fp1'))
    await waitUntil(() => requestsFor(ref, 'sms.send').length > 0)
    const { code } = requestsFor(ref, 'sms.send').at(-1)?.json ?? {}
    await shop.submit(ref, { ...agreement('fp1'), validation_code: code })
    await waitUntil(async () => (await checkoutOf(shop, ref)) === 'screened')
    const action = await shop.submit(ref, agreement('fp1'))
    expect(action.iframe_url).toMatch(`${tlsProxy.url}/pay/`)
    await waitUntil(() => requestsFor(ref, 'payment.open').length > 0)
    const payment = String(requestsFor(ref, 'payment.open')[0]?.json.id)
    expect(await callProvider('payment', { id: payment, status: 'succeeded' })).toMatchObject({
      body: { taken: true },
    })
    await waitUntil(async () => (await checkoutOf(shop, ref)) === 'confirmed')
    const ipn = receiver.received.find(
      ({ path, fields }) => path === '/ipn' && fields.order_ref === ref,
    )
    expect(ipn?.fields).toMatchObject({ product_code: 'fp1', sq_state: 'approved' })
    expect(verify(SECRET, ipn?.body ?? '', String(ipn?.headers['x-service-signature']))).toBe(true)
  })
})
