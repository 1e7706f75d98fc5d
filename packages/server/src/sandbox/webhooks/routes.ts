// Merchants of the sandbox receive their webhooks here before they have a server. The demo merchant
// needs no credentials, and always receives, so that a checkout finishes with nothing else running.
// Sandbox rules, Demo and Webhook inbox.

import {
  type IdempotencyStore,
  inMemoryIdempotencyStore,
  merchantReceiver,
} from '@plazo/adapters/merchant'
import type { Merchant, Unavailable } from '@plazo/core/ports'
import {
  ActionEvent,
  CancelAnswerBody,
  CancelForm,
  CancelledForm,
  DeniedForm,
  ipnForm,
  RiskAssessmentForm,
} from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import * as t from 'io-ts'
import { AT, ORDER_REF, TOKEN } from '../../docs/openapi/examples.ts'
import type { MerchantAccess } from '../../http/access.ts'
import { wantsPage } from '../../http/answers.ts'
import { BODY_KIB_MAX } from '../../http/body.ts'
import { rootFrom } from '../../http/page/page.ts'
import { type KnownError, requestError } from '../../http/problem.ts'
import {
  type Access,
  accessBy,
  answer,
  bodyOf,
  EVENT_STREAM,
  form,
  HTML,
  json,
  jsonAnswer,
  query,
  type Route,
  route,
} from '../../http/route.ts'
import { respondStream } from '../../http/stream.ts'
import { accessInSandbox } from '../access.ts'
import { DEMO_MERCHANT } from '../demo-merchant.ts'
import type { SandboxServices } from '../services.ts'
import { sendToolPage } from './drills-page.ts'
import { inboxPage } from './page.ts'
import { Inbox, type InboxRequest } from './protocol.ts'
import { type Endpoint, HANDLERS, ignore } from './shop-answers.ts'
import { keepWebhooks } from './webhook-inbox.ts'

const ReceiverError = t.strict({ error: t.string })

const INBOX_REFUSALS = {
  400: jsonAnswer('The body is not a webhook.', ReceiverError),
  401: jsonAnswer('The signature is missing or wrong.', ReceiverError),
  501: jsonAnswer('The demo merchant does not know this event.', ReceiverError),
}

const CANCELLED = jsonAnswer(
  'Accepted. A cancel request is answered with cancelled.',
  CancelAnswerBody,
  { cancelled: { result: 'cancelled' } },
)

const EVENT_BODIES = {
  ...form({ anyOf: [CancelledForm, CancelForm, DeniedForm, RiskAssessmentForm] }),
  ...json(ActionEvent),
}

const REQUEST: InboxRequest = {
  id: 1,
  at: AT,
  endpoint: 'events',
  event: 'denied',
  order_ref: ORDER_REF,
  delivery: `${ORDER_REF}:7:notice`,
  signature: 'right',
  headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
  body: `event=denied&order_ref=${ORDER_REF}`,
  is_cut: false,
  status: 200,
  response: '',
  drill: null,
}

type FindOwner = (c: Context) => TE.TaskEither<KnownError, Pick<Merchant, 'ref'>>
type FindMerchant = (c: Context) => TE.TaskEither<KnownError, Pick<Merchant, 'ref' | 'username'>>

const demoMerchant: FindMerchant = () => TE.right({ ref: DEMO_MERCHANT, username: 'demo inbox' })

/** A browser sends no merchant header, so the query may name the merchant. */
export const ownMerchant =
  (access: MerchantAccess): FindMerchant =>
  (c) =>
    access.merchant(c, c.req.query('merchant') || null)

export const webhookInboxRoutes = (services: SandboxServices): readonly Route[] => {
  const { host, merchants, access, streamAccess, streams, errorReporter, byAccount } = services
  const { baseUrl, names } = services.setting
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

  const receive = (
    path: string,
    [id, summary]: readonly [id: string, summary: string],
    endpoint: Endpoint,
    findOwner: FindOwner,
    more: Pick<Route, 'kibMax' | 'problems'> & {
      readonly description: string
      readonly limitsBody?: false
      readonly answers: Route['answers']
    },
  ): Route =>
    route(`POST ${path}`, id, summary, {
      ...more,
      isSampled: false,
      access: accessInSandbox((c) =>
        pipe(
          findOwner(c),
          TE.bindW('secrets', ({ ref }) => merchants.liveSecrets(ref, host.clock.now())),
        ),
      ),
      // The receiver reads it, because the signature is over its bytes.
      body: bodyOf(endpoint === 'ipn' ? form(ipnForm(names.ipnStateParameter)) : EVENT_BODIES, () =>
        TE.right(undefined),
      ),
      ok: endpoint === 'ipn' ? answer('The order is accepted.') : CANCELLED,
      handle: ({ ref, secrets }, _, c) => {
        const answerName = c.req.query('answer') ?? ''
        const receiver = merchantReceiver({
          secrets: () => secrets,
          names,
          on:
            new Map(Object.entries(HANDLERS[endpoint])).get(answerName) ??
            HANDLERS[endpoint].accept,
          idempotencyStore: answersOf(ref, endpoint),
          onError: answerName === 'error' ? ignore : errorReporter.report,
        })
        return keepWebhooks(
          receiver,
          endpoint,
          (received) => inbox.keep(ref, received),
          drillOf,
        )(c.req.raw)
      },
    })

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

  const inboxRoute = (
    call: `${'GET' | 'POST'} ${string}`,
    [id, summary, description]: readonly [id: string, summary: string, description?: string],
    byOwner: Access<Pick<Merchant, 'ref'>>,
    urls: Pick<Inbox, 'ipn_url' | 'events_url'>,
  ): Route =>
    route(call, id, summary, {
      access: byOwner,
      errors: 'page',
      ...(description !== undefined && { description }),
      ok: answer('The URLs and the requests. The same as a page, if the client accepts HTML.', {
        ...json(Inbox, { 'an event': { ...urls, requests: [REQUEST] } }),
        ...HTML,
      }),
      handle: ({ ref }, _, c) =>
        pipe(
          urlsOf(ref),
          TE.bindTo('urls'),
          TE.bindW('requests', () => inbox.list(ref, 0)),
          TE.chainTaskK(({ urls, requests }) => async () => {
            const view: Inbox = { ...urls, requests: requests.toReversed() }
            if (!wantsPage(c)) return view
            // The page's form posts, and under no-referrer its Origin would be null.
            c.header('referrer-policy', 'same-origin')
            return sendToolPage(c, drills.cached, {
              current: ref === DEMO_MERCHANT ? 'inbox' : null,
              title: `Webhooks of ${ref}`,
              ...{
                body: inboxPage(rootFrom(c), ref, view),
                styles: ['sandbox/webhooks/style.css'],
                script: 'live-list',
              },
              ...{ hasForms: true, merchantRef: ref },
            })
          }),
        ),
    })

  const follow = (
    path: string,
    [id, summary]: readonly [id: string, summary: string],
    byMerchant: Access<Pick<Merchant, 'ref' | 'username'>>,
  ): Route =>
    route(`GET ${path}/events`, id, summary, {
      access: byMerchant,
      description:
        'Server-sent events of type request. Their ids are those of the requests, and Last-Event-ID or after resumes. They have neither headers nor bodies.',
      parameters: { after: query('The id of the last known request.') },
      ok: answer('The stream.', EVENT_STREAM),
      problems: { 400: 'after is not an id.', 429: 'Too many pages are followed at once.' },
      isSampled: false,
      handle: ({ ref, username }, _, c) =>
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
          mayRead: async () => E.isRight(await byMerchant.load(c)()),
        }),
    })

  const findMerchant = ownMerchant(access)
  const openInbox: FindOwner = (c) =>
    pipe(
      findMerchant(c),
      TE.tap(({ ref }) => (ref === DEMO_MERCHANT ? TE.right('') : inbox.open(ref))),
    )

  const demoUrls = { ipn_url: `${baseUrl}/demo/notify`, events_url: `${baseUrl}/demo/events` }
  const ownUrls = {
    ipn_url: `${baseUrl}/inbox/${TOKEN}/ipn`,
    events_url: `${baseUrl}/inbox/${TOKEN}/events`,
  }
  const atDemo = {
    description:
      'Belongs to the demo merchant, so that a checkout can finish without another server. It requires a signature.',
    kibMax: 4096,
    limitsBody: false,
    answers: { ...INBOX_REFUSALS, 413: jsonAnswer('The body is too large.', ReceiverError) },
    problems: {},
  } as const
  // A long body is refused before its receiver reads it.
  const atInbox = {
    description: 'It requires the merchant’s signature. Its URL comes from POST /sandbox/inbox.',
    kibMax: BODY_KIB_MAX,
    answers: INBOX_REFUSALS,
    problems: { 404: 'Inbox not found.', 413: 'The body is over 64 KiB.' },
  }
  return [
    receive(
      '/demo/notify',
      ['demoNotify', 'Receive an IPN as the demo merchant'],
      'ipn',
      demoMerchant,
      atDemo,
    ),
    receive(
      '/demo/events',
      ['demoEvents', 'Receive an event as the demo merchant'],
      'events',
      demoMerchant,
      atDemo,
    ),
    receive(
      '/inbox/:token/ipn',
      ['inboxNotify', 'Receive an IPN in the webhook inbox'],
      'ipn',
      inboxOwner,
      atInbox,
    ),
    receive(
      '/inbox/:token/events',
      ['inboxEvents', 'Receive an event in the webhook inbox'],
      'events',
      inboxOwner,
      atInbox,
    ),
    inboxRoute(
      `GET ${INBOX}`,
      ['showInbox', 'List the webhooks that were received here'],
      accessBy('merchant', findMerchant, byAccount.parameters),
      ownUrls,
    ),
    inboxRoute(
      `POST ${INBOX}`,
      [
        'openInbox',
        'Receive webhooks here',
        'Gives two URLs for orders. If the merchant already has URLs, they stay the same. No order changes.',
      ],
      accessBy('merchant', openInbox, byAccount.parameters),
      ownUrls,
    ),
    follow(
      INBOX,
      ['followInbox', 'Follow the webhooks that are received here'],
      accessBy('merchant', ownMerchant(streamAccess)),
    ),
    inboxRoute(
      `GET ${DEMO_INBOX}`,
      ['showDemoInbox', 'List the webhooks that the demo merchant received'],
      BY_DEMO,
      demoUrls,
    ),
    follow(DEMO_INBOX, ['followDemoInbox', 'Follow the webhooks of the demo merchant'], BY_DEMO),
  ]
}

const INBOX = '/sandbox/inbox'
const DEMO_INBOX = '/sandbox/demo/inbox'
export const BY_DEMO = accessInSandbox(demoMerchant)
