// Shoppers who buy from a host until it answers, however often it dies meanwhile, and who note how
// long their orders stood still.
import { setTimeout as pause } from 'node:timers/promises'
import { PERSON } from '../../harness/shop.ts'
import type { HostRoutes } from '../walk.ts'

export type Shop = {
  /** The addresses of the host. A request that fails goes to the next one. */
  readonly urls: readonly string[]
  readonly routes: HostRoutes
  readonly printed: () => string
  /** The address of the merchant's receiver. */
  readonly merchantUrl: string
}

export type Purchase = {
  readonly orderRef: string
  /** The request that placed it. */
  readonly payload: string
  /** Instants at which the order made progress, from its placement to its end. */
  readonly progress: readonly number[]
}

const LOOKS_EVERY = 200
const GIVES_UP_AFTER = 20_000

export const buy = async (shop: Shop, number: number): Promise<Purchase> => {
  const { urls, routes, printed, merchantUrl } = shop
  const progress = [Date.now()]
  let failures = number

  /** Repeats the request until it is answered. */
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    for (;;) {
      const url = path.startsWith('http') ? path : `${urls[failures % urls.length]}${path}`
      const signal = AbortSignal.timeout(GIVES_UP_AFTER)
      const response = await fetch(url, { ...init, signal }).catch(() => null)
      if (response !== null && response.status < 500) return response
      failures += 1
      await pause(LOOKS_EVERY)
    }
  }
  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const until = async (isReached: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isReached())) await pause(LOOKS_EVERY)
    progress.push(Date.now())
  }
  const wait = async () =>
    (await (await ask(routes.wait(orderRef))).json()) as { action: string; iframe_url?: string }
  const reach = (action: string) => until(async () => (await wait()).action === action)

  const order = {
    merchant: {
      id: routes.merchant,
      return_url: 'https://shop.example/thanks',
      notify_url: `${merchantUrl}/ipn`,
      events_webhook: { url: `${merchantUrl}/events` },
    },
    merchant_reference: { order_ref_1: `N-${number}` },
    cart: { currency: 'EUR', order_total_with_tax: 9_900, items: [{ total_with_tax: 9_900 }] },
  }
  const placed = await post(routes.orders, { order }, { 'idempotency-key': `N-${number}` })
  const orderRef = await routes.readOrderRef(placed)
  progress.push(Date.now())
  const phone = `6${String(number).padStart(8, '0')}`
  const form = {
    ...PERSON,
    mobile_phone: phone,
    acme_privacy_policy_accepted: true,
    credit_agreement: { product: 'fp1', instalment_count: 1 },
  }
  const submit = (fields: object = {}) =>
    post(routes.identification(orderRef), { ...form, ...fields })
  await submit()
  const readCode = () => new RegExp(`${phone}: .*?(\\d{5})`).exec(printed())?.[1]
  await until(() => readCode() !== undefined)
  await submit({ validation_code: readCode() })
  await reach('resume_after_screening')
  await submit()
  await reach('require_payment')
  await ask((await wait()).iframe_url ?? '', { method: 'POST' })
  await reach('finish')
  return { orderRef, payload: JSON.stringify({ order }), progress }
}
