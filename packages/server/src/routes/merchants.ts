// Merchants read their credentials here, above all the secret that verifies signatures. Interface §4.3, contract §3.

import type { Credentials, Merchant } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Hono } from 'hono'
import type { MerchantAccess } from '../merchant-access.ts'
import { type AnswerError, respond } from './answers.ts'

const credentials = ({ ref, name, country, currency, signatureSecret, sendActionEvents }: Merchant): Credentials => ({
  ref,
  name,
  country,
  currency,
  signature_secret: signatureSecret,
  verify_signature: true,
  options: { send_action_events_in_identification: sendActionEvents },
})

const PRIVATE = { 'cache-control': 'no-store' }

export const merchantRoutes = (access: MerchantAccess, answerError: AnswerError) =>
  new Hono()
    .get('/merchants/credentials', (c) =>
      respond(c, answerError, access.account(c), (merchants) => c.json(merchants.map(credentials), 200, PRIVATE)),
    )
    .get('/merchants/:ref/credentials', (c) =>
      respond(c, answerError, pipe(access.merchant(c, c.req.param('ref')), TE.map(credentials)), (own) =>
        c.json(own, 200, PRIVATE),
      ),
    )
