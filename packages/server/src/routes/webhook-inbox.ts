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
import {
  type Clock,
  type Inbox,
  type Merchants,
  RETRY_IN_MINUTES_MAX,
  type Unavailable,
  type WireNames,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { MerchantAccess } from '../http/access.ts'
import { type KnownError, requestError } from '../http/problem.ts'
import { BODY_KIB_MAX, limitBody } from '../http/request.ts'
import type { EventStreams } from '../live/event-stream.ts'
import { respondStream } from '../live/respond-stream.ts'
import type { ErrorReporter } from '../log/error-reporter.ts'
import { DEMO_MERCHANT } from '../merchants/demo-merchant.ts'
import { DRILL_SCRIPTS, drillBanner, type KnownDrills } from '../pages/drills.ts'
import { rootFrom, sendPage } from '../pages/page.ts'
import { sandboxTop } from '../pages/sandbox-top.ts'
import { INBOX_SCRIPTS, INBOX_STYLE, inboxPage } from '../pages/webhook-inbox.ts'
import { keepWebhooks } from '../sandbox/keep-webhooks.ts'
import type { WebhookInbox } from '../sandbox/webhook-inbox.ts'
import { type AnswerError, respond, respondOnConsole, wantsPage } from './answers.ts'

type InboxParts = {
  readonly inbox: WebhookInbox
  readonly merchants: Merchants
  readonly names: WireNames
  readonly baseUrl: string
  readonly clock: Clock
  readonly access: MerchantAccess
  /** The same for streams, which stay open: their number is limited elsewhere. */
  readonly streamAccess: MerchantAccess
  readonly streams: EventStreams
  readonly drills: KnownDrills
  readonly drillOf: (webhookId: string) => string | null
  readonly errorReporter: ErrorReporter
}

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

export const webhookInboxRoutes = (parts: InboxParts, answerError: AnswerError) => {
  const { inbox, merchants, names, baseUrl, clock, access, streamAccess, streams, drills, drillOf, errorReporter } =
    parts
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
      merchants.liveSecrets(merchantRef, clock.now()),
      TE.chainTaskK((secrets) => () => {
        const answer = c.req.query('answer') ?? ''
        const receiver = merchantReceiver({
          secrets: () => secrets,
          names,
          on: new Map(Object.entries(HANDLERS[endpoint])).get(answer) ?? ACCEPTING[endpoint],
          idempotencyStore: answersOf(merchantRef, endpoint),
          onError: answer === 'error' ? ignore : errorReporter.report,
        })
        return keepWebhooks(receiver, endpoint, (received) => inbox.keep(merchantRef, received), drillOf)(c.req.raw)
      }),
    )

  const receiveAsDemo = (endpoint: 'ipn' | 'events') => (c: Context) =>
    respond(c, answerError, receive(c, DEMO_MERCHANT, endpoint), (answer) => answer)

  const receiveHere = (endpoint: 'ipn' | 'events') => (c: Context) =>
    respond(
      c,
      answerError,
      pipe(
        inbox.ownerOf(c.req.param('token') ?? ''),
        TE.chainW((merchantRef) => (merchantRef === null ? TE.left(NO_INBOX) : TE.right(merchantRef))),
        TE.chainW((merchantRef) => receive(c, merchantRef, endpoint)),
      ),
      (answer) => answer,
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

  const show = (c: Context, merchantRef: TE.TaskEither<KnownError, string>) =>
    respondOnConsole(
      c,
      answerError,
      pipe(
        merchantRef,
        TE.bindTo('merchantRef'),
        TE.bindW('urls', (on) => urlsOf(on.merchantRef)),
        TE.bindW('requests', (on) => inbox.list(on.merchantRef, 0)),
        TE.chainTaskK(({ merchantRef: ref, urls, requests }) => async () => {
          const view: Inbox = { ...urls, requests: requests.toReversed() }
          if (!wantsPage(c)) return c.json(view)
          // The page's form posts, and under no-referrer its Origin would be null.
          c.header('referrer-policy', 'same-origin')
          const body = inboxPage(ref, view)
          const root = rootFrom(c)
          const lead = html`${sandboxTop(ref === DEMO_MERCHANT ? 'inbox' : null, root)}${drillBanner(drills, ref, root)}`
          const policy = ["connect-src 'self'"]
          return sendPage(c, {
            title: `Webhooks of ${ref}`,
            lead,
            body,
            style: INBOX_STYLE,
            scripts: [...INBOX_SCRIPTS, ...DRILL_SCRIPTS],
            policy,
            hasForms: true,
          })
        }),
      ),
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

  const own = (c: Context, by: MerchantAccess = access) =>
    pipe(
      by.merchant(c, c.req.query('merchant') || null),
      TE.map(({ ref, username }) => ({ ref, username })),
    )
  const ownRef = (c: Context) =>
    pipe(
      own(c),
      TE.map(({ ref }) => ref),
    )

  return new Hono()
    .post('/demo/notify', receiveAsDemo('ipn'))
    .post('/demo/events', receiveAsDemo('events'))
    .post('/inbox/:token/ipn', limitBody(BODY_KIB_MAX), receiveHere('ipn'))
    .post('/inbox/:token/events', limitBody(BODY_KIB_MAX), receiveHere('events'))
    .get('/sandbox/inbox', (c) => show(c, ownRef(c)))
    .post('/sandbox/inbox', limitBody(BODY_KIB_MAX), (c) =>
      show(
        c,
        pipe(
          ownRef(c),
          TE.tap((ref) => (ref === DEMO_MERCHANT ? TE.right('') : inbox.open(ref))),
        ),
      ),
    )
    .get('/sandbox/inbox/events', async (c) => {
      const merchant = await own(c, streamAccess)()
      if (E.isLeft(merchant)) return answerError(c, merchant.left)
      const { ref, username } = merchant.right
      return follow(c, username, ref, async () => E.isRight(await own(c, streamAccess)()))
    })
    .get('/sandbox/demo/inbox', (c) => show(c, TE.right(DEMO_MERCHANT)))
    .get('/sandbox/demo/inbox/events', (c) => follow(c, 'demo inbox', DEMO_MERCHANT, async () => true))
}
