// Merchants of the sandbox develop their webhooks here. They receive them before they have a
// server, make them go wrong by fault drills, and `plazo listen` gets deliveries to forward. The
// demo merchant needs no credentials, and always receives, so that a checkout finishes with nothing
// else running. Sandbox rules, Demo, Webhook inbox and Forwarding.
import {
  cancelled,
  type IdempotencyStore,
  inMemoryIdempotencyStore,
  type MerchantHandlers,
  merchantReceiver,
  refused,
  retryIn,
  taken,
  tooLate,
} from '@plazo/adapters/merchant'
import type { Merchant, Unavailable } from '@plazo/core/ports'
import {
  type Drill,
  DrillPayload,
  type Drills,
  ForwardedAnswer,
  type Inbox,
  RETRY_IN_MINUTES_MAX,
} from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type { MerchantAccess } from '../../http/access.ts'
import { wantsPage } from '../../http/answers.ts'
import { decodeJson, limitBody } from '../../http/body.ts'
import { requireProgram } from '../../http/browser-security.ts'
import { SCRIPTS } from '../../http/page/browser-script.ts'
import { rootFrom } from '../../http/page/page.ts'
import { type KnownError, requestError } from '../../http/problem.ts'
import { respondStream } from '../../live/event-stream.ts'
import { DEMO_MERCHANT } from '../demo-merchant.ts'
import type { SandboxServices } from '../services.ts'
import { sendToolPage } from './drills-page.ts'
import { INBOX_STYLE, inboxPage } from './page.ts'
import { keepWebhooks } from './webhook-inbox.ts'

type Endpoint = 'ipn' | 'events'

const ignore = (): void => {}

const INFORMED: MerchantHandlers = {
  cancelled: ignore,
  denied: ignore,
  risk_assessment: ignore,
  identification_action: ignore,
}

const fail = (): never => {
  throw new Error('The shop was asked to fail.')
}

type Handlers = { readonly accept: MerchantHandlers; readonly [answer: string]: MerchantHandlers }

/**
 * By endpoint, and by the parameter `answer` of its URL. Without one, or with another, the shop
 * accepts everything.
 */
const HANDLERS: { readonly [endpoint in Endpoint]: Handlers } = {
  ipn: { accept: { ipn: taken }, conflict: { ipn: refused }, error: { ipn: fail } },
  events: {
    accept: { ...INFORMED, cancel: cancelled },
    toolate: { ...INFORMED, cancel: () => tooLate(3) },
    retry: { ...INFORMED, cancel: () => retryIn(RETRY_IN_MINUTES_MAX) },
    unsupported: INFORMED,
    error: { ...INFORMED, cancel: fail },
  },
}

type FindOwner = (c: Context) => TE.TaskEither<KnownError, Pick<Merchant, 'ref'>>
type FindMerchant = (c: Context) => TE.TaskEither<KnownError, Pick<Merchant, 'ref' | 'username'>>

const demoMerchant: FindMerchant = () => TE.right({ ref: DEMO_MERCHANT, username: 'demo inbox' })

/** A browser sends no merchant header, so the query may name the merchant. */
const ownMerchant =
  (access: MerchantAccess): FindMerchant =>
  (c) =>
    access.merchant(c, c.req.query('merchant') || null)

export const webhookInboxRoutes = (services: SandboxServices) => {
  const {
    host,
    merchants,
    baseUrl,
    access,
    streamAccess,
    streams,
    errorReporter,
    respond,
    respondPage,
  } = services
  const { inbox, drills, drillOf } = services.sandbox.tools
  const answers = inMemoryIdempotencyStore()

  // A merchant could sign a request with the id of another merchant's delivery.
  const answersOf = (merchantRef: string, endpoint: Endpoint): IdempotencyStore => {
    const key = (webhookId: string) => JSON.stringify([merchantRef, endpoint, webhookId])
    return {
      find: (webhookId) => answers.find(key(webhookId)),
      save: (webhookId, response) => answers.save(key(webhookId), response),
    }
  }

  const receive = (endpoint: Endpoint, findOwner: FindOwner) => (c: Context) =>
    pipe(
      findOwner(c),
      TE.bindW('secrets', ({ ref }) => merchants.liveSecrets(ref, host.clock.now())),
      respond(c, ({ ref, secrets }) => {
        const answer = c.req.query('answer') ?? ''
        const receiver = merchantReceiver({
          secrets: () => secrets,
          names: host.terms.names,
          on: new Map(Object.entries(HANDLERS[endpoint])).get(answer) ?? HANDLERS[endpoint].accept,
          idempotencyStore: answersOf(ref, endpoint),
          onError: answer === 'error' ? ignore : errorReporter.report,
        })
        return keepWebhooks(
          receiver,
          endpoint,
          (received) => inbox.keep(ref, received),
          drillOf,
        )(c.req.raw)
      }),
    )

  const inboxOwner: FindOwner = (c) =>
    pipe(
      inbox.ownerOf(c.req.param('token') ?? ''),
      TE.chainW(TE.fromNullable(requestError(404, 'Inbox not found.'))),
      TE.bindTo('ref'),
    )

  const urlsOf = (
    merchantRef: string,
  ): TE.TaskEither<Unavailable, Pick<Inbox, 'ipn_url' | 'events_url'>> =>
    merchantRef === DEMO_MERCHANT
      ? TE.right({ ipn_url: `${baseUrl}/demo/notify`, events_url: `${baseUrl}/demo/events` })
      : pipe(
          inbox.tokenOf(merchantRef),
          TE.map((token) => ({
            ipn_url: token && `${baseUrl}/inbox/${token}/ipn`,
            events_url: token && `${baseUrl}/inbox/${token}/events`,
          })),
        )

  const showInbox = (findOwner: FindOwner) => (c: Context) =>
    pipe(
      findOwner(c),
      TE.bindW('urls', ({ ref }) => urlsOf(ref)),
      TE.bindW('requests', ({ ref }) => inbox.list(ref, 0)),
      respondPage(c, ({ ref, urls, requests }) => {
        const view: Inbox = { ...urls, requests: requests.toReversed() }
        if (!wantsPage(c)) return c.json(view)
        // The page's form posts, and under no-referrer its Origin would be null.
        c.header('referrer-policy', 'same-origin')
        return sendToolPage(c, drills.cached, {
          current: ref === DEMO_MERCHANT ? 'inbox' : null,
          title: `Webhooks of ${ref}`,
          ...{
            body: inboxPage(rootFrom(c), ref, view),
            style: INBOX_STYLE,
            script: SCRIPTS.liveList,
          },
          ...{ hasForms: true, merchantRef: ref },
        })
      }),
    )

  const follow = (findMerchant: FindMerchant) => (c: Context) =>
    pipe(
      findMerchant(c),
      respond(c, ({ ref, username }) =>
        respondStream(c, streams, username, {
          readAfter: async (id) => {
            const newer = await inbox.list(ref, id)()
            if (E.isLeft(newer)) return null
            // Events say only that a request came: the request itself may be larger than a stream's
            // buffer.
            return newer.right.map(({ headers, body, response, ...data }) => ({
              id: data.id,
              type: 'request',
              data,
            }))
          },
          mayRead: async () => E.isRight(await findMerchant(c)()),
        }),
      ),
    )

  const own = ownMerchant(access)
  const openInbox: FindOwner = (c) =>
    pipe(
      own(c),
      TE.tap(({ ref }) => (ref === DEMO_MERCHANT ? TE.right('') : inbox.open(ref))),
    )

  return new Hono()
    .post('/demo/notify', receive('ipn', demoMerchant))
    .post('/demo/events', receive('events', demoMerchant))
    .post('/inbox/:token/ipn', limitBody(), receive('ipn', inboxOwner))
    .post('/inbox/:token/events', limitBody(), receive('events', inboxOwner))
    .get('/sandbox/inbox', showInbox(own))
    .post('/sandbox/inbox', limitBody(), showInbox(openInbox))
    .get('/sandbox/inbox/events', follow(ownMerchant(streamAccess)))
    .get('/sandbox/demo/inbox', showInbox(demoMerchant))
    .get('/sandbox/demo/inbox/events', follow(demoMerchant))
}

export const drillRoutes = ({ access, respond, sandbox }: SandboxServices) => {
  const { drills } = sandbox.tools

  const respondDrills = (c: Context, status: 200 | 201) =>
    respond(c, (all: readonly Drill[]) => c.json({ drills: all } satisfies Drills, status))

  const routes = new Hono()
  for (const [path, findOwner] of [
    ['/sandbox/drills', ownMerchant(access)],
    ['/sandbox/demo/drills', demoMerchant],
  ] as const)
    routes
      .get(path, (c) =>
        pipe(
          findOwner(c),
          TE.chainW(({ ref }) => drills.list(ref)),
          respondDrills(c, 200),
        ),
      )
      .post(path, limitBody(), (c) =>
        pipe(
          findOwner(c),
          TE.bindW('payload', () => decodeJson(c, DrillPayload)),
          TE.chainW(({ ref, payload }) => drills.set(ref, payload)),
          respondDrills(c, 201),
        ),
      )
      .delete(path, limitBody(), (c) =>
        pipe(
          findOwner(c),
          TE.chainW(({ ref }) => drills.clear(ref, c.req.query('id') || null)),
          respondDrills(c, 200),
        ),
      )
  return routes
}

const NOT_WAITING = requestError(404, 'No delivery with this number waits for an answer.')

export const listenRoutes = ({
  baseUrl,
  streams,
  streamAccess,
  respond,
  sandbox,
}: SandboxServices) => {
  const { listeners } = sandbox.tools
  const own = (c: Context) =>
    pipe(
      streamAccess.merchant(c, null),
      TE.let('number', () => Number(c.req.param('number'))),
    )
  return new Hono()
    .get('/sandbox/listen', requireProgram(baseUrl), (c) =>
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
    .post('/sandbox/listen/:number', limitBody(512), (c) =>
      pipe(
        own(c),
        TE.bindW('answer', () => decodeJson(c, ForwardedAnswer)),
        TE.filterOrElseW(
          ({ ref, number, answer }) => listeners.answer(ref, number, answer),
          () => NOT_WAITING,
        ),
        respond(c, () => c.body(null, 204)),
      ),
    )
}
