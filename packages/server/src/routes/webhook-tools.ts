// A merchant of the sandbox tests its webhooks here: it makes them go wrong by fault drills, and `plazo listen` gets deliveries to
// forward. The demo merchant's drills need no credentials. Contract §8, Fault drills and Forwarding.
import { type Drill, DrillPayload, type Drills, ForwardedAnswer, type Merchant } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import { type KnownError, requestError } from '../http/problem.ts'
import { decodeJson, limitBody } from '../http/request.ts'
import { respondStream } from '../live/event-stream.ts'
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
          TE.bindW('payload', () => decodeJson(c, DrillPayload)),
          TE.chainW(({ merchantRef, payload }) => drills.set(merchantRef, payload)),
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

const ANSWER_KIB_MAX = 512

const NOT_WAITING = requestError(404, 'No delivery with this number waits for an answer.')

export const listenRoutes = ({ streams, streamAccess, respond, sandbox }: SandboxServices) => {
  const { listeners } = sandbox.tools
  const own = (c: Context) =>
    pipe(
      streamAccess.merchant(c, null),
      TE.map(({ ref, username }) => ({ ref, username, number: Number(c.req.param('number')) })),
    )
  return new Hono()
    .get('/sandbox/listen', (c) =>
      pipe(
        own(c),
        respond(c, ({ ref, username }) => {
          const source = listeners.connect(ref, async () => E.isRight(await own(c)()))
          const answer = respondStream(c, streams, username, source)
          // Otherwise deliveries would wait for a listener that never comes.
          if (answer.status !== 200 || c.req.method === 'HEAD') source.onClose?.()
          return answer
        }),
      ),
    )
    .get('/sandbox/listen/:number', (c) =>
      pipe(
        own(c),
        TE.chainW(({ ref, number }) => TE.fromNullable(NOT_WAITING)(listeners.find(ref, number))),
        respond(c),
      ),
    )
    .post('/sandbox/listen/:number', limitBody(ANSWER_KIB_MAX), (c) =>
      pipe(
        own(c),
        TE.bindTo('by'),
        TE.bindW('answer', () => decodeJson(c, ForwardedAnswer)),
        TE.filterOrElseW(
          ({ by, answer }) => listeners.answer(by.ref, by.number, answer),
          () => NOT_WAITING,
        ),
        respond(c, () => c.body(null, 204)),
      ),
    )
}
