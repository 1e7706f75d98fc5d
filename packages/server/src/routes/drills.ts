// A merchant of the sandbox sets fault drills for its own webhooks here. The demo merchant's need no credentials. Contract §8.
import { type Drill, DrillPayload, type Drills, type Merchant } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type { KnownError } from '../http/problem.ts'
import { decodeJson, limitBody } from '../http/request.ts'
import { DEMO_MERCHANT } from '../merchants/demo-merchant.ts'
import type { SandboxServices } from './services.ts'

type FindMerchant = (c: Context) => TE.TaskEither<KnownError, Merchant['ref']>

export const drillRoutes = ({ access, respond, sandbox }: SandboxServices) => {
  const { drills } = sandbox.tools

  const respondDrills = (c: Context, status: 200 | 201) =>
    respond(c, (all: readonly Drill[]) => c.json({ drills: all } satisfies Drills, status))

  const own: FindMerchant = (c) =>
    pipe(
      access.merchant(c, c.req.query('merchant') || null),
      TE.map(({ ref }) => ref),
    )
  const demo: FindMerchant = () => TE.right(DEMO_MERCHANT)

  const routes = new Hono()
  for (const [path, merchantOf] of [
    ['/sandbox/drills', own],
    ['/sandbox/demo/drills', demo],
  ] as const)
    routes
      .get(path, (c) => pipe(merchantOf(c), TE.chainW(drills.list), respondDrills(c, 200)))
      .post(path, limitBody(), (c) =>
        pipe(
          merchantOf(c),
          TE.bindTo('merchantRef'),
          TE.bindW('wish', () => decodeJson(c, DrillPayload)),
          TE.chainW(({ merchantRef, wish }) => drills.set(merchantRef, wish)),
          respondDrills(c, 201),
        ),
      )
      .delete(path, limitBody(), (c) =>
        pipe(
          merchantOf(c),
          TE.chainW((merchantRef) => drills.clear(merchantRef, c.req.query('id') || null)),
          respondDrills(c, 200),
        ),
      )
  return routes
}
