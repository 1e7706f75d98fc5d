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
} from '@plazo/adapters/internal/merchant'
import type { Timers } from '@plazo/adapters/internal/system'
import {
  ActionEvent,
  CancelAnswerBody,
  CancelForm,
  CancelledForm,
  DeniedForm,
  ipnForm,
  RETRY_IN_MINUTES_MAX,
  RiskAssessmentForm,
} from '@plazo/core/internal'
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

const STATUS = /^[2-5]\d\d$/

const SLOW_MILLIS = 10_000
const DRIP_MILLIS = 1_000
// An attempt ends after 30 s.
const SILENT_MILLIS = 60_000

/** `accepted`: the answer of the shop's own code. `key` names the delivery among those of all merchants. */
type Trouble = (accepted: Response, c: Context, key: string) => Response | Promise<Response>

/** Answers that a shop's code would not choose: they come from its server or the network. */
export const createTroubles = ({
  after,
}: Pick<Timers, 'after'>): Readonly<Record<string, Trouble>> => {
  const failedOnce = inMemoryIdempotencyStore()
  const wait = (millis: number) => new Promise<void>((resolve) => after(millis, resolve))
  const acceptAfter =
    (millis: number): Trouble =>
    (accepted) =>
      wait(millis).then(() => accepted)
  return {
    'error-then-ok': async (accepted, c, key) => {
      if ((await failedOnce.find(key)) !== null) return accepted
      await failedOnce.save(key, { status: 500, body: '' })
      return c.body(null, 500)
    },
    slow: acceptAfter(SLOW_MILLIS),
    silent: acceptAfter(SILENT_MILLIS),
    reset: (_, c) => {
      // A host without sockets answers 500.
      const { incoming }: Partial<HttpBindings> = c.env ?? {}
      incoming?.socket.destroy()
      return c.body(null, 500)
    },
    redirect: (_, c) => c.redirect('/demo/return'),
    dripping: (_, c) =>
      stream(c, async (out) => {
        for (let drips = 0; drips * DRIP_MILLIS < SILENT_MILLIS; drips += 1) {
          await wait(DRIP_MILLIS)
          await out.write(' ')
        }
      }),
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
  const troubles = createTroubles(timers)

  const receiver = (path: string, id: string, summary: string, endpoint: Endpoint): Route => {
    const words = [...Object.keys(HANDLERS[endpoint]), ...Object.keys(troubles)]
    const choices = `a status from 200 to 599, or one of ${words.join(', ')}`
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
        const isKnown = STATUS.test(name) || words.includes(name)
        const ref = c.req.query('merchant') || DEMO_MERCHANT
        const secrets = await value(merchants.liveSecrets(ref, host.clock.now()))
        const respond = merchantReceiver({
          secrets: () => secrets,
          names,
          on: (isKnown && HANDLERS[endpoint][name]) || HANDLERS[endpoint].accept,
          onError: name === 'error' ? ignore : errorReporter.report,
        })
        const { url, headers } = c.req.raw
        const response = await respond(
          new Request(url, { method: 'POST', headers, body: new Uint8Array(body) }),
        )
        if (!response.ok) return response
        if (!isKnown) return c.json({ error: `answer must be ${choices} (got "${name}").` }, 400)
        if (STATUS.test(name)) return new Response(null, { status: Number(name) })
        // A merchant could sign a request with the id of another merchant's delivery.
        const key = JSON.stringify([ref, endpoint, headers.get('webhook-id')])
        return troubles[name]?.(response, c, key) ?? response
      },
    })
  }

  return [
    receiver('/demo/notify', 'demoNotify', 'Receive an IPN as the demo shop', 'ipn'),
    receiver('/demo/events', 'demoEvents', 'Receive an event as the demo shop', 'events'),
  ]
}
