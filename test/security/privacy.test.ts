// Nothing that a shopper, a merchant or an operator enters may be logged, no matter what goes
// wrong, nor lie readable in the database. A real process runs every path at the most verbose level,
// and its output and its file are searched for each value in every possible form.
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandLine, merchantWords } from '../harness/command-line.ts'
import { temporaryPath } from '../harness/ports-and-folders.ts'
import { type ReceivedRequest, startReceiver } from '../harness/receiver.ts'
import { type RunningServer, runUntilExit, startServer } from '../harness/running-server.ts'
import { basic, type Json, nextStep, type orderBody, type Shop, shopAt } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'
import { rawBytes, shortTracesOf, tracesIn, tracesOf } from './traces.ts'

const LEAKY = fileURLToPath(new URL('./leaky-server.ts', import.meta.url))

const SHOPPER = {
  given_names: 'Núria Ángels',
  surnames: 'Xirgu Subirà',
  mobile_phone: '+34 655 017 293',
  nin: '43218765Y',
  address: 'Passeig de la Quimera 73, 5º 2ª',
  postal_code: '08QZX-9713',
  city: "L'Hospitalet de Xanadú",
}
const IDENTITY: Json = {
  ...SHOPPER,
  dob_day: '02',
  dob_month: '11',
  dob_year: '1973',
  service_privacy_policy_accepted: true,
}

const CARDS = {
  paying: { number: '4111111111111111', expiry: '09/41', cvc: '739', save: 'on' },
  declined: { number: '4000000000000002', expiry: '09/41', cvc: '739' },
  challenged: { number: '4000000000003220', expiry: '09/41', cvc: '739' },
}

const MERCHANT = {
  ref: 'quimera',
  username: 'quimera-shop',
  password: 'Tramuntana#1789 ñ',
  secret: 'feedc0de'.repeat(4),
}
const ROTATED = 'c0ffee00'.repeat(4)
const OPERATOR_PASSWORD = 'Gegants i capgrossos 31'
const NAMED_PASSWORD = 'Trabucaires 1 i bastoners'
const WRONG_PASSWORD = 'Sardana&Castells=9'
const SECRET_KEY = Buffer.from('a key that nobody else may see!!').toString('base64')

/** The shopper's data in the shop's own order, and what only the shop knows. */
const ORDER: Json = { customer: { email: 'nuria.xirgu@quimera.example', ref: 'client-0047712' } }
const HIDDEN = ['session-token-9f8e7d6c', 'webhook-key-5b4a3c2d', 'm-loyalty-88231']

/** Merchants search for it, so the database has it in plain text. */
const REFERENCE = 'comanda-5523017'

const GIVEN: readonly string[] = [
  ...Object.values(SHOPPER),
  '34655017293',
  '655017293',
  'Xirgu',
  'Quimera 73',
  ...Object.values(CARDS).map(({ number }) => number),
  '4111 1111 1111 1111',
  'nuria.xirgu@quimera.example',
  'client-0047712',
  MERCHANT.password,
  MERCHANT.secret,
  ROTATED,
  `${MERCHANT.username}:${MERCHANT.password}`,
  OPERATOR_PASSWORD,
  NAMED_PASSWORD,
  WRONG_PASSWORD,
  SECRET_KEY,
  ...HIDDEN,
]
const SHORT = ['12345', '739', '09/41', '1973-11-02', '02/11/1973', '1973']

/** What only a database could show. */
const STORED = [
  '411111******1111',
  '400000******3220',
  '"lastFour"',
  `"${CARDS.paying.expiry}"`,
  createHash('sha256')
    .update(JSON.stringify([MERCHANT.ref, SHOPPER.nin, '+34655017293']))
    .digest('hex'),
]

/** Searches everything that was printed. */
const leavesNoTrace = (printed: string, more: readonly string[] = []): void => {
  expect(tracesOf([...GIVEN, REFERENCE, ...more], printed)).toEqual([])
  expect(shortTracesOf(SHORT, printed)).toEqual([])
}

// Returns its input in every part of a response that plazo may read or fail to read.
const echoes = (status: number) => (request: ReceivedRequest) => ({
  status,
  body: request.body,
  headers: {
    'retry-after': encodeURIComponent(request.body).slice(0, 2_000),
    location: `https://x.example/?${encodeURIComponent(request.body).slice(0, 2_000)}`,
    'x-echo': encodeURIComponent(SHOPPER.surnames),
  },
})

const garbles = (
  request: ReceivedRequest,
  response: { readonly socket: { end: (text: string) => void } | null },
): null => {
  response.socket?.end(`HTTP/1.1 ${SHOPPER.surnames}\r\n${request.body}\r\n\r\n`)
  return null
}

const receiver = await startReceiver()
receiver.answer('/echo/ipn', echoes(200))
receiver.answer('/echo/events', echoes(200))
receiver.answer('/refusing/ipn', echoes(503))
receiver.answer('/refusing/events', echoes(500))
receiver.answer('/garbled/ipn', garbles as never)
receiver.answer('/garbled/events', garbles as never)
afterAll(() => receiver.close())

const orderAt = (name: string): Parameters<typeof orderBody>[0] => ({
  ...ORDER,
  product_code: 'fp1',
  merchant: {
    id: MERCHANT.ref,
    return_url: `${receiver.url}/return?session=${HIDDEN[0]}&name=${encodeURIComponent(SHOPPER.surnames)}`,
    notify_url: `${receiver.url}/${name}/ipn?key=${HIDDEN[1]}`,
    notification_parameters: { shopper: SHOPPER.surnames },
    events_webhook: {
      url: `${receiver.url}/${name}/events?key=${HIDDEN[1]}`,
      parameters: { loyalty: HIDDEN[2], shopper: SHOPPER.given_names },
    },
  },
  merchant_reference: {
    order_ref_1: `${REFERENCE} ${name} ${crypto.randomUUID()}`,
    order_ref_2: REFERENCE,
  },
})

const refs = new Set<string>()

/** Tokens in addresses, and sent codes. The service generates them, and they are secret too. */
const drawn = {
  tokens: new Set<string>(),
  codes: new Set<string>(),
  messages: new Set<string>(),
}

const noteAddresses = (action: Json): void => {
  for (const [, token = ''] of JSON.stringify(action).matchAll(
    /\/(?:pay|verify)\/[0-9a-f-]{36}\/([^"/]+)/g,
  ))
    drawn.tokens.add(token)
  for (const [, token = ''] of JSON.stringify(action).matchAll(/\/(?:card|3ds)\/([^"/]+)"/g))
    drawn.tokens.add(token)
}

const walk = async (shop: Shop, name: string, extra: Json = {}): Promise<string> => {
  const identity = { ...IDENTITY, ...extra }
  const orderRef = await shop.place(orderAt(name))
  refs.add(orderRef)
  for (let turns = 0; ; turns++) {
    const action = await shop.wait(orderRef)
    if (turns > 120) throw new Error(`The order comes to no end: ${action.action}`)
    noteAddresses(action)
    if (action.action === 'require_validate_otp')
      await shop.submit(orderRef, { ...identity, validation_code: SHOPPER.nin })
    if (action.action === 'require_payment') {
      await shop.pay(action.iframe_url, CARDS.declined)
      await shop.advance(0)
      const challenge = await shop.pay((await shop.wait(orderRef)).iframe_url, CARDS.challenged)
      noteAddresses(challenge)
      await shop.form(String(challenge.src), { status: SHOPPER.surnames })
      await shop.form(String(challenge.src), { status: 'failure' })
      await shop.advance(0)
      const last = await shop.wait(orderRef)
      noteAddresses(last)
      await shop.pay(last.iframe_url, CARDS.paying)
      await shop.advance(0)
      continue
    }
    if (!(await nextStep(shop)(orderRef, action, identity))) break
  }
  for (const { code, text } of await shop.messages(orderRef)) {
    drawn.codes.add(code)
    drawn.messages.add(text)
  }
  return orderRef
}

/** Sends invalid requests with personal data in every part. */
const misshape = async (shop: Shop, orderRef: string): Promise<void> => {
  const text = JSON.stringify(IDENTITY)
  const query = new URLSearchParams(SHOPPER).toString()
  const type = { 'content-type': 'application/json' }
  const identification = `/api/v1/checkout/${orderRef}/identification`
  const authorization = basic(MERCHANT.username, MERCHANT.password)
  const headers = {
    ...type,
    authorization,
    referer: `https://shop.example/?${query}`,
    'user-agent': encodeURIComponent(SHOPPER.surnames),
    cookie: `nin=${SHOPPER.nin}`,
    'x-forwarded-for': SHOPPER.nin,
    'service-merchant-id': SHOPPER.nin,
  }
  for (const [method, path] of [
    ['POST', `${identification}?${query}`],
    ['POST', `/orders?${query}`],
    ['PUT', `/merchants/${MERCHANT.ref}/orders/${encodeURIComponent(SHOPPER.nin)}`],
    ['POST', '/sandbox/clock/advance'],
    ['POST', '/demo/notify'],
    ['DELETE', `/sandbox/pay/${orderRef}/${SHOPPER.nin}`],
  ] as const)
    for (const body of [text.slice(0, -9), `{"order":${text}}`])
      await shop.send(method, path, body, headers)
  await shop.send('POST', identification, 'x'.repeat(70_000) + text, type)
  for (const path of [
    `/${encodeURIComponent(SHOPPER.surnames)}`,
    `/pay/${orderRef}/${SHOPPER.nin}`,
    `/sandbox/verify/${orderRef}/${SHOPPER.nin}?${query}`,
    `/sandbox/messages?order_ref=${SHOPPER.nin}`,
    `/merchants/${MERCHANT.ref}/deliveries?state=${encodeURIComponent(SHOPPER.surnames)}`,
  ])
    await shop.send('GET', path, undefined, { authorization })
  for (const [username, password] of [
    [MERCHANT.username, WRONG_PASSWORD],
    [SHOPPER.nin, WRONG_PASSWORD],
    ['mireia', NAMED_PASSWORD],
  ] as const)
    for (const path of ['/merchants/credentials', `/console/orders/${SHOPPER.nin}`])
      await shop.send('GET', path, undefined, { authorization: basic(username, password) })
}

const plazo = (database: string, ...words: readonly string[]): Promise<Json> =>
  commandLine({ DATABASE_URL: database, SECRET_KEY, OPERATOR_PASSWORD }).json(...words)

const addMerchant = (database: string): Promise<Json> =>
  plazo(
    database,
    ...merchantWords(MERCHANT.ref, {
      name: 'Quimera',
      username: MERCHANT.username,
      password: MERCHANT.password,
      secret: MERCHANT.secret,
    }),
    '--send-action-events',
  )

const onDisk = () => {
  const file = temporaryPath('plazo.db')
  return { ...file, database: `sqlite:${file.path}` }
}

const startWith = (database: string, main?: string): Promise<RunningServer> =>
  startServer({
    env: {
      LOG_LEVEL: 'trace',
      DATABASE_URL: database,
      SECRET_KEY,
      OPERATOR_PASSWORD,
      OPERATORS: `mireia:${NAMED_PASSWORD}`,
    },
    ...(main !== undefined && { main }),
  })

const shopOf = ({ url }: RunningServer): Shop => {
  const shop = shopAt(url, MERCHANT)
  const authorization = basic('operator', OPERATOR_PASSWORD)
  return {
    ...shop,
    decide: (orderRef, decision) =>
      shop.send('POST', `/console/orders/${orderRef}/${decision}`, undefined, { authorization }),
  }
}

describe('a server that handles all kinds of data', () => {
  const { database, path, remove } = onDisk()
  let server: RunningServer
  let shop: Shop

  const expectNothingReadable = (): void => {
    const bytes = rawBytes(path)
    expect(tracesIn(bytes, ['screening.resolved', 'payment.succeeded'])).toHaveLength(2)
    const tokens = [...drawn.tokens].slice(0, 20)
    const values = [...GIVEN, ...STORED, ...tokens, ...drawn.messages]
    expect(tracesIn(bytes, values)).toEqual([])
  }

  beforeAll(async () => {
    server = await startWith(database)
    await addMerchant(database)
    shop = shopOf(server)
  })
  afterAll(async () => {
    await server.kill().catch(() => {})
    remove()
  })

  it.each(['', 'denial event', 'review event', 'identity event', 'alternative event'])(
    'takes the path of “%s”',
    async (surnames) => {
      const extra = surnames === '' ? {} : { surnames }
      expect((await shop.order(await walk(shop, 'echo', extra))).order_ref).toMatch(
        /^[0-9a-f-]{36}$/,
      )
    },
  )

  it.each(['refusing', 'garbled'])('calls a merchant who is %s, for a week', async (name) => {
    await walk(shop, name)
    await walk(shop, name, { surnames: 'denial event' })
    const confirmed = await walk(shop, name, { surnames: 'cancellation event' })
    await shop.decide(confirmed, 'request-cancellation')
    await shop.advance(8 * 86_400)
    expect(server.output()).toContain('"alert":"exhausted"')
  })

  it('receives invalid requests', async () => {
    await misshape(shop, await walk(shop, 'echo'))
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  })

  it('resends deliveries, and sends examples', async () => {
    const deliveries = `/merchants/${MERCHANT.ref}/deliveries`
    const listed = (await (await shop.asMerchant('GET', deliveries)).json()) as readonly Json[]
    await shop.asMerchant('POST', `${deliveries}/${listed[0]?.id}/resend`)
    await shop.asMerchant('POST', `${deliveries}/recover`, { since: '2020-01-01T00:00:00Z' })
    const url = `http://${SHOPPER.nin}:${WRONG_PASSWORD}@127.0.0.1/`
    await shop.asMerchant('POST', `${deliveries}/example`, { event: 'cancel', url })
    const rotation = ['rotate-secret', '--yes', '--merchant', MERCHANT.ref, '--secret', ROTATED]
    await plazo(database, 'merchant', ...rotation)
    await shop.advance(0)
    expect(listed.length).toBeGreaterThan(0)
  })

  it('has metrics without a label of personal data', async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text()
    expect(text).toContain('plazo_attempts_total{')
    expect(refs.size).toBeGreaterThan(5)
    leavesNoTrace(text, [...refs, ...drawn.tokens, MERCHANT.username, `"${MERCHANT.ref}"`])
  })

  it('has logged a lot, but none of that data, and keeps none of it readable on the disk', async () => {
    expectNothingReadable()
    expect(await server.stop()).toBe(0)
    // The log of writes is now in the file.
    expectNothingReadable()
    const printed = server.output()
    const lines = printed
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Json)
    const route = '/sandbox/pay/:uuid/:token'
    const [paid] = lines.filter((line) => line.route === route)
    expect(refs).toContain(paid?.order_ref)
    const events = new Set(lines.map(({ event, alert }) => event ?? alert))
    for (const event of ['started', 'requested', 'answered', 'entry_failed', 'exhausted'])
      expect(events).toContain(event)
    expect(drawn.tokens.size).toBeGreaterThan(5)
    expect(drawn.codes.size).toBeGreaterThan(0)
    leavesNoTrace(printed, [...drawn.tokens])
    expect(shortTracesOf([...drawn.codes], printed)).toEqual([])
  })
})

describe('a server whose providers fail', () => {
  const { database, remove } = onDisk()
  let server: RunningServer
  let shop: Shop

  beforeAll(async () => {
    server = await startWith(database, LEAKY)
    await addMerchant(database)
    shop = shopOf(server)
  })
  afterAll(async () => {
    await server.kill().catch(() => {})
    remove()
  })

  const screenShopper = async (how: string): Promise<void> => {
    const identity = { ...IDENTITY, given_names: `${SHOPPER.given_names} ${how}` }
    const ref = await shop.place(orderAt('echo'))
    for (const extra of [{}, { validation_code: '12345' }])
      await shop.send('POST', `/api/v1/checkout/${ref}/identification`, { ...identity, ...extra })
  }

  it.each(['fails', 'throws', 'rejects', 'warns'])(
    'logs nothing of a provider request if the provider %s',
    async (how) => {
      const before = server.output().length
      await screenShopper(how)
      await waitUntil(() => server.output().slice(before).includes('entry_fa'))
      leavesNoTrace(server.output())
    },
  )

  it('exits with its own log line after an uncaught error', async () => {
    const ended = new Promise((resolve) => server.child.once('close', resolve))
    await screenShopper('crashes')
    expect(await ended).toBe(1)
    expect(server.output()).toContain('"event":"crashed","error":"Error"')
    leavesNoTrace(server.output())
  })
})

it('a server that does not start because of its settings does not reveal their secrets', async () => {
  const { printed } = await runUntilExit({
    OPERATOR_PASSWORD,
    SECRET_KEY: 'not-a-key-but-secret',
    SMS_URL: `https://plazo:${HIDDEN[1]}@sms.example/`,
    DATABASE_URL: `mysql://plazo:${HIDDEN[0]}@db.example/plazo`,
  })
  expect(printed).toContain('plazo does not start')
  leavesNoTrace(printed, ['not-a-key-but-secret'])
})
