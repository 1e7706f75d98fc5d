// Receives the later answers of providers: signed callbacks, one path for each port. docs/providers.md.

import { verifyCallback } from '@plazo/adapters/provider'
import {
  type CallbackView,
  decodeCallback,
  type Host,
  PROVIDER_PORTS,
  type ProviderPort,
  parseAnswer,
  recordProviderCallback,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type * as t from 'io-ts'
import { type RequestError, requestError } from '../http/problem.ts'
import { BODY_KIB_MAX, bodyBytes, isJsonRequest, limitBody } from '../http/request.ts'
import { type AnswerError, respond } from './answers.ts'

const readPort = (c: Context): E.Either<RequestError, ProviderPort> =>
  pipe(
    PROVIDER_PORTS.find((port) => port === c.req.param('port')),
    E.fromNullable(requestError(404, `Unknown port. Use one of: ${PROVIDER_PORTS.join(', ')}.`)),
  )

const parseBody = (text: string): E.Either<RequestError, unknown> => {
  const body = parseAnswer(text)
  return body === undefined ? E.left(requestError(400, 'The body is not JSON.')) : E.right(body)
}

export const providerRoutes = (
  host: Host,
  secretsOf: (port: ProviderPort) => readonly string[],
  answerError: AnswerError,
) => {
  const record = recordProviderCallback(host)
  const secrets = new Map(PROVIDER_PORTS.map((port) => [port, secretsOf(port)]))

  /** Looks only at the size and type of a request until its signature is verified. */
  const readAuthenticBody = (c: Context, port: ProviderPort): TE.TaskEither<RequestError, string> =>
    pipe(
      isJsonRequest(c) ? TE.right(c) : TE.left(requestError(415, 'The body must be application/json.')),
      TE.chain(bodyBytes),
      TE.chainEitherK((bytes) =>
        pipe(
          verifyCallback(secrets.get(port) ?? [], Date.now, { headers: c.req.raw.headers, bytes }),
          E.mapLeft((detail) => requestError(401, detail)),
        ),
      ),
    )

  return new Hono().post('/providers/:port', limitBody(BODY_KIB_MAX), (c) =>
    respond(
      c,
      // A callback needs a signature, not a password.
      (context, error) => {
        const answer = answerError(context, error)
        if (answer.status === 401) answer.headers.set('www-authenticate', 'Webhook-Signature')
        return answer
      },
      pipe(
        TE.fromEither(readPort(c)),
        TE.bindTo('port'),
        TE.bindW('text', ({ port }) => readAuthenticBody(c, port)),
        TE.bindW('body', ({ text }) => TE.fromEither(parseBody(text))),
        TE.bindW('told', ({ port, body }) =>
          pipe(
            decodeCallback(port)(body),
            E.mapLeft((sentences) => requestError(400, sentences.join(' '))),
            TE.fromEither,
          ),
        ),
        TE.chainW(({ told }) => record(told)),
      ),
      (taken) => c.json({ taken } satisfies t.TypeOf<typeof CallbackView>, 200, { 'cache-control': 'no-store' }),
    ),
  )
}
