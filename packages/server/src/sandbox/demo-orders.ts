// Anybody may order in the demo shop without credentials, because everybody knows those of the demo
// merchant. Sandbox rules, Demo and Runs.

import { randomBytes } from 'node:crypto'
import type { SandboxMessage } from '@plazo/adapters/internal/sandbox'
import {
  CATALOGUE,
  type FullStore,
  languageOf,
  type Order,
  OrderView,
  orderView,
} from '@plazo/core/internal'
import {
  answer,
  invalidValue,
  jsonAnswer,
  jsonBodyOf,
  KNOWN_MERCHANT,
  ORDER_REF,
  type ReadAfter,
  type Route,
  route,
  STATE_CARDS,
  StateRunProgress,
  value,
} from '@plazo/server/internal'
import type { Context } from 'hono'
import { stream } from 'hono/streaming'
import * as t from 'io-ts'
import { DEMO_MERCHANT } from './demo-merchant.ts'
import { DEMO_CART } from './demo-people.ts'
import {
  DemoOrderPayload,
  DemoOrderPlaced,
  type DemoState,
  type SmsSent,
  StateRunPayload,
} from './protocol.ts'
import { followRoute, SANDBOX, type SandboxServices } from './services.ts'
import { createStateRuns } from './state-run.ts'
import { readUpcoming } from './timeline/timeline.ts'

const RECENT = 20

/** The newest first. */
const newestOfDemo = async (store: Pick<FullStore, 'orders'>): Promise<readonly Order[]> => {
  const demo = { merchantRef: DEMO_MERCHANT }
  return (await value(store.orders.search(demo, null, RECENT))).orders
}

const KEEP_ALIVE = 10_000

/** A client or a proxy gives up on an answer that is silent for minutes. Blanks change nothing of its JSON. */
export const streamWithBlanks = (
  c: Context,
  answer: (write: (text: string) => Promise<unknown>) => Promise<unknown>,
): Response =>
  stream(c, async (out) => {
    const blanks = setInterval(() => void out.write('\n'), KEEP_ALIVE)
    await answer((text) => out.write(text)).finally(() => clearInterval(blanks))
  })

const CODES: readonly string[] = CATALOGUE.map(({ code }) => code)

/** Places an order with the same request as a shop's server. */
const placeDemoOrder =
  ({ callApp, baseUrl }: SandboxServices) =>
  ({ product, language, items, shop }: DemoOrderPayload): Promise<Response> => {
    const cart = items ?? DEMO_CART
    const reference = `DEMO-${randomBytes(5).toString('hex').toUpperCase()}`
    const body = {
      order: {
        product_code: product,
        merchant: {
          id: DEMO_MERCHANT,
          return_url: `${baseUrl}/demo/return?order=${reference}&language=${languageOf(language ?? null)}&product=SQ_PRODUCT_CODE`,
          notify_url: shop?.notify_url ?? `${baseUrl}/demo/notify`,
          events_webhook: { url: shop?.events_url ?? `${baseUrl}/demo/events`, parameters: {} },
        },
        merchant_reference: { order_ref_1: reference },
        customer: { language_code: language ?? 'en' },
        cart: {
          currency: 'EUR',
          order_total_with_tax: cart.reduce((sum, item) => sum + item.total_with_tax, 0),
          items: cart.map(({ name, total_with_tax }, index) => ({
            type: 'product',
            reference: `SKU-${index + 1}`,
            name,
            quantity: 1,
            price_with_tax: total_with_tax,
            total_with_tax,
          })),
        },
      },
    }
    const { username, password } = KNOWN_MERCHANT
    return callApp('/orders', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${btoa(`${username}:${password}`)}`,
      },
      body: JSON.stringify(body),
    })
  }

export const smsSent = ({ at, to, text, code }: SandboxMessage): SmsSent => ({
  at: isoOf(at),
  to,
  text,
  code,
})

const isoOf = (at: number): string => new Date(at).toISOString()

/** Reads what the pages of the sandbox show of the demo merchant, besides an order's timeline. */
const readDemo =
  ({ host, time, recorder, messages }: SandboxServices) =>
  async (): Promise<DemoState> => {
    const orders = await newestOfDemo(host.store)
    const parts = await Promise.all(
      orders.map(async (order) => {
        const { orderRef } = order.placed
        const upcoming = await readUpcoming(host)(order)
        const sent = await value(messages(orderRef))
        // What is overdue comes at the instant at which it was read, which must not look like news.
        const now = host.clock.now()
        return {
          upcoming: upcoming.map(({ at, title }) => ({
            order_ref: orderRef,
            at: Date.parse(at) > now ? at : null,
            title,
          })),
          messages: sent.map((message) => ({ order_ref: orderRef, ...smsSent(message) })),
        }
      }),
    )
    const now = host.clock.now()
    const nextDueAt = await value(host.store.nextDueAt(now))
    return {
      ahead: Math.round((now - Date.now()) / 1_000),
      moving: time.view().moving,
      next_due_at: nextDueAt === null ? null : isoOf(nextDueAt),
      recorded: recorder.lastId(),
      orders: orders.map(orderView),
      upcoming: parts
        .flatMap(({ upcoming }) => upcoming)
        .toSorted((one, other) => ((one.at ?? '') < (other.at ?? '') ? -1 : 1)),
      messages: parts
        .flatMap(({ messages }) => messages)
        .toSorted((one, other) => (one.at < other.at ? 1 : -1)),
    }
  }

/** Sends the state at once, and whenever it has changed. */
const followDemo = (services: SandboxServices): ReadAfter => {
  const read = readDemo(services)
  let last = ''
  return async (after) => {
    const data = await read().catch(() => null)
    if (data === null) return null
    const text = JSON.stringify(data)
    if (text === last) return []
    last = text
    return [{ id: after + 1, type: 'demo', data }]
  }
}

const wayTo = (state: string) => {
  const card = STATE_CARDS.find(({ id }) => id === state)
  if (card?.guide) return { ...card, guide: card.guide }
  const expected = 'the id of an inner state, as GET /sdk/machine.json names them'
  throw invalidValue('state', state, expected)
}

export const demoRoutes = (services: SandboxServices): readonly Route[] => {
  const place = placeDemoOrder(services)
  const runToState = createStateRuns(services)
  return [
    route('GET /sandbox/demo/orders', 'listDemoOrders', 'List the demo merchant’s recent orders', {
      access: SANDBOX,
      ok: jsonAnswer('The newest first, at most 20.', t.readonlyArray(OrderView)),
      handle: async () => (await newestOfDemo(services.host.store)).map(orderView),
    }),
    route('POST /sandbox/demo/orders', 'placeDemoOrder', 'Place an order as the demo merchant', {
      access: SANDBOX,
      body: jsonBodyOf(DemoOrderPayload, { 'pay in instalments': { product: 'pp3' } }),
      status: 201,
      ok: jsonAnswer('The uuid of the order and its checkout.', DemoOrderPlaced, {
        placed: { order_ref: ORDER_REF },
      }),
      problems: { 400: 'The body is invalid.', 409: 'The order is refused.' },
      handle: async (_, payload) => {
        const { product } = payload
        if (!CODES.includes(product))
          throw invalidValue('product', product, `one of ${CODES.join(', ')}`)
        const placed = await place(payload)
        const location = placed.headers.get('location')
        return location === null ? placed : { order_ref: location.slice(-36) }
      },
    }),
    followRoute(services, 'GET /sandbox/demo/events', 'followDemo', 'Follow the demo merchant', {
      access: SANDBOX,
      description: 'An event named demo whenever something has changed. The page / uses it.',
      follow: () => ({ account: DEMO_MERCHANT, readAfter: followDemo(services) }),
    }),
    route('POST /sandbox/demo/runs', 'runToState', 'Bring an order of demo to a state', {
      access: SANDBOX,
      description: 'It acts as the shopper, the shop and the operator, and moves the clock.',
      body: jsonBodyOf(StateRunPayload, { reviewing: { state: 'checkout.open.reviewing' } }),
      ok: answer('A line after each step. The last one has the status reached or failed.', {
        'application/x-ndjson': { schema: StateRunProgress },
      }),
      problems: { 400: 'state is not the id of an inner state.' },
      handle: (_, { state }, c) => {
        const way = wayTo(state)
        c.header('content-type', 'application/x-ndjson')
        // Nothing waits for the reader: the run goes on if nobody reads its progress.
        return streamWithBlanks(c, (write) =>
          runToState(way, (progress) => void write(`${JSON.stringify(progress)}\n`)),
        )
      },
    }),
  ]
}
