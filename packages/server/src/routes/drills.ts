// A merchant of the sandbox sets fault drills for its own webhooks here. The demo merchant's need no credentials. Contract §8.
import { type Drill, DrillPayload, type Drills, type Merchant } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type { MerchantAccess } from '../http/access.ts'
import type { KnownError } from '../http/problem.ts'
import { BODY_KIB_MAX, decode, jsonBody, limitBody } from '../http/request.ts'
import { DEMO_MERCHANT } from '../merchants/demo-merchant.ts'
import type { FaultDrills } from '../sandbox/fault-drills.ts'
import { type AnswerError, respond } from './answers.ts'

type MerchantRef = (c: Context) => TE.TaskEither<KnownError, Merchant['ref']>

export const drillRoutes = (drills: FaultDrills, access: MerchantAccess, answerError: AnswerError) => {
  const answer = (c: Context, set: TE.TaskEither<KnownError, readonly Drill[]>, status: 200 | 201 = 200) =>
    respond(c, answerError, set, (all) => c.json({ drills: all } satisfies Drills, status))

  const show = (of: MerchantRef) => (c: Context) => answer(c, pipe(of(c), TE.chainW(drills.list)))

  const setDrills = (of: MerchantRef) => (c: Context) =>
    answer(
      c,
      pipe(
        of(c),
        TE.bindTo('merchantRef'),
        TE.bindW('body', () => jsonBody(c)),
        TE.bindW('wish', ({ body }) => TE.fromEither(decode(DrillPayload, body))),
        TE.chainW(({ merchantRef, wish }) => drills.set(merchantRef, wish)),
      ),
      201,
    )

  const clear = (of: MerchantRef) => (c: Context) =>
    answer(
      c,
      pipe(
        of(c),
        TE.chainW((merchantRef) => drills.clear(merchantRef, c.req.query('id') || null)),
      ),
    )

  const own: MerchantRef = (c) =>
    pipe(
      access.merchant(c, c.req.query('merchant') || null),
      TE.map(({ ref }) => ref),
    )
  const demo: MerchantRef = () => TE.right(DEMO_MERCHANT)

  const routes = new Hono()
  for (const [path, of] of [
    ['/sandbox/drills', own],
    ['/sandbox/demo/drills', demo],
  ] as const)
    routes
      .get(path, show(of))
      .post(path, limitBody(BODY_KIB_MAX), setDrills(of))
      .delete(path, limitBody(BODY_KIB_MAX), clear(of))
  return routes
}
