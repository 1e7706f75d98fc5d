// An operator sees here which shops fail, pauses their deliveries, and sends them again.
import { ANY_ORDER, type OrderFilter, recoverDeliveries } from '@plazo/core'
import type { Endpoint } from '@plazo/core/ports'
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
import type { Services } from '../http/services.ts'
import { healthOf, WEEK_MILLIS } from './endpoint-health.ts'
import {
  type EndpointOnPage,
  endpointPage,
  endpointsPage,
  KIND_TITLES,
  type ListedEndpoint,
  type Recovery,
} from './endpoint-pages.ts'
import { countWords } from './words.ts'

const SHOWN_MAX = 100
const HOUR = 3_600_000
const PAUSE_HOURS_MAX = 24

const PATH = '/console/endpoints'
const UNKNOWN = requestError(404, 'Endpoint not found.')

type Kind = Endpoint['kind']

const kindIn = (c: Context): E.Either<RequestError, Kind> => {
  const kind = c.req.param('kind')
  return kind === 'ipn' || kind === 'event' ? E.right(kind) : E.left(UNKNOWN)
}

export const endpointRoutes = ({
  host,
  merchants,
  byOperator: access,
  showConsole,
}: Services): readonly Route[] => {
  const { store, clock, terms } = host
  const { endpoints } = store

  const readHealth = (
    all: readonly Endpoint[],
  ): TE.TaskEither<KnownError, readonly ListedEndpoint[]> =>
    pipe(
      endpoints.hours(
        [...new Set(all.map(({ merchantRef }) => merchantRef))],
        clock.now() - WEEK_MILLIS,
      ),
      TE.map((hours) => Map.groupBy(hours, ({ merchantRef }) => merchantRef)),
      TE.bindTo('hours'),
      TE.bind('waiting', () =>
        TE.traverseArray(({ merchantRef, kind }: Endpoint) => endpoints.waiting(merchantRef, kind))(
          all,
        ),
      ),
      TE.map(({ hours, waiting }) =>
        all.map((endpoint, n) => ({
          ...healthOf(endpoint, hours.get(endpoint.merchantRef) ?? [], clock.now()),
          waiting: waiting[n] ?? 0,
        })),
      ),
    )

  const list = (isFailing: boolean) =>
    endpoints.list({ merchantRef: null, isFailing, limit: SHOWN_MAX })

  const countConfirming = (merchantRef: string, filter: Partial<OrderFilter>) =>
    store.orders.count({ ...ANY_ORDER, merchantRef, checkout: 'confirming', ...filter })

  const previewRecovery = (
    merchantRef: string,
    since: string,
  ): TE.TaskEither<KnownError, Recovery> =>
    pipe(
      ['pending', 'exhausted'] as const,
      TE.traverseArray((state) =>
        store.deliveries.list({ merchantRef, orderRef: null, state, before: null, limit: 1_000 }),
      ),
      TE.mapLeft((error): KnownError => (error._tag === 'Unavailable' ? error : UNKNOWN)),
      TE.chain((lists) => {
        const from = Date.parse(`${since}Z`)
        const again = lists
          .flat()
          .filter(({ attempts, dueAt }) => (attempts.at(-1)?.startedAt ?? dueAt ?? 0) >= from)
        const refs = [...new Set(again.map(({ orderRef }) => orderRef))].slice(0, 10)
        const isCut = lists.some((each) => each.length === 1_000)
        const count = `${isCut ? 'At least ' : ''}${again.length} ${again.length === 1 ? 'delivery' : 'deliveries'}`
        return pipe(
          refs,
          TE.traverseArray(store.read),
          TE.mapLeft((error): KnownError => (error._tag === 'Unavailable' ? error : UNKNOWN)),
          TE.map((orders) => ({
            since,
            count,
            orders: orders.map(({ placed, context }) => ({
              orderRef: placed.orderRef,
              reference: context.references.first || placed.orderRef,
            })),
          })),
        )
      }),
    )

  const readPage = (c: Context, kind: Kind): TE.TaskEither<KnownError, EndpointOnPage> => {
    const ref = c.req.param('merchant') ?? ''
    const since = c.req.query('recover') ?? ''
    const now = clock.now()
    const { checkoutLifetime } = terms.rules
    const unused = { lastGoodAt: null, failingSince: null, failures: 0, pausedUntil: null }
    return pipe(
      merchants.find(ref),
      TE.chainW(TE.fromNullable<KnownError>(UNKNOWN)),
      TE.chainW(() => endpoints.list({ merchantRef: ref, isFailing: false, limit: 2 })),
      TE.map(
        (found) =>
          found.find((each) => each.kind === kind) ?? { merchantRef: ref, kind, ...unused },
      ),
      TE.chain((found) => readHealth([found])),
      TE.bindTo('found'),
      TE.bindW('saveable', () => countConfirming(ref, { isFailing: true })),
      TE.bindW('expiring', () =>
        countConfirming(ref, { placedTo: now + PAUSE_HOURS_MAX * HOUR - checkoutLifetime }),
      ),
      TE.bindW('recovery', () =>
        since === '' ? TE.right<KnownError, null>(null) : previewRecovery(ref, since),
      ),
      TE.chainW(({ found: [endpoint], saveable, expiring, recovery }) =>
        endpoint === undefined
          ? TE.left<KnownError, EndpointOnPage>(UNKNOWN)
          : TE.right<KnownError, EndpointOnPage>({
              endpoint,
              saveable: countWords(saveable),
              expiring: `${countWords(expiring)} of this shop will expire within 24 hours if nobody confirms them.`,
              recovery,
              now,
            }),
      ),
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
          TE.map(() => (wantsPage(c) ? c.redirect(`../${kind}`, 303) : undefined)),
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
          TE.Do,
          TE.bindW('failing', () => pipe(list(true), TE.chainW(readHealth))),
          TE.bindW('all', () => list(false)),
          TE.bindW('others', ({ all }) =>
            readHealth(all.filter((each) => each.failingSince === null)),
          ),
          TE.chainTaskK(({ failing, all, others }) => () => {
            const isCut = all.length === SHOWN_MAX
            const body = endpointsPage({ failing, others, isCut }, clock.now())
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
            return showConsole(c, { title, area: 'endpoints', body: endpointPage(page, kind) })
          }),
        )
      },
    }),
    change(
      'pause',
      'pauseEndpoint',
      'Pause an endpoint',
      { hours: '4' },
      (ref, kind, { hours = '' }) =>
        /^\d{1,2}$/.test(hours) && Number(hours) >= 1 && Number(hours) <= PAUSE_HOURS_MAX
          ? endpoints.pause(ref, kind, clock.now() + Number(hours) * HOUR)
          : TE.left(invalidValue('hours', hours, 'a whole number of hours, 1 to 24')),
    ),
    change('resume', 'resumeEndpoint', 'End the pause of an endpoint', {}, (ref, kind) =>
      endpoints.pause(ref, kind, null),
    ),
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
