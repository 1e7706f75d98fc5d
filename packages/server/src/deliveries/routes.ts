// Merchants list their deliveries here, with every attempt, and have them sent again. Contract §3,
// Deliveries.
import { exampleView, listEncodedDeliveries, recoverDeliveries, sendExample } from '@plazo/core'
import type { DeliveryFilter } from '@plazo/core/ports'
import {
  DeliveryStateName,
  ExamplePayload,
  PAGE_LIMIT_MAX,
  PageLimit,
  RecoverPayload,
  type RecoveryView,
  type ResendView,
} from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type * as t from 'io-ts'
import { decodeJson, limitBody } from '../http/body.ts'
import {
  type AttemptFaults,
  encodeDelivery,
  joinAsArray,
  respondWithChunks,
} from '../http/chunked-json.ts'
import { yieldToEventLoop } from '../http/event-loop.ts'
import { concurrencyLimit } from '../http/limits/concurrency-limit.ts'
import { type RequestError, requestError } from '../http/problem.ts'
import { invalidValue } from '../http/request.ts'
import type { Services } from '../http/services.ts'

const PATH = '/merchants/:ref/deliveries'

// As many at once as events of one merchant in flight, by default: each may take 30 s. All accounts
// together have a limit too, so that a hundred accounts do not open thousands of connections.
const EXAMPLE_LIMITS = { maxConcurrent: 4, maxWaiting: 60, maxTotal: 64 }

/** Null if the query does not have it. */
const readQuery = <A>(
  c: Context,
  name: string,
  codec: t.Type<A>,
): E.Either<RequestError, A | null> => {
  const value: unknown = c.req.query(name) ?? ''
  if (value === '') return E.right(null)
  return codec.is(value) ? E.right(value) : E.left(invalidValue(name, value, codec.name))
}

const readFilter = (c: Context, merchantRef: string): E.Either<RequestError, DeliveryFilter> =>
  pipe(
    E.Do,
    E.bind('state', () => readQuery(c, 'state', DeliveryStateName)),
    E.bind('limit', () => readQuery(c, 'limit', PageLimit)),
    E.map(({ state, limit }) => ({
      merchantRef,
      state,
      limit: Number(limit ?? PAGE_LIMIT_MAX),
      orderRef: c.req.query('order_ref')?.toLowerCase() || null,
      before: c.req.query('before') || null,
    })),
  )

// RFC 8288: a client follows the link as it is, without knowing how to ask for a page.
const nextLink = (c: Context, url: string, before: string): string => {
  const filters = ['order_ref', 'state', 'limit'].flatMap((name): [string, string][] => {
    const value = c.req.query(name)
    return value ? [[name, value]] : []
  })
  return `<${url}?${new URLSearchParams([...filters, ['before', before]])}>; rel="next"`
}

export const deliveryRoutes = ({
  host,
  access,
  gateway,
  urls,
  baseUrl,
  sandbox,
  respond,
}: Services) => {
  const { deliveries } = host.store
  const list = (faultsOf?: AttemptFaults) =>
    listEncodedDeliveries({
      deliveries,
      encode: (delivery) => encodeDelivery(delivery, faultsOf),
      pause: yieldToEventLoop,
    })
  const recover = recoverDeliveries(host)
  const example = sendExample({ ...host, gateway, checkUrl: urls.checkUrl })
  const examples = concurrencyLimit(EXAMPLE_LIMITS)

  const limitExamples =
    <Err, A>(account: string, work: TE.TaskEither<Err, A>): TE.TaskEither<Err | RequestError, A> =>
    async () => {
      const release = await examples.acquire(account)
      if (release === null)
        return E.left(requestError(429, 'Too many examples are being sent for this merchant.', 1))
      try {
        return await work()
      } finally {
        release()
      }
    }

  const merchantOf = (c: Context) => access.merchant(c, c.req.param('ref') ?? '')

  return new Hono()
    .get(PATH, (c) =>
      pipe(
        merchantOf(c),
        TE.bindW('filter', ({ ref }) => TE.fromEither(readFilter(c, ref))),
        TE.bindW(
          'faultsOf',
          ({ ref }) => sandbox?.tools.drills.attemptFaults(ref) ?? TE.right(undefined),
        ),
        TE.bindW('page', ({ filter, faultsOf }) =>
          pipe(
            list(faultsOf)(filter),
            TE.mapLeft((error) =>
              error._tag === 'DeliveryNotFound'
                ? invalidValue('before', filter.before, 'the id of a delivery of the merchant')
                : error,
            ),
          ),
        ),
        respond(c, ({ ref, page: { deliveries: listed, next } }) =>
          respondWithChunks(
            c,
            joinAsArray(listed),
            next === null
              ? {}
              : {
                  link: nextLink(
                    c,
                    `${baseUrl}/merchants/${encodeURIComponent(ref)}/deliveries`,
                    next,
                  ),
                },
          ),
        ),
      ),
    )
    .post(`${PATH}/:id/resend`, limitBody(), (c) =>
      pipe(
        merchantOf(c),
        TE.chainW(({ ref }) => deliveries.resend(ref, c.req.param('id'), host.clock.now())),
        respond(c, () =>
          c.json({ id: c.req.param('id') } satisfies t.TypeOf<typeof ResendView>, 202),
        ),
      ),
    )
    .post(`${PATH}/recover`, limitBody(), (c) =>
      pipe(
        merchantOf(c),
        TE.bindW('payload', () => decodeJson(c, RecoverPayload)),
        TE.chainW(({ ref, payload: { since } }) =>
          recover({ merchantRef: ref, since, onProgress: yieldToEventLoop }),
        ),
        respond(c, (count) => c.json({ count } satisfies t.TypeOf<typeof RecoveryView>, 202)),
      ),
    )
    .post(`${PATH}/example`, limitBody(), (c) =>
      pipe(
        merchantOf(c),
        TE.bindW('payload', () => decodeJson(c, ExamplePayload)),
        TE.chainW(({ ref, username, payload: { event, url } }) =>
          limitExamples(username, example(ref, event, url)),
        ),
        TE.map(exampleView),
        respond(c),
      ),
    )
}
