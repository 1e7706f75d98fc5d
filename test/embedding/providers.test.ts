// Checks every example in the provider guide against the code: the requests against what plazo
// sends, the answers and callbacks against what plazo makes of them.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  derivePortSecrets,
  type RemoteOptions,
  remoteIdentity,
  remotePayments,
  remoteRisk,
  remoteScreening,
  remoteSms,
  verifyCallback,
} from '@plazo/adapters/internal/provider'
import {
  decodeCallback,
  type EffectKind,
  type PayloadOf,
  type ProviderError,
  type ProviderPort,
  type ProviderReply,
  type ProviderRequest,
} from '@plazo/core/internal'
import { SHOPPER as person } from '@plazo/core/internal/testing'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { afterAll, describe, expect, it } from 'vitest'
import { startReceiver } from '../harness/receiver.ts'

const guide = readFileSync(
  fileURLToPath(new URL('../../docs/providers.md', import.meta.url)),
  'utf8',
)

type Kind = 'question' | 'answer' | 'callback'
type Json = Readonly<Record<string, unknown>>

/** The examples, by the heading of their request. */
const examples = new Map(
  guide
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const of = (kind: Kind): readonly Json[] =>
        [...section.matchAll(new RegExp(`\`\`\`json ${kind}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
          ([, json = '']) => JSON.parse(json) as Json,
        )
      return [
        section.split('\n')[0] ?? '',
        { questions: of('question'), answers: of('answer'), callbacks: of('callback') },
      ]
    }),
)

const ORDER = '1b4e28ba-2fa1-4d2f-883f-0016d3cca427'
const OPENING = `${ORDER}:6:payment`
const FIRST = Date.UTC(2026, 0, 5, 12)
const SECRETS = derivePortSecrets([Buffer.alloc(32, 1), Buffer.alloc(32, 2)], 'screening')

const owner = { account: 'shop', nin: '12345678Z', phone: '600123456' }
const card = {
  token: 'c_81f2',
  brand: 'visa',
  lastFour: '1111',
  expiry: '07/29',
  maskedPan: '411111******1111',
}
const currency = 'EUR'

const requestOf = <K extends EffectKind>(
  key: string,
  payload: PayloadOf<K>,
): ProviderRequest<K> => ({
  key: `${ORDER}:${key}`,
  orderRef: ORDER,
  payload,
  firstAt: FIRST,
  at: FIRST + 60_000,
})

type PortExample = {
  readonly port: ProviderPort
  readonly ask: (options: RemoteOptions) => TaskEither<ProviderError, ProviderReply<unknown>>
  readonly answers: readonly unknown[]
  readonly updates: readonly Json[]
}

const TOLD: Readonly<Record<string, PortExample>> = {
  'screening.screen': {
    port: 'screening',
    ask: (options) =>
      remoteScreening(options).screen(
        requestOf('4:screening', {
          kind: 'screening',
          person,
          agreement: { product: 'pp3', instalmentCount: 3 },
          total: 12_100,
          currency,
          merchant: 'shop',
        }),
      ),
    answers: [
      { outcome: 'approved', alternative: null },
      {
        outcome: 'alternative',
        alternative: { agreements: [{ product: 'i1', instalmentCount: 1 }], forcedIndex: 0 },
      },
    ],
    updates: [{ type: 'screening.resolved', outcome: 'review', alternative: null }],
  },
  'sms.send': {
    port: 'sms',
    ask: (options) =>
      remoteSms(options).send(
        requestOf('2:sms', {
          kind: 'sms',
          to: '+34600123456',
          text: 'Your code is 24680.',
          code: '24680',
        }),
      ),
    answers: [null],
    updates: [],
  },
  'identity.open': {
    port: 'identity',
    ask: (options) =>
      remoteIdentity(options, 'https').open(
        requestOf('6:session', { kind: 'session', person, token: 'token' }),
      ),
    answers: [
      { type: 'opened', url: 'https://identity.example/sessions/7' },
      { type: 'reported', status: 'VERIFIED' },
    ],
    updates: [{ type: 'session.reported', status: 'FAILED' }],
  },
  'payment.open': {
    port: 'payment',
    ask: (options) =>
      remotePayments(options, 'https').open(
        requestOf('6:payment', { kind: 'payment', amount: 4284, currency, token: 'token' }),
      ),
    answers: [{ url: 'https://payment.example/pay/7' }],
    updates: [
      { type: 'payment.succeeded', card, keep: true },
      { type: 'payment.succeeded', card: null, keep: false },
      { type: 'payment.failed', reason: 'insufficient funds' },
    ],
  },
  'payment.void': {
    port: 'payment',
    ask: (options) =>
      remotePayments(options, 'https').void(
        requestOf('8:void', { kind: 'void', payment: OPENING }),
      ),
    answers: [null],
    updates: [],
  },
  'payment.refund': {
    port: 'payment',
    ask: (options) =>
      remotePayments(options, 'https').refund(
        requestOf('12:refund', { kind: 'refund', payment: OPENING, amount: 4284, currency }),
      ),
    answers: [null],
    updates: [],
  },
  'payment.keep': {
    port: 'payment',
    ask: (options) =>
      remotePayments(options, 'https').keep(requestOf('9:card', { kind: 'card', owner, card })),
    answers: [null],
    updates: [],
  },
  'payment.recall': {
    port: 'payment',
    ask: (options) =>
      remotePayments(options, 'https').recall(requestOf('4:cards', { kind: 'cards', owner })),
    answers: [[card]],
    updates: [],
  },
  'risk.assess': {
    port: 'risk',
    ask: (options) =>
      remoteRisk(options).assess(
        requestOf('9:risk', {
          kind: 'risk',
          person,
          amount: 12_100,
          currency,
          underEvaluation: false,
        }),
      ),
    answers: ['under_evaluation'],
    updates: [{ type: 'risk.assessed', level: 'low_risk' }],
  },
  'risk.watch': {
    port: 'risk',
    ask: (options) => remoteRisk(options).watch(requestOf('9:watch', { kind: 'watch', person })),
    answers: [null, { cancelIn: 0 }],
    updates: [{ type: 'cancellation.advised', delay: 600_000 }],
  },
}

describe('the guide to providers', async () => {
  const receiver = await startReceiver()
  afterAll(() => receiver.close())

  const optionsFor = (port: ProviderPort, path: string): RemoteOptions => ({
    url: `${receiver.url}/${path}`,
    callbackUrl: `https://pay.example/providers/${port}`,
    secrets: SECRETS,
    userAgent: 'Service-Provider/1.0',
    realNow: () => FIRST,
  })

  it('describes every request', () => {
    expect([...examples.keys()].sort()).toEqual(Object.keys(TOLD).sort())
  })

  it.each(Object.entries(TOLD))(
    'shows %s with its request, its answer and its callback',
    async (name, { port, ask, answers, updates }) => {
      const example = examples.get(name)
      expect(example?.questions).toHaveLength(1)
      expect(example?.answers).toHaveLength(answers.length)
      expect(example?.callbacks).toHaveLength(updates.length)

      for (const [index, answer] of (example?.answers ?? []).entries()) {
        receiver.answer(`/${name}`, { status: 200, body: JSON.stringify(answer) })
        expect(await ask(optionsFor(port, name))()).toEqual(
          E.right({ type: 'answer', value: answers[index] }),
        )
      }
      const requests = receiver.received.filter(({ path }) => path === `/${name}`)
      const [first] = requests
      const [question] = example?.questions ?? []
      expect(JSON.parse(first?.body ?? '')).toEqual(question)
      expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
      expect(first?.headers).toMatchObject({
        'idempotency-key': question?.id,
        'webhook-id': question?.id,
        'webhook-timestamp': String(FIRST / 1000),
        'user-agent': 'Service-Provider/1.0',
        'content-type': 'application/json',
      })
      // Signed with each of two live secrets, in the same way as a callback.
      for (const secret of SECRETS) {
        const headers = new Headers(
          Object.entries(first?.headers ?? {}).map(([header, value]): [string, string] => [
            header,
            String(value),
          ]),
        )
        const received = { headers, bytes: Buffer.from(first?.body ?? '') }
        expect(verifyCallback([secret], () => FIRST, received)).toEqual(E.right(first?.body))
      }

      for (const [index, callback] of (example?.callbacks ?? []).entries())
        expect(decodeCallback(port)(callback)).toEqual(
          E.right({ id: question?.id, orderRef: ORDER, update: updates[index] }),
        )
    },
  )
})
