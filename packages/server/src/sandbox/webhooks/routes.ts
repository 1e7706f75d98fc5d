// Merchants of the sandbox receive their webhooks here before they have a server. The demo merchant
// needs no credentials, and always receives, so that a checkout finishes with nothing else running.
// Sandbox rules, Demo and Webhook inbox.

import { inMemoryIdempotencyStore, merchantReceiver } from '@plazo/adapters/merchant'
import type { Timers } from '@plazo/adapters/system'
import type { Merchant } from '@plazo/core/ports'
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
import * as t from 'io-ts'
import { AT, ORDER_REF, TOKEN } from '../../docs/openapi/examples.ts'
import { wantsPage } from '../../http/answers.ts'
import { BODY_KIB_MAX, bodyBytes } from '../../http/body.ts'
import { rootFrom } from '../../http/page/page.ts'
import { requestError } from '../../http/problem.ts'
import {
  type Access,
  answer,
  bodyOf,
  form,
  HTML,
  json,
  jsonAnswer,
  query,
  type Route,
  route,
} from '../../http/route.ts'
import { accessInSandbox } from '../access.ts'
import { DEMO_MERCHANT } from '../demo-merchant.ts'
import { sendToolPage } from '../layout.ts'
import { followRoute, type SandboxServices, type ToolOwner } from '../services.ts'
import { inboxPage } from './page.ts'
import { Inbox, type InboxRequest } from './protocol.ts'
import {
  acceptedAnswers,
  createTroubles,
  type Endpoint,
  HANDLERS,
  ignore,
  isAnswer,
} from './shop-answers.ts'

const ReceiverError = t.strict({ error: t.string })

const REFUSALS = {
  400: jsonAnswer('The body is not a webhook, or answer is unknown.', ReceiverError),
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
}

type ReceiverLimits = Pick<Route, 'kibMax' | 'problems'> &
  Partial<Pick<Route, 'parameters'>> & {
    readonly description: string
  }

/** The URLs that receive for the demo merchant, and for any other merchant. */
export const receiverRoutes = (
  services: SandboxServices,
  timers: Pick<Timers, 'after'>,
): readonly Route[] => {
  const { host, merchants, errorReporter } = services
  const { names } = services.setting
  const { inbox } = services.sandbox
  const answers = inMemoryIdempotencyStore()
  const answerWithTrouble = createTroubles(timers)

  const receive =
    (load: Access<Pick<Merchant, 'ref'>>['load'], limits: ReceiverLimits) =>
    (path: string, id: string, summary: string, endpoint: Endpoint): Route =>
      route(`POST ${path}`, id, summary, {
        isSampled: false,
        access: accessInSandbox((c) =>
          pipe(
            load(c),
            TE.bindW('secrets', ({ ref }) => merchants.liveSecrets(ref, host.clock.now())),
          ),
        ),
        ...limits,
        // The signature is over its bytes.
        body: bodyOf(
          endpoint === 'ipn' ? form(ipnForm(names.ipnStateParameter)) : EVENT_BODIES,
          bodyBytes,
        ),
        ok: endpoint === 'ipn' ? answer('The order is accepted.') : CANCELLED,
        answers: REFUSALS,
        handle: async ({ ref, secrets }, body, c) => {
          const name = c.req.query('answer') || 'accept'
          if (!isAnswer(endpoint, name)) return c.json(unknownAnswer(endpoint, name), 400)
          // A merchant could sign a request with the id of another merchant's delivery.
          const keyOf = (webhookId: string) => JSON.stringify([ref, endpoint, webhookId])
          const respond = merchantReceiver({
            secrets: () => secrets,
            names,
            on: HANDLERS[endpoint][name] ?? HANDLERS[endpoint].accept,
            idempotencyStore: {
              find: (webhookId) => answers.find(keyOf(webhookId)),
              save: (webhookId, response) => answers.save(keyOf(webhookId), response),
            },
            onError: name === 'error' ? ignore : errorReporter.report,
          })
          const { url, headers } = c.req.raw
          const accepted = await respond(
            new Request(url, { method: 'POST', headers, body: new Uint8Array(body) }),
          )
          const key = keyOf(headers.get('webhook-id') ?? '')
          const response = accepted.ok
            ? await answerWithTrouble(name, { c, key, accepted })
            : accepted
          inbox.keep(ref, {
            endpoint,
            signature: signatureOf(headers, accepted.status),
            headers: Object.fromEntries(headers),
            body,
            status: response.status,
            response: await accepted.clone().text(),
          })
          return response
        },
      })

  const atDemo = receive((c) => TE.right({ ref: c.req.query('merchant') || DEMO_MERCHANT }), {
    description:
      'Belongs to the demo merchant, so that a checkout can finish without another server. It requires the merchant’s signature.',
    parameters: {
      merchant: query('The merchant that has signed. Default: demo.'),
      answer: query(
        `How it answers: an HTTP status from 200 to 599, ${acceptedAnswers('ipn').join(', ')}; for a cancel also toolate, retry and unsupported, and never conflict. Default: accept.`,
      ),
    },
    kibMax: 4096,
    problems: { 413: 'The body is over 4 MiB.' },
  })
  const atInbox = receive(
    (c) =>
      pipe(
        inbox.ownerOf(c.req.param('token') ?? ''),
        TE.chainW(TE.fromNullable(requestError(404, 'Inbox not found.'))),
        TE.bindTo('ref'),
      ),
    {
      description: 'It requires the merchant’s signature. Its URL comes from POST /sandbox/inbox.',
      kibMax: BODY_KIB_MAX,
      problems: { 404: 'Inbox not found.', 413: 'The body is over 64 KiB.' },
    },
  )
  return [
    atDemo('/demo/notify', 'demoNotify', 'Receive an IPN as the demo merchant', 'ipn'),
    atDemo('/demo/events', 'demoEvents', 'Receive an event as the demo merchant', 'events'),
    atInbox('/inbox/:token/ipn', 'inboxNotify', 'Receive an IPN in the webhook inbox', 'ipn'),
    atInbox(
      '/inbox/:token/events',
      'inboxEvents',
      'Receive an event in the webhook inbox',
      'events',
    ),
  ]
}

/** The receiver answers 401 to a wrong signature, and checks none if it fails. */
const signatureOf = (headers: Headers, status: number): InboxRequest['signature'] => {
  if (status !== 401) return status === 500 ? 'unchecked' : 'right'
  return [...headers.keys()].some((name) => name.endsWith('-signature')) ? 'wrong' : 'missing'
}

/** The merchant reads what was received. */
export const inboxRoutes = (
  { streams, sandbox, setting: { baseUrl } }: SandboxServices,
  { path, of, as, merchant, streamMerchant }: ToolOwner,
): readonly Route[] => {
  const { inbox } = sandbox
  const urlsAt = (ipn: string, events: string) => ({
    ipn_url: `${baseUrl}${ipn}`,
    events_url: `${baseUrl}${events}`,
  })
  const demoUrls = urlsAt('/demo/notify', '/demo/events')
  const urlsOf = (token: string) => urlsAt(`/inbox/${token}/ipn`, `/inbox/${token}/events`)
  const isDemo = of === 'Demo'

  const inboxRoute = (
    method: 'GET' | 'POST',
    id: string,
    summary: string,
    findToken: typeof inbox.tokenOf | typeof inbox.open,
    description?: string,
  ): Route =>
    route(`${method} ${path}/inbox`, id, summary, {
      access: merchant,
      errors: 'page',
      ...(description !== undefined && { description }),
      ok: answer('The URLs and the requests. The same as a page, if the client accepts HTML.', {
        ...json(Inbox, {
          'an event': { ...(isDemo ? demoUrls : urlsOf(TOKEN)), requests: [REQUEST] },
        }),
        ...HTML,
      }),
      handle: ({ ref }, _, c) =>
        pipe(
          ref === DEMO_MERCHANT ? TE.right('') : findToken(ref),
          TE.bindTo('token'),
          TE.bindW('requests', () => inbox.list(ref, 0)),
          TE.chainTaskK(({ token, requests }) => async () => {
            const urls = token === null ? NO_URLS : token === '' ? demoUrls : urlsOf(token)
            const view: Inbox = { ...urls, requests: requests.toReversed() }
            if (!wantsPage(c)) return view
            // The page's form posts, and under no-referrer its Origin would be null.
            c.header('referrer-policy', 'same-origin')
            return sendToolPage(c, {
              current: ref === DEMO_MERCHANT ? 'inbox' : null,
              title: `Webhooks of ${ref}`,
              body: inboxPage(rootFrom(c), ref, view),
              styles: ['sandbox/webhooks/style.css'],
              script: 'live-list',
              hasForms: true,
            })
          }),
        ),
    })

  const show = inboxRoute(
    'GET',
    `show${of}Inbox`,
    `List the webhooks that were received here${as}`,
    inbox.tokenOf,
  )
  const open = inboxRoute(
    'POST',
    'openInbox',
    'Receive webhooks here',
    inbox.open,
    'Gives two URLs for orders. If the merchant already has URLs, they stay the same. No order changes.',
  )
  const follow = followRoute(
    streams,
    `GET ${path}/inbox/events`,
    `follow${of}Inbox`,
    `Follow the webhooks that are received here${as}`,
    {
      access: streamMerchant,
      description:
        'Server-sent events of type request. Their ids are those of the requests, and Last-Event-ID or after resumes. They have neither headers nor bodies.',
      isSampled: false,
      follow: ({ ref, username }) => ({
        account: username,
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
      }),
    },
  )
  return isDemo ? [show, follow] : [show, open, follow]
}

const unknownAnswer = (endpoint: Endpoint, name: string) => ({
  error: `answer must be a status from 200 to 599, or one of ${acceptedAnswers(endpoint).join(', ')} (got "${name}").`,
})

const NO_URLS = { ipn_url: null, events_url: null }
