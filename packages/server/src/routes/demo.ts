// The demo merchant's own receivers, so that a checkout finishes with nothing else running. Contract §7.
import { cancelled, type MerchantHandlers, merchantReceiver, taken } from '@plazo/adapters/merchant'
import type { Merchants, WireNames } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { Hono } from 'hono'
import type { Faults } from '../log/faults.ts'

export const DEMO_MERCHANT = 'demo'

const noted = (): void => {}

export const demoRoutes = (merchants: Merchants, names: WireNames, faults: Faults) => {
  const secrets = async (): Promise<readonly string[]> => {
    const demo = await merchants.find(DEMO_MERCHANT)()
    if (E.isLeft(demo)) throw new Error(demo.left.message)
    return demo.right === null ? [] : [demo.right.signatureSecret]
  }
  const receiver = (on: MerchantHandlers) => merchantReceiver({ secrets, names, on, onError: faults.thrown })
  const notified = receiver({ ipn: taken })
  const told = receiver({
    cancelled: noted,
    denied: noted,
    risk_assessment: noted,
    identification_action: noted,
    cancel: cancelled,
  })

  return new Hono()
    .post('/demo/notify', (c) => notified(c.req.raw))
    .post('/demo/events', (c) => told(c.req.raw))
    .get('/demo/return', (c) => c.text('The shop’s own page: the checkout is finished.'))
}
