// The connection of `plazo listen`: a stream of deliveries to forward, and their answers. Contract §8, Forwarding.
import { ForwardedAnswer } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type { MerchantAccess } from '../http/access.ts'
import { requestError } from '../http/problem.ts'
import { decode, jsonBody, limitBody } from '../http/request.ts'
import type { EventStreams } from '../live/event-stream.ts'
import { respondStream } from '../live/respond-stream.ts'
import type { Listeners } from '../sandbox/listeners.ts'
import { type AnswerError, respond } from './answers.ts'

const ANSWER_KIB_MAX = 512

const NOT_WAITING = requestError(404, 'No delivery with this number waits for an answer.')

/** `access` must not limit the account's reads: the stream stays open for hours. */
export const listenRoutes = (
  listeners: Listeners,
  streams: EventStreams,
  access: MerchantAccess,
  answerError: AnswerError,
) => {
  const own = (c: Context) =>
    pipe(
      access.merchant(c, null),
      TE.map(({ ref, username }) => ({ ref, username, number: Number(c.req.param('number')) })),
    )
  return new Hono()
    .get('/sandbox/listen', (c) =>
      respond(c, answerError, own(c), ({ ref, username }) => {
        const source = listeners.connect(ref, async () => E.isRight(await own(c)()))
        const answer = respondStream(c, streams, username, source)
        // Otherwise deliveries would wait for a listener that never comes.
        if (answer.status !== 200 || c.req.method === 'HEAD') source.onClose?.()
        return answer
      }),
    )
    .get('/sandbox/listen/:number', (c) =>
      respond(
        c,
        answerError,
        pipe(
          own(c),
          TE.chainW(({ ref, number }) => TE.fromNullable(NOT_WAITING)(listeners.find(ref, number))),
        ),
        (delivery) => c.json(delivery),
      ),
    )
    .post('/sandbox/listen/:number', limitBody(ANSWER_KIB_MAX), (c) =>
      respond(
        c,
        answerError,
        pipe(
          own(c),
          TE.bindTo('by'),
          TE.bindW('body', () => jsonBody(c)),
          TE.bindW('answer', ({ body }) => TE.fromEither(decode(ForwardedAnswer, body))),
          TE.filterOrElseW(
            ({ by, answer }) => listeners.answer(by.ref, by.number, answer),
            () => NOT_WAITING,
          ),
        ),
        () => c.body(null, 204),
      ),
    )
}
