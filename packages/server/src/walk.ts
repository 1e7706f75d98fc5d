// `pnpm walk`: drives a real checkout over HTTP from order to finish. It shows each action, each request that the merchant
// gets, and whether the request's signature is right.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { verify } from '@plazo/adapters/http'
import { SANDBOX_CODE } from '@plazo/adapters/sandbox'
import { messageOf, wireNames } from '@plazo/core'

const HELP = `pnpm walk [--url http://localhost:3000] [--surnames "highrisk event"] [--product fp1]
          [--merchant demo] [--username demo] [--password demo]

Places an order on a running sandbox and takes it to its end. The surnames are a trigger of
GET /sandbox/triggers, the product one of i1, pp3, sp1 and fp1.`

const OPTIONS = {
  url: { type: 'string', default: `http://localhost:${process.env.PORT ?? 3000}` },
  username: { type: 'string', default: 'demo' },
  password: { type: 'string', default: 'demo' },
  merchant: { type: 'string', default: 'demo' },
  surnames: { type: 'string', default: 'Prueba Ensayo' },
  product: { type: 'string', default: 'fp1' },
  help: { type: 'boolean', default: false },
} as const

const given = () => {
  try {
    return parseArgs({ options: OPTIONS }).values
  } catch (cause) {
    process.stderr.write(`${messageOf(cause)}\n\n${HELP}\n`)
    process.exit(1)
  }
}

const values = given()

type Action = Readonly<Record<string, unknown>> & { readonly action: string }

const say = (text = ''): void => {
  process.stdout.write(`${text}\n`)
}

const names = wireNames(process.env.SERVICE_NAME || 'Service', process.env.IPN_STATE_PARAMETER || 'sq_state')
const base = values.url.replace(/\/+$/, '')
const basic = `Basic ${Buffer.from(`${values.username}:${values.password}`).toString('base64')}`

const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const response = await fetch(`${base}${path}`, init)
  if (response.status >= 400)
    throw new Error(`${init.method ?? 'GET'} ${path} answered ${response.status}: ${await response.text()}`)
  return response
}

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: basic },
  body: JSON.stringify(body),
})

const form = (fields: Readonly<Record<string, string>>): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams(fields),
})

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** The shop's own endpoints: they show each request, and accept it if its signature is right. */
const receivers = async (secret: string): Promise<{ readonly url: string; readonly close: () => void }> => {
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const isRight = verify(secret, body, String(request.headers[names.signatureHeader.toLowerCase()] ?? ''))
    const fields = new URLSearchParams(body.toString())
    const what = fields.get('event') ?? 'IPN'
    say(`  ◀ the merchant gets ${what} at ${request.url} (signature ${isRight ? 'right' : 'WRONG'})`)
    for (const [name, value] of fields) say(`      ${name} = ${value}`)
    const isCancel = what === 'cancel'
    response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' })
    response.end(isRight && isCancel ? JSON.stringify({ result: 'cancelled' }) : '')
    if (isRight) say(`    and answers 200${isCancel ? ' {"result":"cancelled"}' : ''}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const shown = ({ action, ...rest }: Action): string =>
  Object.keys(rest).length === 0 ? action : `${action} ${JSON.stringify(rest)}`

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const WAITING = new Set(['wait_for_screening', 'wait_for_confirmation', 'wait_for_on_hold'])
const STEPS_MAX = 200

const walk = async (): Promise<void> => {
  const found = await call(`/merchants/${values.merchant}/credentials`, { headers: { authorization: basic } })
  const credentials = (await found.json()) as { readonly signature_secret: string; readonly currency: string }
  const merchant = await receivers(credentials.signature_secret)
  try {
    say(`▶ POST /orders as ${values.merchant}, 121.00 ${credentials.currency}`)
    const placed = await call(
      '/orders',
      json({
        order: {
          merchant: {
            id: values.merchant,
            return_url: `${base}/demo/return?product=SQ_PRODUCT_CODE`,
            notify_url: `${merchant.url}/notify`,
            events_webhook: { url: `${merchant.url}/events`, parameters: { shop: 'walk' } },
          },
          merchant_reference: { order_ref_1: `walk-${Date.now()}` },
          cart: {
            currency: credentials.currency,
            order_total_with_tax: 12_100,
            items: [
              {
                type: 'product',
                reference: 'SKU-1',
                name: 'Lamp',
                quantity: 1,
                price_with_tax: 12_100,
                total_with_tax: 12_100,
              },
            ],
          },
          customer: { language_code: 'en' },
        },
      }),
    )
    const orderRef = (placed.headers.get('location') ?? '').split('/').at(-1) ?? ''
    say(`  ${placed.status}, order ${orderRef}`)
    await conversation(orderRef)
    const order = await call(`/orders/${orderRef}`, { headers: { authorization: basic } })
    // Work that the end causes (a risk assessment, say) still reaches the merchant.
    await sleep(500)
    say(`\nThe order is now ${JSON.stringify(((await order.json()) as { readonly state: unknown }).state)}.`)
    say(`Its history: curl -s -u ${values.username}:${values.password} ${base}/orders/${orderRef}/history`)
  } finally {
    merchant.close()
  }
}

const conversation = async (orderRef: string): Promise<void> => {
  const checkout = `/api/v1/checkout/${orderRef}`
  const person = {
    given_names: 'Ana',
    surnames: values.surnames,
    dob_day: '02',
    dob_month: '01',
    dob_year: '1980',
    mobile_phone: '600123456',
    nin: '12345678Z',
    address: 'Calle Mayor 1',
    postal_code: '28013',
    city: 'Madrid',
    [names.privacyField]: true,
  }
  const count = { pp3: 3, sp1: 3 }[values.product] ?? 1
  const submit = async (extra: object): Promise<Action> => {
    say(`\n▶ POST identification ${JSON.stringify(extra)}`)
    const body = { ...person, credit_agreement: { product: values.product, instalment_count: count }, ...extra }
    const action = (await (await call(`${checkout}/identification`, json(body))).json()) as Action
    say(`  ${shown(action)}`)
    return action
  }
  let action = await submit({})
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    const answer = await next(action, orderRef, submit)
    if (answer === null) return
    if (answer === 'wait') {
      await sleep(300)
      const before = action.action
      action = (await (await call(`${checkout}/wait`)).json()) as Action
      if (action.action !== before) say(`\n▶ GET wait\n  ${shown(action)}`)
    } else action = answer
  }
  say(`\nNothing has come of ${action.action} for a minute.`)
}

const CARD = { number: '4111111111111111', expiry: '12/40', cvc: '123' }

// Triggers whose ID session ends by itself, without anybody's action.
const SHOWS_BY_HIMSELF = /^(un)?verifi(ed|cation) event$/i

const opened = new Set<string>()

/** Acts as the shopper on a page of the sandbox; a provider's own page is left to a person. */
const onPage = async (what: string, url: string, fields: Readonly<Record<string, string>>): Promise<void> => {
  if (opened.has(url)) return
  opened.add(url)
  const answer = await fetch(url, form(fields))
  if (answer.status === 405) return say(`\n▶ the provider's own page: open ${url}`)
  if (answer.status >= 400) throw new Error(`POST ${url} answered ${answer.status}: ${await answer.text()}`)
  say(`\n▶ POST ${what}\n  ${await answer.text()}`)
}

/** Acts as the frontend on an action. Returns the next action, `wait` to poll for it, or null at the end. */
const next = async (
  action: Action,
  orderRef: string,
  submit: (extra: object) => Promise<Action>,
): Promise<Action | 'wait' | null> => {
  if (WAITING.has(action.action)) return 'wait'
  switch (action.action) {
    case 'require_validate_otp': {
      const sent = await call(`/sandbox/messages?order_ref=${orderRef}`)
      const messages = (await sent.json()) as readonly {
        readonly to: string
        readonly text: string
        readonly code: string
      }[]
      const last = messages.at(-1)
      // A provider's SMS is not among the sandbox's. This code works wherever the one that was sent would.
      if (last !== undefined) say(`  ✉ SMS to ${last.to}: ${last.text}`)
      return submit({ validation_code: last?.code ?? SANDBOX_CODE })
    }
    case 'resume_after_screening':
      return submit({})
    case 'alt_payment':
      return submit({ credit_agreement: { product: 'i1', instalment_count: 1 } })
    case 'require_payment': {
      await onPage('the card form: 4111 1111 1111 1111', String(action.iframe_url), CARD)
      return 'wait'
    }
    case 'wait_for_id_verification': {
      if (action.status !== 'STARTED' || SHOWS_BY_HIMSELF.test(values.surnames)) return 'wait'
      await onPage('the ID session: VERIFIED', String(action.session_url), { status: 'VERIFIED' })
      return 'wait'
    }
    case 'show_on_hold': {
      say('\n▶ the operator approves the order')
      const operator = `Basic ${Buffer.from(`operator:${process.env.OPERATOR_PASSWORD || 'operator'}`).toString('base64')}`
      await call(`/console/orders/${orderRef}/approve`, { method: 'POST', headers: { authorization: operator } })
      return 'wait'
    }
    default:
      return null
  }
}

const refused = (cause: unknown): string =>
  cause instanceof TypeError
    ? `No plazo answers at ${base}: start one with \`pnpm start\`, or say where it is with --url.`
    : String(cause instanceof Error ? cause.message : cause)

if (values.help) say(HELP)
else
  walk().catch((cause: unknown) => {
    process.stderr.write(`${refused(cause)}\n`)
    process.exitCode = 1
  })
