import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { ORDER_REF } from '../../docs/openapi/examples.ts'
import { requireProgram } from '../../http/browser-security.ts'
import { requestError } from '../../http/problem.ts'
import {
  accessBy,
  answer,
  EVENT_STREAM,
  jsonAnswer,
  jsonBodyOf,
  type Route,
  route,
} from '../../http/route.ts'
import { respondStream } from '../../http/stream.ts'
import type { SandboxServices } from '../services.ts'
import { ForwardedAnswer, ForwardedDelivery } from './protocol.ts'

const DELIVERY: ForwardedDelivery = {
  number: 1,
  endpoint: 'events',
  event: 'denied',
  url: 'https://shop.example/events',
  headers: { 'Webhook-Id': `${ORDER_REF}:7:notice` },
  body: `event=denied&order_ref=${ORDER_REF}`,
}

const NOT_WAITING = requestError(404, 'No delivery with this number waits for an answer.')

/** `plazo listen` calls these. They are also for a developer's own tools. */
export const listenRoutes = ({
  setting,
  streams,
  streamAccess,
  byAccount,
  sandbox,
}: SandboxServices): readonly Route[] => {
  const { listeners } = sandbox.tools
  const { parameters } = byAccount
  const findMerchant = (c: Context) =>
    pipe(
      streamAccess.merchant(c, null),
      TE.let('number', () => Number(c.req.param('number'))),
    )
  const access = accessBy('merchant', findMerchant, parameters)
  const isProgram = requireProgram(setting.baseUrl)
  const problems = { 404: NOT_WAITING.detail }
  return [
    route(
      'GET /sandbox/listen',
      'listen',
      'Receive the merchant’s deliveries over this connection',
      {
        access: accessBy(
          'merchant',
          (c) =>
            pipe(
              TE.fromEither(isProgram(c)),
              TE.chainW(() => findMerchant(c)),
            ),
          parameters,
        ),
        isSampled: false,
        description:
          'Server-sent events of type delivery, with the number of each. While the stream is open, nothing is sent to the URLs of the merchant. A browser’s window gets 403.',
        ok: answer('The stream.', EVENT_STREAM),
        problems: { 400: 'after is not a number.', 429: 'Too many streams are open.' },
        handle: ({ ref, username }, _, c) => {
          const source = listeners.connect(ref, async () => E.isRight(await findMerchant(c)()))
          const stream = respondStream(c, streams, username, source)
          // Otherwise deliveries would wait for a listener that never comes.
          if (stream.status !== 200 || c.req.method === 'HEAD') source.onClose?.()
          return stream
        },
      },
    ),
    route(
      'GET /sandbox/listen/:number',
      'showForwarded',
      'Get a delivery that waits for an answer',
      {
        access,
        isSampled: false,
        ok: jsonAnswer('The delivery.', ForwardedDelivery, { 'an event': DELIVERY }),
        problems,
        handle: ({ ref, number }) => TE.fromNullable(NOT_WAITING)(listeners.find(ref, number)),
      },
    ),
    route('POST /sandbox/listen/:number', 'answerForwarded', 'Answer a delivery', {
      access,
      isSampled: false,
      body: jsonBodyOf(ForwardedAnswer, { accepted: { status: 200, body: '' } }),
      kibMax: 512,
      status: 204,
      ok: answer<unknown>('The attempt has this answer.'),
      problems: { 400: 'The body is invalid.', ...problems },
      handle: ({ ref, number }, forwarded) =>
        listeners.answer(ref, number, forwarded) ? TE.right(undefined) : TE.left(NOT_WAITING),
    }),
  ]
}
