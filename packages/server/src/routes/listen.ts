// The connection of `plazo listen`: a stream of deliveries to forward, and their answers. Contract §8, Forwarding.
import { ForwardedAnswer } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import { requestError } from '../http/problem.ts'
import { decodeJson, limitBody } from '../http/request.ts'
import { respondStream } from '../live/event-stream.ts'
import type { SandboxServices } from './services.ts'

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
        respond(c, (delivery) => c.json(delivery)),
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
