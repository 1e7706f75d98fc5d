// Merchants of the sandbox receive webhooks here before they have a server, and see what they received. The demo merchant always
// does, so that a checkout finishes with nothing else running. Contract §7 and §8.
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
import { type Inbox, RETRY_IN_MINUTES_MAX, type Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { identity, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type { MerchantAccess } from '../http/access.ts'
import { type KnownError, requestError } from '../http/problem.ts'
import { limitBody } from '../http/request.ts'
import { respondStream } from '../live/event-stream.ts'
import { DEMO_MERCHANT } from '../merchants/demo-merchant.ts'
import { SCRIPTS } from '../pages/browser-script.ts'
import { sendToolPage } from '../pages/drills.ts'
import { INBOX_STYLE, inboxPage } from '../pages/webhook-inbox.ts'
import { keepWebhooks } from '../sandbox/webhook-inbox.ts'
import { wantsPage } from './answers.ts'
import type { SandboxServices } from './services.ts'

type Urls = Pick<Inbox, 'ipn_url' | 'events_url'>

const NO_INBOX = requestError(404, 'Inbox not found.')

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

const ACCEPTING: { readonly [endpoint in 'ipn' | 'events']: MerchantHandlers } = {
  ipn: { ipn: taken },
  events: { ...INFORMED, cancel: cancelled },
}

/** By endpoint, and by the parameter `answer` of its URL. Without one, or with another, the shop accepts everything. */
const HANDLERS: { readonly [endpoint in 'ipn' | 'events']: { readonly [answer: string]: MerchantHandlers } } = {
  ipn: { conflict: { ipn: refused }, error: { ipn: fail } },
  events: {
    toolate: { ...INFORMED, cancel: () => tooLate(3) },
    retry: { ...INFORMED, cancel: () => retryIn(RETRY_IN_MINUTES_MAX) },
    unsupported: INFORMED,
    error: { ...INFORMED, cancel: fail },
  },
}

export const webhookInboxRoutes = (services: SandboxServices) => {
  const { host, merchants, baseUrl, access, streamAccess, streams, errorReporter, respond, respondPage } = services
  const { inbox, drills, drillOf } = services.sandbox.tools
  const answers = inMemoryIdempotencyStore()

  // A merchant could sign a request with the id of another merchant's delivery.
  const answersOf = (merchantRef: string, endpoint: string): IdempotencyStore => {
    const key = (webhookId: string) => JSON.stringify([merchantRef, endpoint, webhookId])
    return {
      find: (webhookId) => answers.find(key(webhookId)),
      save: (webhookId, response) => answers.save(key(webhookId), response),
    }
  }

  const receive = (c: Context, merchantRef: string, endpoint: 'ipn' | 'events') =>
    pipe(
      merchants.liveSecrets(merchantRef, host.clock.now()),
      TE.chainTaskK((secrets) => () => {
        const answer = c.req.query('answer') ?? ''
        const receiver = merchantReceiver({
          secrets: () => secrets,
          names: host.terms.names,
          on: new Map(Object.entries(HANDLERS[endpoint])).get(answer) ?? ACCEPTING[endpoint],
          idempotencyStore: answersOf(merchantRef, endpoint),
          onError: answer === 'error' ? ignore : errorReporter.report,
        })
        return keepWebhooks(receiver, endpoint, (received) => inbox.keep(merchantRef, received), drillOf)(c.req.raw)
      }),
    )

  const receiveAsDemo = (endpoint: 'ipn' | 'events') => (c: Context) =>
    pipe(receive(c, DEMO_MERCHANT, endpoint), respond(c, identity))

  const receiveHere = (endpoint: 'ipn' | 'events') => (c: Context) =>
    pipe(
      inbox.ownerOf(c.req.param('token') ?? ''),
      TE.chainW(TE.fromNullable(NO_INBOX)),
      TE.chainW((merchantRef) => receive(c, merchantRef, endpoint)),
      respond(c, identity),
    )

  const urlsOf = (merchantRef: string): TE.TaskEither<Unavailable, Urls> =>
    merchantRef === DEMO_MERCHANT
      ? TE.right({ ipn_url: `${baseUrl}/demo/notify`, events_url: `${baseUrl}/demo/events` })
      : pipe(
          inbox.tokenOf(merchantRef),
          TE.map((token) => ({
            ipn_url: token && `${baseUrl}/inbox/${token}/ipn`,
            events_url: token && `${baseUrl}/inbox/${token}/events`,
          })),
        )

  const showInbox = (c: Context, merchantRef: TE.TaskEither<KnownError, string>) =>
    pipe(
      merchantRef,
      TE.bindTo('ref'),
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
            body: inboxPage(ref, view),
            style: INBOX_STYLE,
            script: SCRIPTS.liveList,
            hasForms: true,
            merchantRef: ref,
          },
        })
      }),
    )

  /** Events say only that a request came: the request itself may be larger than a stream's buffer. */
  const follow = (c: Context, account: string, merchantRef: string, mayRead: () => Promise<boolean>): Response =>
    respondStream(c, streams, account, {
      readAfter: async (id) => {
        const newer = await inbox.list(merchantRef, id)()
        if (E.isLeft(newer)) return null
        return newer.right.map(({ headers, body, response, ...request }) => ({
          id: request.id,
          type: 'request',
          data: request,
        }))
      },
      mayRead,
    })

  const own = (c: Context, by: MerchantAccess = access) => by.merchant(c, c.req.query('merchant') || null)
  const ownRef = (c: Context) =>
    pipe(
      own(c),
      TE.map(({ ref }) => ref),
    )

  return new Hono()
    .post('/demo/notify', receiveAsDemo('ipn'))
    .post('/demo/events', receiveAsDemo('events'))
    .post('/inbox/:token/ipn', limitBody(), receiveHere('ipn'))
    .post('/inbox/:token/events', limitBody(), receiveHere('events'))
    .get('/sandbox/inbox', (c) => showInbox(c, ownRef(c)))
    .post('/sandbox/inbox', limitBody(), (c) => {
      const openInbox = TE.tap((ref: string) => (ref === DEMO_MERCHANT ? TE.right('') : inbox.open(ref)))
      return showInbox(c, pipe(ownRef(c), openInbox))
    })
    .get('/sandbox/inbox/events', (c) =>
      pipe(
        own(c, streamAccess),
        respond(c, ({ ref, username }) =>
          follow(c, username, ref, async () => E.isRight(await own(c, streamAccess)())),
        ),
      ),
    )
    .get('/sandbox/demo/inbox', (c) => showInbox(c, TE.right(DEMO_MERCHANT)))
    .get('/sandbox/demo/inbox/events', (c) => follow(c, 'demo inbox', DEMO_MERCHANT, async () => true))
}
