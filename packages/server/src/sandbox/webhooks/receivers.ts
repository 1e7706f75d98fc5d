// The demo shop receives for every merchant of the sandbox, so that a checkout finishes with nothing
// else running, and so that a developer sees what a bad shop does to it. Sandbox rules, Demo.

import { inMemoryIdempotencyStore, merchantReceiver } from '@plazo/adapters/merchant'
import type { Timers } from '@plazo/adapters/system'
import {
  ActionEvent,
  CancelAnswerBody,
  CancelForm,
  CancelledForm,
  DeniedForm,
  ipnForm,
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
} from '@plazo/server/internal'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import { accessInSandbox } from '../access.ts'
import { DEMO_MERCHANT } from '../demo-merchant.ts'
import type { SandboxServices } from '../services.ts'
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
  501: jsonAnswer('The shop does not know this event.', ReceiverError),
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

const unknownAnswer = (endpoint: Endpoint, name: string) => ({
  error: `answer must be a status from 200 to 599, or one of ${acceptedAnswers(endpoint).join(', ')} (got "${name}").`,
})

export const receiverRoutes = (
  { host, merchants, errorReporter, setting: { names } }: SandboxServices,
  timers: Pick<Timers, 'after'>,
): readonly Route[] => {
  const answers = inMemoryIdempotencyStore()
  const answerWithTrouble = createTroubles(timers)

  const access = accessInSandbox((c) => {
    const ref = c.req.query('merchant') || DEMO_MERCHANT
    return pipe(
      merchants.liveSecrets(ref, host.clock.now()),
      TE.map((secrets) => ({ ref, secrets })),
    )
  })

  const receiver = (path: string, id: string, summary: string, endpoint: Endpoint): Route =>
    route(`POST ${path}`, id, summary, {
      access,
      description:
        'A checkout can finish with it, without another server. It requires the merchant’s signature.',
      parameters: {
        merchant: query('The merchant that has signed. Default: demo.'),
        answer: query(
          `How it answers: a status from 200 to 599, or one of ${acceptedAnswers(endpoint).join(', ')}. Default: accept.`,
        ),
      },
      kibMax: 4096,
      problems: { 413: 'The body is over 4 MiB.' },
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
        return accepted.ok ? answerWithTrouble(name, { c, key, accepted }) : accepted
      },
    })

  return [
    receiver('/demo/notify', 'demoNotify', 'Receive an IPN as the demo shop', 'ipn'),
    receiver('/demo/events', 'demoEvents', 'Receive an event as the demo shop', 'events'),
  ]
}
