// Runs the whole service in process, on a database in memory, and brings orders into the state that
// a route needs.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { WaitAction } from '@plazo/core/protocol'
import { openLog } from '@plazo/server'
import * as E from 'fp-ts/lib/Either.js'
import type { OpenApiDocument } from '../../../packages/server/src/api/docs/openapi/document.ts'
import { type Stage, type Target, targetsOf } from '../../end-to-end/stages.ts'
import { composeInMode, configFrom } from '../../harness/config.ts'
import { basic, DEMO, shopAt } from '../../harness/shop.ts'
import { callsOf, casesOf } from './routes.ts'

const BASE_URL = 'http://localhost:3000'
/** Providers' secrets are derived from this key. */
export const SECRET_KEY = Buffer.alloc(32, 5)

// Without merchant URLs, nothing is ever called, and only a PUT confirms.
const UNCALLED = { notify_url: null, events_webhook: null }

// A merchant whose secret may be rotated without affecting the others.
const KEPT_MERCHANT = 'kept'

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
  } = await composeInMode(config, {
    baseUrl: BASE_URL,
    log,
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
  strictEqual(added.status, 303)
  const targets = targetsOf(shop, { merchant: UNCALLED })
  const document = (await (await fetch(`${BASE_URL}/openapi.json`, {})).json()) as OpenApiDocument

  return {
    app,
    document,
    calls: callsOf(mounted),
    routes: casesOf(document, mounted),
    faults,
    at: async (stage: Stage): Promise<Target> => {
      const { orderRef, params } = await targets[stage]()
      const others = {
        kind: 'ipn',
        ref: 'demo',
        order_ref_1: 'none',
        merchant: KEPT_MERCHANT,
        name: 'approve',
      }
      return { orderRef, params: { id: `${orderRef}:1:notice`, ...others, ...params } }
    },
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
    stop,
  }
}
