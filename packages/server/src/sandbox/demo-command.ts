// `plazo demo`: shows a newcomer a whole checkout over HTTP, from the order to its end: each
// action, each request that the merchant receives, and whether its signature is right. `plazo
// trigger`: the same as one of the sandbox's test persons, so that a developer sees that person's
// outcome in their shop.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { verify } from '@plazo/adapters/http'
import { SANDBOX_CODE, TRIGGERS, triggerOf } from '@plazo/adapters/sandbox'
import { currencyTerms, type DeliveryView, money } from '@plazo/core/protocol'
import type { Json } from '../command-line/command.ts'
import { hint, refuseValue, say, sayList } from '../command-line/terminal.ts'
import { person } from '../docs/openapi/examples.ts'
import {
  basicAuthorization,
  refuseUnreachable,
  SandboxCommand,
  type SandboxMerchant,
  sandboxNames,
} from './command.ts'
import { DEMO_CART } from './demo-merchant.ts'
import type { SmsSent } from './protocol.ts'
import { STAND_IN_TEXTS } from './webhooks/fault-texts.ts'

type Options = SandboxMerchant & { readonly surnames: string; readonly product: string }

type DemoEnd = { readonly order_ref: string; readonly state: unknown }

type Action = Readonly<Record<string, unknown>> & { readonly action: string }

const formatAction = ({ action, ...rest }: Action): string =>
  Object.keys(rest).length === 0 ? action : `${action} ${JSON.stringify(rest)}`

const WAITING = new Set(['wait_for_screening', 'wait_for_confirmation', 'wait_for_on_hold'])
const STEPS_MAX = 200

const CARD = { number: '4111111111111111', expiry: '12/40', cvc: '123' }

/** `print`: shows a step. Returns the order's uuid and state at the end. */
const runDemo = (options: Options, print: typeof say): Promise<DemoEnd> => {
  const names = sandboxNames()
  const base = options.url.replace(/\/+$/, '')
  const authorization = basicAuthorization(options.username, options.password)

  const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(`${base}${path}`, init)
    if (response.status >= 400)
      throw new Error(
        `${init.method ?? 'GET'} ${path} answered ${response.status}: ${await response.text()}`,
      )
    return response
  }

  const json = (body: unknown): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify(body),
  })

  /** The shop's own endpoints: they show each request, and accept it if its signature is right. */
  const receivers = async (
    secret: string,
  ): Promise<{ readonly url: string; readonly close: () => void }> => {
    const server = createServer(async (request, response) => {
      const body = await buffer(request)
      const isRight = verify(
        secret,
        body,
        String(request.headers[names.signatureHeader.toLowerCase()] ?? ''),
      )
      const fields = new URLSearchParams(body.toString())
      const what = fields.get('event') ?? 'IPN'
      print(
        `  ◀ the merchant receives ${what} at ${request.url} (signature ${isRight ? 'valid' : 'WRONG'})`,
        isRight ? {} : { WRONG: 'red' },
      )
      for (const [name, value] of fields) print(`      ${name} = ${value}`)
      const isCancel = what === 'cancel'
      response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' })
      response.end(isRight && isCancel ? JSON.stringify({ result: 'cancelled' }) : '')
      if (isRight) print(`    and answers 200${isCancel ? ' {"result":"cancelled"}' : ''}`)
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

  const run = async (): Promise<DemoEnd> => {
    const response = await call(`/merchants/${options.merchant}/credentials`, {
      headers: { authorization },
    })
    const credentials = (await response.json()) as {
      readonly signature_secret: string
      readonly currency: string
    }
    const { currency } = credentials
    // The cart is for euros. In another currency it costs about the same, within the currency's
    // limits.
    const scale = currencyTerms(currency).minTotal / currencyTerms('EUR').minTotal
    const items = DEMO_CART.map(({ name, total_with_tax }) => ({
      name,
      total_with_tax: Math.round(total_with_tax * scale),
    }))
    const total = items.reduce((sum, { total_with_tax }) => sum + total_with_tax, 0)
    const merchant = await receivers(credentials.signature_secret)
    try {
      print(`▶ POST /orders as ${options.merchant}, ${money(total, currency, 'en').string}`)
      const placed = await call(
        '/orders',
        json({
          order: {
            merchant: {
              id: options.merchant,
              return_url: `${base}/demo/return?product=SQ_PRODUCT_CODE`,
              notify_url: `${merchant.url}/notify`,
              events_webhook: { url: `${merchant.url}/events`, parameters: { shop: 'demo' } },
            },
            merchant_reference: { order_ref_1: `demo-${randomBytes(6).toString('hex')}` },
            cart: { currency, order_total_with_tax: total, items },
            customer: { language_code: 'en' },
          },
        }),
      )
      const orderRef = (placed.headers.get('location') ?? '').split('/').at(-1) ?? ''
      print(`  ${placed.status}, order ${orderRef}`)
      await conversation(orderRef)
      const order = await call(`/orders/${orderRef}`, { headers: { authorization } })
      // Work that the end causes (a risk assessment, say) still reaches the merchant.
      await sleep(500)
      await printDrills(orderRef)
      const { state } = (await order.json()) as { readonly state: unknown }
      print(`\nThe order is now ${JSON.stringify(state)}.`)
      print(
        `Its history: curl -s -u ${options.username}:${options.password} ${base}/orders/${orderRef}/history`,
      )
      return { order_ref: orderRef, state }
    } finally {
      merchant.close()
    }
  }

  const conversation = async (orderRef: string): Promise<void> => {
    const checkout = `/api/v1/checkout/${orderRef}`
    const count = { pp3: 3, sp1: 3 }[options.product] ?? 1
    const submit = async (extra: object): Promise<Action> => {
      print(`\n▶ POST identification ${JSON.stringify(extra)}`)
      const body = {
        ...person(names),
        surnames: options.surnames,
        credit_agreement: { product: options.product, instalment_count: count },
        ...extra,
      }
      const action = (await (await call(`${checkout}/identification`, json(body))).json()) as Action
      print(`  ${formatAction(action)}`)
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
        await printDrills(orderRef)
        if (action.action !== before) print(`\n▶ GET wait\n  ${formatAction(action)}`)
      } else action = answer
    }
    print(`\nThe checkout still answers ${action.action} after a minute.`)
  }

  const printed = new Set<string>()

  /**
   * Prints each attempt that a fault drill touched. The shop's own lines do not show what a drill
   * answered in its place.
   */
  const printDrills = async (orderRef: string): Promise<void> => {
    const path = `/merchants/${options.merchant}/deliveries?order_ref=${orderRef}`
    const deliveries = (await (
      await call(path, { headers: { authorization } })
    ).json()) as readonly DeliveryView[]
    const faultedDeliveries = deliveries
      .flatMap(({ event, attempts }) => attempts.map((attempt) => ({ event, ...attempt })))
      .filter(({ drill, outcome }) => drill !== undefined && outcome !== null)
      .toSorted((one, other) => one.started_at.localeCompare(other.started_at))
    for (const { event, n, drill = '', status, error } of faultedDeliveries) {
      const attempt = `${event === 'ipn' ? 'IPN' : event}, attempt ${n}`
      if (printed.has(attempt)) continue
      printed.add(attempt)
      const answer = status === null ? `no answer (${error})` : status
      const by = Object.hasOwn(STAND_IN_TEXTS, drill) ? ' in the shop’s place' : ''
      print(`  ◀ ${attempt}: ${answer}, by the drill ${drill}${by}`)
    }
  }

  const opened = new Set<string>()

  /** Acts as the shopper on a page of the sandbox; a provider's own page is left to a person. */
  const onPage = async (
    what: string,
    url: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<void> => {
    if (opened.has(url)) return
    opened.add(url)
    const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) })
    if (answer.status === 405) return print(`\n▶ the provider's own page: open ${url}`)
    if (answer.status >= 400)
      throw new Error(`POST ${url} answered ${answer.status}: ${await answer.text()}`)
    print(`\n▶ POST ${what}\n  ${await answer.text()}`)
  }

  /**
   * Acts as the frontend on an action. Returns the next action, `wait` to poll for it, or null at
   * the end.
   */
  const next = async (
    action: Action,
    orderRef: string,
    submit: (extra: object) => Promise<Action>,
  ): Promise<Action | 'wait' | null> => {
    if (WAITING.has(action.action)) return 'wait'
    switch (action.action) {
      case 'require_validate_otp': {
        const response = await call(`/sandbox/messages?order_ref=${orderRef}`, {
          headers: { authorization },
        })
        const messages = (await response.json()) as readonly SmsSent[]
        const last = messages.at(-1)
        // A provider's SMS is not among the sandbox's. This code works wherever the one that was
        // sent would.
        if (last !== undefined) print(`  ✉ SMS to ${last.to}: ${last.text}`)
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
        const endsByItself = triggerOf(options.surnames).session !== null
        if (action.status !== 'STARTED' || endsByItself) return 'wait'
        await onPage('the ID session: VERIFIED', String(action.session_url), { status: 'VERIFIED' })
        return 'wait'
      }
      case 'show_on_hold': {
        print('\n▶ the operator approves the order')
        const operator = basicAuthorization('operator', process.env.OPERATOR_PASSWORD || 'operator')
        await call(`/console/orders/${orderRef}/approve`, {
          method: 'POST',
          headers: { authorization: operator },
        })
        return 'wait'
      }
      default:
        return null
    }
  }

  return run().catch(refuseUnreachable(base))
}

export const demoCommand = (): SandboxCommand =>
  new SandboxCommand('demo')
    .description(
      'runs an order through a running sandbox from start to end, and shows each request and answer',
    )
    .merchantOptions()
    .option(
      '--surnames <surnames>',
      'the shopper’s surnames; those that GET /sandbox/triggers lists take another path',
      'Prueba Ensayo',
    )
    .option('--product <product>', 'i1, pp3, sp1 or fp1', 'fp1')
    .examples('plazo demo', 'plazo demo --surnames "review event" --product i1')
    .action(async (options: Options) => {
      await runDemo(options, say)
    })

type TriggerOptions = Omit<Options, 'surnames'> & Json

const trigger = async (
  name: string | undefined,
  { json, ...options }: TriggerOptions,
): Promise<void> => {
  if (name === undefined) {
    if (json)
      return say(
        JSON.stringify(TRIGGERS.map(({ surnames, note, path }) => ({ surnames, note, path }))),
      )
    return sayList(
      ['name', 'outcome'],
      TRIGGERS.map(({ surnames, note }) => [surnames, note]),
    )
  }
  const names = TRIGGERS.map(({ surnames }) => surnames)
  const surnames = names.find((each) => each === name.trim().toLowerCase())
  if (surnames === undefined) return refuseValue('The name', name, `one of ${names.join(', ')}`)
  const end = await runDemo({ ...options, surnames }, json ? hint : say)
  if (json) say(JSON.stringify(end))
}

export const triggerCommand = (): SandboxCommand =>
  new SandboxCommand('trigger')
    .description(
      'runs the purchase of a test person through a running sandbox, and shows each request and answer',
    )
    .argument('[name]', 'the surnames of the person; without it, lists them all')
    .merchantOptions()
    .option('--product <product>', 'i1, pp3, sp1 or fp1', 'fp1')
    .json(': {order_ref, state}, or [{surnames, note, path}] without a name')
    .examples(
      'plazo trigger',
      'plazo trigger "denial event"',
      'plazo trigger "review event" --product i1',
    )
    .action(trigger)
