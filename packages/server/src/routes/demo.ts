// The demo merchant's own endpoints, so that a checkout finishes with nothing else running. Contract §7.
import {
  cancelled,
  inMemoryIdempotencyStore,
  type MerchantHandlers,
  merchantReceiver,
  taken,
} from '@plazo/adapters/merchant'
import type { Merchants, WireNames } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import { DEMO_MERCHANT } from '../demo-merchant.ts'
import type { ErrorReporter } from '../log/faults.ts'
import type { AnswerError } from './answers.ts'

const ignore = (): void => {}

export const demoRoutes = (
  merchants: Merchants,
  names: WireNames,
  errorReporter: ErrorReporter,
  answerError: AnswerError,
) => {
  const receiver = (on: MerchantHandlers) => {
    const idempotencyStore = inMemoryIdempotencyStore()
    return (c: Context): Promise<Response> =>
      pipe(
        merchants.find(DEMO_MERCHANT),
        TE.matchE(
          (error) => async () => answerError(c, error),
          (demo) => () => {
            const secrets = () => (demo === null ? [] : [demo.signatureSecret])
            return merchantReceiver({ secrets, names, on, idempotencyStore, onError: errorReporter.report })(c.req.raw)
          },
        ),
      )()
  }
  const receiveIpn = receiver({ ipn: taken })
  const receiveEvent = receiver({
    cancelled: ignore,
    denied: ignore,
    risk_assessment: ignore,
    identification_action: ignore,
    cancel: cancelled,
  })

  return new Hono()
    .post('/demo/notify', receiveIpn)
    .post('/demo/events', receiveEvent)
    .get('/demo/return', (c) => c.text('The shop’s own page: the checkout is finished.'))
}
