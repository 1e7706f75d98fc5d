// One walk through every host, so that hosts can be compared by what their merchant receives. The
// shopper and the shop act over HTTP only, as they would with any host.
import { sign, signStandardWebhook } from '@plazo/adapters/http'
import type { ReceivedRequest, Receiver } from '../harness/receiver.ts'
import { DEMO, PERSON } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'

/** How requests reach a host. */
export type HostRoutes = {
  /** The path of `POST` for a new order. */
  readonly orders: string
  readonly ordersHeaders: Readonly<Record<string, string>>
  /** The `id` of the merchant in a new order. */
  readonly merchant: string
  /** The uuid in the answer to a new order. */
  readonly readOrderRef: (answer: Response) => Promise<string>
  readonly identification: (orderRef: string) => string
  readonly wait: (orderRef: string) => string
  /** What the page behind a `pay` link posts. */
  readonly card: Readonly<Record<string, string>>
}

/** Those of docs/hosts/node-http.md. */
export const HOST_ROUTES: HostRoutes = {
  orders: '/orders',
  ordersHeaders: {},
  merchant: 'shop',
  readOrderRef: async (answer) => String(await answer.json()),
  identification: (orderRef) => `/identification/${orderRef}`,
  wait: (orderRef) => `/wait/${orderRef}`,
  card: {},
}

export type WalkedHost = {
  /** Without a slash at the end. */
  readonly url: string
  /** Default: `HOST_ROUTES`. */
  readonly routes?: HostRoutes
  /** Everything that the host has printed, with the texts of its SMS. */
  readonly printed: () => string
  readonly shop: Receiver
  /** The shop's address for the host, if it is another one than `shop.url`. */
  readonly shopUrl?: string
  /** Called where nothing is due. The host may end here, if it goes on at the same address. */
  readonly pause?: () => Promise<void>
}

type Action = { readonly action: string; readonly iframe_url?: string }

const HEADERS = [
  ...['content-type', 'accept', 'accept-encoding', 'user-agent'],
  ...['webhook-id', 'webhook-timestamp'],
]

/**
 * Walks an order with an error of each kind to its payment, its IPN and its event, and another one
 * to a conflict. The host's service is called `Acme`, its merchant has the secret of `DEMO` and
 * the products `i1` and `fp1`, screening approves, and the risk is low. Returns the requests that
 * the merchant got, without their signatures, which are checked. Names replace ids and instants.
 * Each host must return `walk-record.txt`.
 */
export const walk = async (host: WalkedHost): Promise<string> => {
  const { url, routes = HOST_ROUTES, shop, shopUrl = shop.url, pause } = host

  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  const place = async (reference: string): Promise<string> => {
    const merchant = {
      id: routes.merchant,
      return_url: 'https://shop.example/thanks',
      notify_url: `${shopUrl}/${reference}/ipn?shop=1`,
      notification_parameters: { basket: 'Ñ & 1' },
      events_webhook: { url: `${shopUrl}/${reference}/events`, parameters: { basket: 'Ñ & 1' } },
    }
    const order = {
      merchant,
      merchant_reference: { order_ref_1: reference },
      cart: { currency: 'EUR', order_total_with_tax: 9_900, items: [{ total_with_tax: 9_900 }] },
    }
    return routes.readOrderRef(await post(routes.orders, { order }, routes.ordersHeaders))
  }

  /** Leads the order to the end of its screening. */
  const identify = async (orderRef: string, product: string): Promise<void> => {
    const form = {
      ...PERSON,
      acme_privacy_policy_accepted: true,
      credit_agreement: { product, instalment_count: 1 },
    }
    const submit = (fields: object = {}) =>
      post(routes.identification(orderRef), { ...form, ...fields })
    const printedBefore = host.printed().length
    await submit({ city: '' })
    await submit()
    const readCode = () => /: .*?(\d{5})/.exec(host.printed().slice(printedBefore))?.[1]
    await waitUntil(() => readCode() !== undefined)
    await pause?.()
    await submit({ validation_code: readCode() === '11111' ? '22222' : '11111' })
    await submit({ validation_code: readCode() })
    await waitForAction(orderRef, 'resume_after_screening')
    await submit()
  }

  const waitForAction = async (orderRef: string, expected: string): Promise<Action> => {
    let answer: Action = { action: 'none' }
    await waitUntil(async () => {
      answer = (await (await fetch(`${url}${routes.wait(orderRef)}`)).json()) as Action
      return answer.action === expected
    })
    return answer
  }

  const paid = await place('paid')
  await identify(paid, 'fp1')
  const { iframe_url: page = '' } = await waitForAction(paid, 'require_payment')
  if (!(await (await fetch(page)).text()).includes('<form')) throw new Error('No form to pay by.')
  await pause?.()
  await fetch(page, { method: 'POST', body: new URLSearchParams(routes.card) })
  await waitForAction(paid, 'finish')
  await waitUntil(() => shop.received.length === 2)

  shop.answer('/refused/ipn', { status: 409 })
  const refused = await place('refused')
  await identify(refused, 'i1')
  await waitForAction(refused, 'show_conflict')
  const ids = new Map<string, string>()
  const nameId = (id: string): string => {
    const name = ids.get(id) ?? `<id ${ids.size + 1}>`
    ids.set(id, name)
    return name
  }
  return (
    shop.received
      .map(describeRequest)
      .join('\n\n')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, nameId)
      .replaceAll(/(_since=|timestamp: )\d+/g, '$1<instant>')
      // An SMS may be accepted a step earlier or later.
      .replaceAll(/(?<=webhook-id: .*):\d+:/g, ':<step>:')
  )
}

/** What plazo decides about the request. Throws if a signature is wrong. */
const describeRequest = ({ method, target, headers, body }: ReceivedRequest): string => {
  const header = (name: string): string => String(headers[name])
  const message = {
    id: header('webhook-id'),
    timestamp: Number(header('webhook-timestamp')),
    body,
  }
  const isSigned =
    header('x-acme-signature') === sign(DEMO.secret, body) &&
    header('webhook-signature') === signStandardWebhook([DEMO.secret], message)
  if (!isSigned) throw new Error(`A signature of ${target} is wrong.`)
  const lines = HEADERS.map((name) => `${name}: ${header(name)}`)
  return [`${method} ${target}`, ...lines, '', body].join('\n')
}
