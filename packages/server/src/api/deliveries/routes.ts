// Merchants list their deliveries here, with every attempt, and have them sent again. Contract §3,
// Deliveries.
import { setImmediate as endOfTurn } from 'node:timers/promises'
import {
  DeliveryStateName,
  DeliveryView,
  deliveryView,
  ExamplePayload,
  ExampleView,
  exampleView,
  listDeliveries,
  PAGE_LIMIT_MAX,
  PageLimit,
  RecoverPayload,
  RecoveryView,
  ResendView,
  recoverDeliveries,
  sendExample,
} from '@plazo/core/internal'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import { concurrencyLimit } from '../../http/limits/concurrency-limit.ts'
import { refused } from '../../http/problem.ts'
import { decode, invalidValue } from '../../http/request.ts'
import { answer, json, jsonAnswer, jsonBodyOf, type Route, route, value } from '../../http/route.ts'
import type { Services } from '../../http/services.ts'
import { AT, ORDER_REF } from '../docs/openapi/examples.ts'
import { answerPage, codecOf, parametersOf, textsIn } from '../list-query.ts'

const PATH = '/merchants/:ref/deliveries'

// As many at once as events of one merchant in flight: each may take 30 s.
const EXAMPLES_MAX = 4
const TOO_MANY_EXAMPLES = `At most ${EXAMPLES_MAX} examples of one account are sent at once. Try again in a second.`

const QUERY = {
  order_ref: ['Only of this order.', t.string],
  state: ['Only of this state.', DeliveryStateName],
  before: ['Only deliveries older than the one with this id.', t.string],
  limit: [`At most this many, the newest, and at most ${PAGE_LIMIT_MAX}.`, PageLimit],
} as const

const Query = codecOf(QUERY)

const attempt = { duration_ms: 12, status: 200, error: null, error_reason: null, response: '' }

const delivery: DeliveryView = {
  id: `${ORDER_REF}:7:ipn`,
  event: 'ipn',
  order_ref: ORDER_REF,
  state: 'delivered',
  due_at: null,
  attempts: [{ n: 1, trigger: 'schedule', started_at: AT, outcome: 'accepted', ...attempt }],
}

export const deliveryRoutes = ({
  host,
  byMerchant: access,
  gateway,
  urls,
  setting,
}: Services): readonly Route[] => {
  const { deliveries } = host.store
  const list = listDeliveries(host.store)
  const recover = recoverDeliveries(host)
  const example = sendExample({ ...host, gateway, checkUrl: urls.checkUrl })
  const beginExample = concurrencyLimit(EXAMPLES_MAX)
  const { shop } = setting

  return [
    route(`GET ${PATH}`, 'listDeliveries', 'List deliveries with every attempt', {
      access,
      description: `The newest ${PAGE_LIMIT_MAX}, newest last. The header Link leads to older ones. A page has at most 2 MiB, or a single delivery. Only the last attempt of a delivery has its response, and at most 4 KiB of it.`,
      parameters: parametersOf(QUERY),
      ok: answer('The deliveries.', json(t.readonlyArray(DeliveryView), { 'an IPN': [delivery] }), {
        Link: 'If there are older ones: their address, with rel="next".',
      }),
      problems: { 400: 'Invalid state, limit or before, or an unknown parameter.' },
      handle: async ({ ref }, _, c) => {
        const query = decode(Query, textsIn(c, QUERY))
        const { order_ref, state = null, before = null, limit = PAGE_LIMIT_MAX } = query
        const { deliveries: listed, next } = await value(
          pipe(
            list({
              merchantRef: ref,
              orderRef: order_ref?.toLowerCase() ?? null,
              state,
              before,
              limit: Number(limit),
            }),
            TE.mapLeft((error) =>
              error._tag === 'DeliveryNotFound'
                ? invalidValue('before', before, 'the id of a delivery of the merchant').error
                : error,
            ),
          ),
        )
        const url = `${setting.baseUrl}/merchants/${encodeURIComponent(ref)}/deliveries`
        return answerPage(c, url, listed.map(deliveryView), next === null ? null : { before: next })
      },
    }),
    route(`GET ${PATH}/:id`, 'showDelivery', 'Get a delivery with every answer', {
      access,
      description: 'Its last 50 attempts have their responses, up to 16 KiB of each.',
      ok: jsonAnswer('The delivery.', DeliveryView, { 'an IPN': delivery }),
      problems: { 404: 'Delivery not found.' },
      handle: async ({ ref }, _, c) =>
        deliveryView(await value(deliveries.find(ref, c.req.param('id')))),
    }),
    route(`POST ${PATH}/:id/resend`, 'resendDelivery', 'Send a delivery again', {
      access,
      description:
        'A pending delivery is tried again now. Any other delivery is sent once more, outside its schedule. Its answer counts only while the order still waits for it.',
      status: 202,
      ok: jsonAnswer('The delivery will be sent.', ResendView, { resent: { id: delivery.id } }),
      problems: {
        404: 'Delivery not found.',
        409: 'The shopper’s data was erased, including this message.',
      },
      handle: async ({ ref }, _, c) => {
        const id = c.req.param('id')
        await value(deliveries.resend(ref, id, host.clock.now()))
        return { id }
      },
    }),
    route(
      `POST ${PATH}/recover`,
      'recoverDeliveries',
      'Resend all deliveries not accepted since an instant',
      {
        access,
        body: jsonBodyOf(RecoverPayload, { 'since an instant': { since: '2026-01-31T12:00:00Z' } }),
        status: 202,
        ok: jsonAnswer('The number of deliveries that are sent again.', RecoveryView, {
          two: { count: 2 },
        }),
        problems: { 400: 'The body or since is invalid.' },
        handle: async ({ ref }, { since }) => ({
          count: await value(recover({ merchantRef: ref, since, onProgress: () => endOfTurn() })),
        }),
      },
    ),
    route(`POST ${PATH}/example`, 'sendExample', 'Test a receiver with a signed example', {
      access,
      description:
        'Sends one request about an invented order. Nothing is stored. With a fault, the answer is that to the last request.',
      body: jsonBodyOf(ExamplePayload, {
        'a cancel request': { event: 'cancel', url: `${shop}/events` },
        'an IPN': { event: 'ipn', url: `${shop}/notify` },
        'an IPN with a wrong signature': {
          event: 'ipn',
          url: `${shop}/notify`,
          fault: 'wrong_signature',
        },
      }),
      ok: jsonAnswer('The receiver’s response.', ExampleView, {
        accepted: {
          id: `${ORDER_REF}:1:example`,
          event: 'denied',
          url: `${shop}/events`,
          body: `charset=UTF-8&utf8=%E2%88%9A&event=denied&order_ref_1=EXAMPLE-1&order_ref_2=&order_ref=${ORDER_REF}`,
          outcome: 'accepted',
          ...attempt,
        },
      }),
      problems: {
        400: 'The body, event or url is invalid.',
        409: 'The service does not call this URL.',
      },
      handle: async ({ ref, username }, { event, url, fault }) => {
        const end = beginExample(username)
        if (end === null) throw refused(429, TOO_MANY_EXAMPLES, 1)
        try {
          return exampleView(await value(example(ref, event, url, fault ?? null)))
        } finally {
          end()
        }
      },
    }),
  ]
}
