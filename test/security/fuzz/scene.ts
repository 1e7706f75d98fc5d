// Runs the whole service in process, on a database in memory, and brings orders into the state that
// a route needs.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { WaitAction } from '@plazo/core/protocol'
import { compose, openLog } from '@plazo/server'
import * as E from 'fp-ts/lib/Either.js'
import type { OpenApiDocument } from '../../../packages/server/src/docs/openapi/document.ts'
import { configFrom, extensionsOf } from '../../harness/config.ts'
import {
  type Action,
  basic,
  CARD,
  CHALLENGED_CARD,
  DEMO,
  type Json,
  nextStep,
  shopAt,
} from '../../harness/shop.ts'
import { casesIn, type Stage } from './routes.ts'

const BASE_URL = 'http://localhost:3000'
const CODE = '12345'
/** Providers' secrets are derived from this key. */
export const SECRET_KEY = Buffer.alloc(32, 5)
const SAVING = { ...CARD, save: 'on' }

// Without merchant URLs, nothing is ever called, and only a PUT confirms.
const UNCALLED = { notify_url: null, events_webhook: null }

/** An order at rest, with the values for a route's path. */
// A merchant whose secret may be rotated without affecting the others.
const KEPT_MERCHANT = 'kept'
const OF_MERCHANT = { ref: 'demo', order_ref_1: 'none', merchant: KEPT_MERCHANT }

export type Target = {
  readonly orderRef: string
  readonly params: Readonly<Record<string, string>>
}

export type Scene = Awaited<ReturnType<typeof openScene>>

const exactly = (codec: typeof WaitAction, body: unknown): void => {
  const decoded = codec.decode(body)
  ok(E.isRight(decoded), `The wait endpoint answered ${JSON.stringify(body)}.`)
  deepStrictEqual(decoded.right, body)
}

export const openScene = async () => {
  const config = configFrom({
    DATABASE_URL: 'sqlite::memory:',
    SECRET_KEY: SECRET_KEY.toString('base64'),
  })
  const faults: string[] = []
  const log = openLog('warn', { write: (line) => void faults.push(line) })
  const {
    app,
    routes: mounted,
    stop,
  } = await compose(config, {
    baseUrl: BASE_URL,
    log,
    extensions: extensionsOf(config),
  })
  const fetch = async (url: string, init: RequestInit): Promise<Response> =>
    app.fetch(new Request(url, init))
  const shop = shopAt(BASE_URL, DEMO, fetch)
  const merchant = {
    ref: KEPT_MERCHANT,
    name: 'Kept',
    username: 'kept',
    password: 'kept',
    currency: 'EUR',
    products: 'i1',
  }
  const added = await fetch(`${BASE_URL}/console/merchants`, {
    method: 'POST',
    headers: { authorization: basic('operator', 'operator') },
    body: new URLSearchParams(merchant),
  })
  strictEqual(added.status, 201)
  let count = 0

  const place = (product: string | null = null): Promise<string> =>
    shop.place({ merchant: UNCALLED, ...(product && { product_code: product }) })

  /** Takes the order through screening and reveals the outcome. */
  const revealOutcome = async (orderRef: string, extra: Json = {}): Promise<Action> => {
    await shop.submit(orderRef, extra)
    await shop.advance(0)
    await shop.submit(orderRef, { ...extra, validation_code: CODE })
    await shop.advance(2)
    const action = await shop.submit(orderRef, extra)
    await shop.advance(0)
    return action
  }

  const reachPaying = async (
    product = 'fp1',
  ): Promise<{ readonly orderRef: string; readonly action: Action }> => {
    const orderRef = await place(product)
    await revealOutcome(orderRef)
    return { orderRef, action: await shop.wait(orderRef) }
  }

  // `/pay/<uuid>/<token>[/card/<card>|/3ds/<challenge>]`
  const payTarget = (orderRef: string, url: unknown): Target => {
    const [, , , token = '', , last = ''] = new URL(String(url)).pathname.split('/')
    return { orderRef, params: { uuid: orderRef, token, card: last, challenge: last } }
  }

  const reachConfirming = async (): Promise<Target> => {
    const orderRef = await place()
    await revealOutcome(orderRef)
    return { orderRef, params: { uuid: orderRef } }
  }

  const stages: { readonly [stage in Stage]: () => Promise<Target> } = {
    placed: async () => {
      const orderRef = await place()
      return { orderRef, params: { uuid: orderRef, ...OF_MERCHANT, id: `${orderRef}:1:notice` } }
    },
    identified: async () => {
      const orderRef = await place()
      await shop.submit(orderRef)
      await shop.advance(0)
      return { orderRef, params: { uuid: orderRef } }
    },
    confirming: reachConfirming,
    reviewing: async () => {
      const orderRef = await place()
      await revealOutcome(orderRef, { surnames: 'review event' })
      await shop.put(orderRef, { state: 'on_hold' })
      await shop.advance(0)
      return { orderRef, params: { uuid: orderRef } }
    },
    confirmed: async () => {
      const { orderRef } = await reachConfirming()
      count += 1
      const reference = `A/${count} ñ 100%25 %\n?#`
      await shop.put(orderRef, {
        state: 'confirmed',
        merchant_reference: { order_ref_1: reference },
      })
      await shop.advance(0)
      return { orderRef, params: { uuid: orderRef, ref: 'demo', order_ref_1: reference } }
    },
    paying: async () => {
      const { orderRef, action } = await reachPaying()
      return payTarget(orderRef, action.iframe_url)
    },
    'paying with a saved card': async () => {
      const first = await reachPaying()
      await shop.pay(first.action.iframe_url, SAVING)
      await shop.advance(0)
      const second = await reachPaying()
      const [card] = second.action.reusable_cards as readonly { readonly iframe_url: string }[]
      return payTarget(second.orderRef, card?.iframe_url)
    },
    challenged: async () => {
      const { orderRef, action } = await reachPaying()
      const { src } = await shop.pay(action.iframe_url, CHALLENGED_CARD)
      return payTarget(orderRef, src)
    },
    'in an ID session': async () => {
      const orderRef = await place()
      const action = await revealOutcome(orderRef, { surnames: 'identity event' })
      const [, , , token = ''] = new URL(
        String((await shop.wait(orderRef)).session_url ?? action.session_url),
      ).pathname //
        .split('/')
      return { orderRef, params: { uuid: orderRef, token, port: 'identity' } }
    },
  }

  const doNextStep = nextStep(shop)
  const document = (await (await fetch(`${BASE_URL}/openapi.json`, {})).json()) as OpenApiDocument

  return {
    app,
    /** The route table of the app, with its middleware. */
    mounted,
    document,
    routes: casesIn(document),
    faults,
    at: (stage: Stage): Promise<Target> => stages[stage](),
    send: (path: string, init: RequestInit): Promise<Response> => fetch(`${BASE_URL}${path}`, init),
    /** Everything that the merchant and the shopper can see of an order. */
    seen: async (orderRef: string) => ({
      order: await shop.order(orderRef),
      history: await shop.history(orderRef),
    }),
    /** Checks that an order still exists and says what to do next. */
    isThere: async (orderRef: string): Promise<void> => {
      deepStrictEqual((await shop.order(orderRef)).order_ref, orderRef)
      exactly(WaitAction, await shop.wait(orderRef))
    },
    /** Takes the order to its end in the usual way. Returns the last action. */
    finish: async (orderRef: string, identity: Json = {}): Promise<string> => {
      for (let turns = 0; turns < 40; turns++) {
        const action = await shop.wait(orderRef)
        exactly(WaitAction, action)
        if (!(await doNextStep(orderRef, action, identity))) {
          match(action.action, /^(finish|show_error|reject|show_conflict)$/)
          return action.action
        }
      }
      throw new Error(`The order comes to no end: ${JSON.stringify(await shop.history(orderRef))}`)
    },
    stop,
  }
}
