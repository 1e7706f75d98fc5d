// `plazo demo`: shows a newcomer a whole checkout over HTTP, from the order to its end: each
// action, each request that the merchant receives, and whether its signature is right. With one of
// the sandbox's test persons, a developer sees that person's outcome.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { verify } from '@plazo/adapters/http'
import { SANDBOX_CODE, triggerOf } from '@plazo/adapters/sandbox'
import { currencyTerms, type DeliveryView, money } from '@plazo/core/protocol'
import type { Json } from '../command-line/command.ts'
import { hint, refuse, refuseValue, say } from '../command-line/terminal.ts'
import { person } from '../docs/openapi/examples.ts'
import { DEMO_CART, DEMO_PEOPLE, type DemoPerson } from '../sandbox/demo-people.ts'
import type { SmsSent } from '../sandbox/protocol.ts'
import {
  basicAuthorization,
  SandboxCommand,
  type SandboxMerchant,
  sandboxClient,
  sandboxNames,
} from './sandbox-client.ts'

type Options = SandboxMerchant & { readonly surnames: string; readonly product: string }

type DemoEnd = { readonly order_ref: string; readonly state: unknown }

type Action = Readonly<Record<string, unknown>> & { readonly action: string }

const formatAction = ({ action, ...rest }: Action): string =>
  Object.keys(rest).length === 0 ? action : `${action} ${JSON.stringify(rest)}`

const POLLS_MAX = 200
const WEBHOOK_POLLS_MAX = 10

const CARD = { number: '4111111111111111', expiry: '12/40', cvc: '123' }

/** The shop's own endpoints: they show each request, and accept it if its signature is right. */
const openShop = async (secret: string, print: typeof say) => {
  const header = sandboxNames().signatureHeader.toLowerCase()
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const isRight = verify(secret, body, String(request.headers[header] ?? ''))
    const fields = new URLSearchParams(body.toString())
    const what = fields.get('event') ?? 'IPN'
    print(
      `  ◀ the merchant receives ${what} at ${request.url} (signature ${isRight ? 'valid' : 'WRONG'})`,
      isRight ? {} : { WRONG: 'red' },
    )
    for (const [name, value] of fields) print(`      ${name} = ${value}`)
    const answer = what === 'cancel' ? '{"result":"cancelled"}' : ''
    response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' })
    response.end(isRight ? answer : '')
    if (isRight) print(`    and answers 200 ${answer}`.trimEnd())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** `print`: shows a step. Returns the order's uuid and state at the end. */
const runDemo = async (options: Options, print: typeof say): Promise<DemoEnd> => {
  const { merchant, surnames, product } = options
  const sandbox = sandboxClient(options)
  // Each answer is this project's own: its contract says what it is.
  const get = async <A>(path: string): Promise<A> =>
    (await sandbox.call('GET', path)).json() as Promise<A>

  const place = async (currency: string, shop: string): Promise<string> => {
    // The cart is for euros. In another currency it costs about the same, within the currency's
    // limits.
    const scale = currencyTerms(currency).minTotal / currencyTerms('EUR').minTotal
    const items = DEMO_CART.map(({ name, total_with_tax }) => ({
      name,
      total_with_tax: Math.round(total_with_tax * scale),
    }))
    const total = items.reduce((sum, { total_with_tax }) => sum + total_with_tax, 0)
    print(`▶ POST /orders as ${merchant}, ${money(total, currency, 'en').string}`)
    const placed = await sandbox.call('POST', '/orders', {
      order: {
        merchant: {
          id: merchant,
          return_url: `${sandbox.base}/demo/return?product=SQ_PRODUCT_CODE`,
          notify_url: `${shop}/notify`,
          events_webhook: { url: `${shop}/events`, parameters: { shop: 'demo' } },
        },
        merchant_reference: { order_ref_1: `demo-${randomBytes(6).toString('hex')}` },
        cart: { currency, order_total_with_tax: total, items },
        customer: { language_code: 'en' },
      },
    })
    const orderRef = (placed.headers.get('location') ?? '').split('/').at(-1) ?? ''
    print(`  ${placed.status}, order ${orderRef}`)
    return orderRef
  }

  const postedUrls = new Set<string>()

  const submit = async (orderRef: string, extra: object): Promise<Action> => {
    print(`\n▶ POST identification ${JSON.stringify(extra)}`)
    const count = { pp3: 3, sp1: 3 }[product] ?? 1
    const answer = await sandbox.call('POST', `/api/v1/checkout/${orderRef}/identification`, {
      ...person(sandboxNames()),
      surnames,
      credit_agreement: { product, instalment_count: count },
      ...extra,
    })
    const action = (await answer.json()) as Action
    print(`  ${formatAction(action)}`)
    return action
  }

  /** Acts as the shopper on a page of the sandbox; a provider's own page is left to a person. */
  const post = async (what: string, url: unknown, fields: Record<string, string>) => {
    if (postedUrls.has(String(url))) return
    postedUrls.add(String(url))
    const answer = await fetch(String(url), { method: 'POST', body: new URLSearchParams(fields) })
    if (answer.status === 405) return print(`\n▶ the provider's own page: open ${url}`)
    const text = await answer.text()
    if (!answer.ok) refuse(`POST ${url} answered ${answer.status}: ${text}`)
    print(`\n▶ POST ${what}\n  ${text}`)
  }

  /**
   * Acts as the frontend on an action. Returns the next action, `wait` to poll for it, or null at
   * the end.
   */
  const act = async (orderRef: string, action: Action): Promise<Action | 'wait' | null> => {
    switch (action.action) {
      case 'require_validate_otp': {
        const messages = await get<readonly SmsSent[]>(`/sandbox/messages?order_ref=${orderRef}`)
        const last = messages.at(-1)
        // A provider's SMS is not among the sandbox's. This code works wherever the one that was
        // sent would.
        if (last !== undefined) print(`  ✉ SMS to ${last.to}: ${last.text}`)
        return submit(orderRef, { validation_code: last?.code ?? SANDBOX_CODE })
      }
      case 'resume_after_screening':
        return submit(orderRef, {})
      case 'alt_payment':
        return submit(orderRef, { credit_agreement: { product: 'i1', instalment_count: 1 } })
      case 'require_payment':
        await post('the card form: 4111 1111 1111 1111', action.iframe_url, CARD)
        return 'wait'
      case 'wait_for_id_verification':
        if (action.status === 'STARTED' && triggerOf(surnames).session === null)
          await post('the ID session: VERIFIED', action.session_url, { status: 'VERIFIED' })
        return 'wait'
      case 'show_on_hold':
        print('\n▶ the operator approves the order')
        await sandbox.call('POST', `/console/orders/${orderRef}/approve`, undefined, {
          authorization: basicAuthorization(
            'operator',
            process.env.OPERATOR_PASSWORD || 'operator',
          ),
        })
        return 'wait'
      default:
        return action.action.startsWith('wait_for_') ? 'wait' : null
    }
  }

  const checkOut = async (orderRef: string): Promise<void> => {
    let action = await submit(orderRef, {})
    for (let polls = 0; polls < POLLS_MAX; polls++) {
      const next = await act(orderRef, action)
      if (next === null) return
      if (next !== 'wait') {
        action = next
        continue
      }
      await sleep(300)
      const polled = await get<Action>(`/api/v1/checkout/${orderRef}/wait`)
      if (polled.action !== action.action) print(`\n▶ GET wait\n  ${formatAction(polled)}`)
      action = polled
    }
    print(`\nThe checkout still answers ${action.action} after a minute.`)
  }

  /** Work that the end causes (a risk assessment, say) still reaches the merchant. */
  const awaitWebhooks = async (orderRef: string): Promise<void> => {
    const path = `/merchants/${merchant}/deliveries?order_ref=${orderRef}`
    for (let polls = 0; polls < WEBHOOK_POLLS_MAX; polls++) {
      await sleep(500)
      const deliveries = await get<readonly DeliveryView[]>(path)
      if (deliveries.every(({ attempts }) => attempts[0] && attempts[0].outcome !== null)) return
    }
  }

  const credentials = await get<{ readonly signature_secret: string; readonly currency: string }>(
    `/merchants/${merchant}/credentials`,
  )
  const shop = await openShop(credentials.signature_secret, print)
  try {
    const orderRef = await place(credentials.currency, shop.url)
    await checkOut(orderRef)
    await awaitWebhooks(orderRef)
    const { state } = await get<{ readonly state: unknown }>(`/orders/${orderRef}`)
    print(`\nThe order is now ${JSON.stringify(state)}.`)
    print(
      `Its history: curl -s -u ${options.username}:${options.password} ${sandbox.base}/orders/${orderRef}/history`,
    )
    return { order_ref: orderRef, state }
  } finally {
    shop.close()
  }
}

/** By their first name or surnames, in any case. Without one: Ana, for whom everything is approved. */
const findPerson = (name: string): DemoPerson => {
  const sought = name.trim().toLowerCase()
  return (
    DEMO_PEOPLE.find(({ name: first, surnames }) =>
      [first, surnames, `${first} ${surnames}`].some((each) => each.toLowerCase() === sought),
    ) ?? refuseValue('The person', name, `one of ${PEOPLE_NAMES.join(', ')}`)
  )
}

const PEOPLE_NAMES = DEMO_PEOPLE.map(({ name, surnames }) => `${name} (${surnames})`)

type DemoOptions = Omit<Options, 'surnames'> & Json

const demo = async (name = 'Ana', { json, ...options }: DemoOptions): Promise<void> => {
  const { surnames } = findPerson(name)
  const end = await runDemo({ ...options, surnames }, json ? hint : say)
  if (json) say(JSON.stringify(end))
}

export const demoCommand = (): SandboxCommand =>
  new SandboxCommand('demo')
    .description(
      'runs the purchase of a test person through a running sandbox, and shows each request and answer',
    )
    .argument('[person]', 'a first name or surnames, as below; without one: Ana')
    .merchantOptions()
    .option('--product <product>', 'i1, pp3, sp1 or fp1', 'fp1')
    .json(': {order_ref, state}')
    .notes(
      `Test persons:\n${DEMO_PEOPLE.map(({ name, surnames, outcome }) => `  ${name.padEnd(6)} ${surnames.padEnd(19)} ${outcome}`).join('\n')}`,
    )
    .examples('plazo demo', 'plazo demo Eva', 'plazo demo "review event" --product i1')
    .action(demo)
