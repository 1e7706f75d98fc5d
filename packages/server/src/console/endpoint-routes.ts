// An operator sees here which shops fail, and sends their deliveries again.
import { previewRecovery, recoverDeliveries } from '@plazo/core'
import type { Endpoint, Unavailable } from '@plazo/core/ports'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as R from 'fp-ts/lib/Record.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import * as t from 'io-ts'
import { wantsPage } from '../http/answers.ts'
import { formBody } from '../http/body.ts'
import { yieldToEventLoop } from '../http/event-loop.ts'
import { type KnownError, type RequestError, requestError } from '../http/problem.ts'
import { invalidValue } from '../http/request.ts'
import { answer, bodyOf, form, PAGE, query, type Route, route } from '../http/route.ts'
import {
  type EndpointOnPage,
  endpointPage,
  endpointsPage,
  KIND_TITLES,
  type Recovery,
} from './endpoint-pages.ts'
import { endpointReader, KINDS } from './endpoint-reader.ts'
import type { ConsoleServices } from './frame.ts'
import { countWords } from './words.ts'

const ORDERS_NAMED = 10

const PATH = '/console/endpoints'
const UNKNOWN = requestError(404, 'Endpoint not found.')

type Kind = Endpoint['kind']

const asKnownError: <A>(read: TE.TaskEither<Unavailable, A>) => TE.TaskEither<KnownError, A> =
  TE.mapLeft((error): KnownError => error)

const kindIn = (c: Context): E.Either<RequestError, Kind> => {
  const kind = KINDS.find((each) => each === c.req.param('kind'))
  return kind === undefined ? E.left(UNKNOWN) : E.right(kind)
}

export const endpointRoutes = ({
  host,
  merchants,
  byOperator: access,
  showConsole,
}: ConsoleServices): readonly Route[] => {
  const { store, clock } = host
  const reader = endpointReader(host)

  const readRecovery = (merchantRef: string, since: string): TE.TaskEither<KnownError, Recovery> =>
    pipe(
      previewRecovery(store)(merchantRef, Date.parse(`${since}Z`)),
      TE.bindTo('preview'),
      TE.bindW('orders', ({ preview }) =>
        TE.traverseArray(store.read)(preview.orderRefs.slice(0, ORDERS_NAMED)),
      ),
      TE.bimap(
        (error): KnownError => (error._tag === 'Unavailable' ? error : UNKNOWN),
        ({ preview, orders }) => ({
          since,
          count: countWords(preview, 'delivery', 'deliveries'),
          orders: orders.map(({ placed, context }) => ({
            orderRef: placed.orderRef,
            reference: context.references.first || placed.orderRef,
          })),
        }),
      ),
    )

  const readPage = (c: Context, kind: Kind): TE.TaskEither<KnownError, EndpointOnPage> => {
    const ref = c.req.param('merchant') ?? ''
    const since = c.req.query('recover') ?? ''
    return pipe(
      merchants.find(ref),
      TE.chainW(TE.fromNullable<KnownError>(UNKNOWN)),
      // At once, because each is several statements.
      TE.chain(() =>
        sequenceS(TE.ApplicativePar)({
          endpoint: asKnownError(reader.find(ref, kind)),
          saveable: asKnownError(reader.countSaveable(ref)),
          recovery: since === '' ? TE.right(null) : readRecovery(ref, since),
        }),
      ),
      TE.map((page) => ({ ...page, now: clock.now() })),
    )
  }

  const anEndpoint = { ...access, load: (c: Context) => TE.fromEither(kindIn(c)) }

  const change = (
    name: string,
    id: string,
    summary: string,
    example: Readonly<Record<string, string>>,
    apply: (
      merchantRef: string,
      kind: Kind,
      form: Readonly<Record<string, string>>,
    ) => TE.TaskEither<KnownError, unknown>,
  ): Route =>
    route(`POST ${PATH}/:merchant/:kind/${name}`, id, summary, {
      access: anEndpoint,
      errors: 'page',
      ...(R.isEmpty(example)
        ? {}
        : {
            body: bodyOf(form(t.type(R.map(() => t.string)(example)), { example }), (c) =>
              formBody(c, Object.keys(example)),
            ),
          }),
      status: 204,
      ok: answer<unknown>('Done.'),
      answers: { 303: answer('To the endpoint’s page.', undefined, { Location: 'The page.' }) },
      problems: { 400: 'A field is invalid.', 404: UNKNOWN.detail },
      handle: (kind, values, c) => {
        const ref = c.req.param('merchant') ?? ''
        return pipe(
          merchants.find(ref),
          TE.chainW(TE.fromNullable<KnownError>(UNKNOWN)),
          TE.chainW(() => apply(ref, kind, values)),
          TE.map(() => (wantsPage(c) ? c.redirect(`../${kind}?done=${name}`, 303) : undefined)),
        )
      },
    })

  return [
    route(`GET ${PATH}`, 'showEndpoints', 'Show which shops fail', {
      access,
      errors: 'page',
      description: 'Shows the endpoints of shops, failing ones first, with what they answer.',
      ok: PAGE,
      handle: (_access, _body, c) =>
        pipe(
          reader.list,
          TE.chainTaskK((list) => () => {
            const body = endpointsPage(list, clock.now())
            return showConsole(c, { title: 'Endpoints', area: 'endpoints', body })
          }),
        ),
    }),
    route(`GET ${PATH}/:merchant/:kind`, 'showEndpoint', 'Show one endpoint of a shop', {
      access: anEndpoint,
      errors: 'page',
      description: 'kind is ipn or event.',
      parameters: { recover: query('Preview a recovery since this instant, in UTC.') },
      ok: PAGE,
      problems: { 404: UNKNOWN.detail },
      handle: (kind, _body, c) => {
        const since = c.req.query('recover') ?? ''
        if (since !== '' && Number.isNaN(Date.parse(`${since}Z`)))
          return TE.left(invalidValue('recover', since, 'an instant such as 2026-01-31T12:00'))
        return pipe(
          readPage(c, kind),
          TE.chainTaskK((page) => () => {
            const { merchantRef } = page.endpoint
            const title = `${merchantRef} ${KIND_TITLES[kind]}`
            const body = endpointPage(page, kind, c.req.query('done') ?? '')
            return showConsole(c, { title, area: 'endpoints', body })
          }),
        )
      },
    }),
    change(
      'recover',
      'recoverEndpoint',
      'Send a merchant’s deliveries again that were not accepted',
      { since: '2026-01-31T12:00' },
      (ref, _kind, { since = '' }) => {
        const at = Date.parse(`${since}Z`)
        return Number.isNaN(at)
          ? TE.left(invalidValue('since', since, 'an instant such as 2026-01-31T12:00'))
          : recoverDeliveries(host)({
              merchantRef: ref,
              since: at,
              onProgress: yieldToEventLoop,
            })
      },
    ),
  ]
}
