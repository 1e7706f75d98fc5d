// The demo shop receives for every merchant of the sandbox, so that a checkout finishes with nothing
// else running, and so that a developer sees what a bad shop does to it. The URL says how it answers.
// Sandbox rules, Demo.

import type { HttpBindings } from '@hono/node-server'
import {
  cancelled,
  inMemoryIdempotencyStore,
  type MerchantHandlers,
  merchantReceiver,
  refused,
  retryIn,
  taken,
  tooLate,
} from '@plazo/adapters/merchant'
import type { Timers } from '@plazo/adapters/system'
import {
  ActionEvent,
  CancelAnswerBody,
  CancelForm,
  CancelledForm,
  DeniedForm,
  ipnForm,
  RETRY_IN_MINUTES_MAX,
  RiskAssessmentForm,
} from '@plazo/core/protocol'
import {
  answer,
  bodyBytes,
  bodyOf,
  form,
  json,
  jsonAnswer,
  query,
  type Route,
  route,
  value,
} from '@plazo/server/internal'
import type { Context } from 'hono'
import { stream } from 'hono/streaming'
import * as t from 'io-ts'
import { DEMO_MERCHANT } from '../demo-merchant.ts'
import { SANDBOX, type SandboxServices } from '../services.ts'

type Endpoint = 'ipn' | 'events'

const ignore = (): void => {}

const fail = (): never => {
  throw new Error('The shop was asked to fail.')
}

const INFORMED: MerchantHandlers = {
  cancelled: ignore,
  denied: ignore,
  risk_assessment: ignore,
  identification_action: ignore,
}

type Handlers = { readonly accept: MerchantHandlers; readonly [answer: string]: MerchantHandlers }

/** The answers of a shop's own code. */
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

/** Answers that a shop's code would not choose: they come from its server or the network. */
const TROUBLES = ['error-then-ok', 'slow', 'silent', 'reset', 'redirect', 'dripping']

const STATUS = /^[2-5]\d\d$/

const namesOf = (endpoint: Endpoint): readonly string[] => [
  ...Object.keys(HANDLERS[endpoint]),
  ...TROUBLES,
]

const isAnswer = (endpoint: Endpoint, name: string): boolean =>
  STATUS.test(name) || namesOf(endpoint).includes(name)

const SLOW_MILLIS = 10_000
const DRIP_MILLIS = 1_000
// An attempt ends after 30 s.
const SILENT_MILLIS = 60_000

/** Turns the answer to a rightly signed request into the one that the URL names. */
export const createTroubles = ({ after }: Pick<Timers, 'after'>) => {
  const failedOnce = inMemoryIdempotencyStore()
  const wait = (millis: number) => new Promise<void>((resolve) => after(millis, resolve))

  /** `key` names the delivery among those of all merchants. */
  return async (name: string, c: Context, key: string, accepted: Response): Promise<Response> => {
    switch (name) {
      case 'error-then-ok':
        if ((await failedOnce.find(key)) !== null) return accepted
        await failedOnce.save(key, { status: 500, body: '' })
        return c.body(null, 500)
      case 'slow':
        await wait(SLOW_MILLIS)
        return accepted
      case 'silent':
        await wait(SILENT_MILLIS)
        return accepted
      case 'reset': {
        // A host without sockets answers 500.
        const { incoming }: Partial<HttpBindings> = c.env ?? {}
        incoming?.socket.destroy()
        return c.body(null, 500)
      }
      case 'redirect':
        return c.redirect('/demo/return')
      case 'dripping':
        return stream(c, async (out) => {
          for (let drips = 0; drips * DRIP_MILLIS < SILENT_MILLIS; drips += 1) {
            await wait(DRIP_MILLIS)
            await out.write(' ')
          }
        })
      default:
        return STATUS.test(name) ? new Response(null, { status: Number(name) }) : accepted
    }
  }
}

const ReceiverError = t.strict({ error: t.string })

const REFUSALS = {
  400: jsonAnswer('The body is not a webhook, or answer is unknown.', ReceiverError),
  401: jsonAnswer('The signature is missing or wrong.', ReceiverError),
  501: jsonAnswer('The shop does not know this event.', ReceiverError),
}

const EVENT_BODIES = {
  ...form({ anyOf: [CancelledForm, CancelForm, DeniedForm, RiskAssessmentForm] }),
  ...json(ActionEvent),
}

export const receiverRoutes = (
  { host, merchants, errorReporter }: SandboxServices,
  timers: Pick<Timers, 'after'>,
): readonly Route[] => {
  const { names } = host.terms
  const answers = inMemoryIdempotencyStore()
  const answerWithTrouble = createTroubles(timers)

  const receiver = (path: string, id: string, summary: string, endpoint: Endpoint): Route => {
    const choices = `a status from 200 to 599, or one of ${namesOf(endpoint).join(', ')}`
    return route(`POST ${path}`, id, summary, {
      access: SANDBOX,
      description: 'It requires the merchant’s signature.',
      parameters: {
        merchant: query('The merchant that has signed. Default: demo.'),
        answer: query(`How it answers: ${choices}. Default: accept.`),
      },
      kibMax: 4096,
      problems: { 413: 'The body is over 4 MiB.' },
      // The signature is over its bytes.
      body: bodyOf(
        endpoint === 'ipn' ? form(ipnForm(names.ipnStateParameter)) : EVENT_BODIES,
        bodyBytes,
      ),
      ok: endpoint === 'ipn' ? answer('Accepted.') : jsonAnswer('Accepted.', CancelAnswerBody),
      answers: REFUSALS,
      handle: async (_, body, c) => {
        const name = c.req.query('answer') || 'accept'
        if (!isAnswer(endpoint, name))
          return c.json({ error: `answer must be ${choices} (got "${name}").` }, 400)
        const ref = c.req.query('merchant') || DEMO_MERCHANT
        const secrets = await value(merchants.liveSecrets(ref, host.clock.now()))
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
        const response = await respond(
          new Request(url, { method: 'POST', headers, body: new Uint8Array(body) }),
        )
        const key = keyOf(headers.get('webhook-id') ?? '')
        return response.ok ? answerWithTrouble(name, c, key, response) : response
      },
    })
  }

  return [
    receiver('/demo/notify', 'demoNotify', 'Receive an IPN as the demo shop', 'ipn'),
    receiver('/demo/events', 'demoEvents', 'Receive an event as the demo shop', 'events'),
  ]
}
