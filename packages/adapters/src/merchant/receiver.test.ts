import { FORM_CONTENT_TYPE, ipnBody, lifecycleEventBody, wireNames } from '@plazo/core/internal'
import { describe, expect, it } from 'vitest'
import { sign, signStandardWebhook } from '../http/signature.ts'
import {
  cancelled,
  type MerchantReceiverOptions,
  merchantReceiver,
  retryIn,
  taken,
  tooLate,
} from './internal.ts'

const SECRET = '0123456789abcdef0123456789abcdef'
const FORMER = 'fedcba9876543210fedcba9876543210'
const NOW = 1_700_000_000
const references = { first: 'A-1', second: '' }

const denied = lifecycleEventBody({ event: 'denied' }, 'ref', references, { shop: '1' })
const cancel = lifecycleEventBody(
  { event: 'cancel', cancellationRequestUrl: 'https://s.example' },
  'ref',
  references,
  {},
)
const ipn = ipnBody({
  orderRef: 'ref',
  references,
  productCode: 'pp3',
  stateParameter: 'sq_state',
  state: 'needs_review',
  sinceSeconds: 7,
  notificationParameters: { event: 'denied', basket: '9' },
})

type RequestParts = {
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

const post = ({ body = denied, method = 'POST', headers = {} }: RequestParts): Request =>
  new Request('https://shop.example/hook', {
    method,
    headers: { 'content-type': FORM_CONTENT_TYPE, ...headers },
    body: method === 'POST' ? body : null,
  })

const byBody = (body: string | Uint8Array<ArrayBuffer>, secret = SECRET): RequestParts => ({
  body,
  headers: { 'x-service-signature': sign(secret, body) },
})

const byWebhook = (
  body: string,
  {
    id = 'id-1',
    timestamp = NOW,
    secrets = [SECRET],
  }: { id?: string; timestamp?: number; secrets?: string[] } = {},
): RequestParts => ({
  body,
  headers: {
    'x-service-signature': sign(secrets[0] ?? '', body),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signStandardWebhook(secrets, { id, timestamp, body }),
  },
})

/** A receiver, and what its handlers and `onError` were called with. */
const openReceiver = (options: Partial<MerchantReceiverOptions> = {}) => {
  const webhooks: unknown[] = []
  const errors: unknown[] = []
  const note = (webhook: unknown) => void webhooks.push(webhook)
  const receive = merchantReceiver({
    secrets: [SECRET],
    clock: { now: () => NOW * 1000 },
    onError: (error) => errors.push(error),
    on: {
      denied: note,
      cancel: (webhook) => {
        note(webhook)
        return cancelled()
      },
    },
    ...options,
  })
  const respond = async (request: RequestParts) => {
    const response = await receive(post(request))
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
  }
  return { receive, respond, webhooks, errors }
}

const answer401 = (error: string) => ({ status: 401, body: { error } })
const WRONG = answer401(
  'The signature was made with none of the secrets, or the body has changed since.',
)
const CHANGED = answer401(
  'The body is not the one that was signed. Pass the raw request to the receiver, before any parser.',
)
const answerMissing = (header: string) =>
  answer401(`The header ${header} is missing. \`names\` decides its name.`)
const DONE = { status: 200, body: null }

describe('the sender of a request', () => {
  it('is verified by the interface’s signature, in any case of the header’s name', async () => {
    const { respond, webhooks } = openReceiver()
    for (const name of ['X-Service-Signature', 'x-service-signature', 'X-SERVICE-SIGNATURE'])
      expect(await respond({ headers: { [name]: sign(SECRET, denied) } })).toEqual(DONE)
    expect(webhooks).toHaveLength(3)
  })

  it('is verified by the header with the service’s own name', async () => {
    const { respond } = openReceiver({ names: wireNames('Acme', 'acme_state') })
    expect(await respond({ headers: { 'x-acme-signature': sign(SECRET, denied) } })).toEqual(DONE)
    expect(await respond(byBody(denied))).toEqual(answerMissing('X-Acme-Signature'))
  })

  it('is rejected with another secret, a changed body or another name of the header, each in a sentence of its own', async () => {
    const refusals: string[] = []
    const { respond, webhooks } = openReceiver({ onRefused: (reason) => refusals.push(reason) })
    expect(await respond(byBody(denied, FORMER))).toEqual(WRONG)
    const { headers = {} } = byBody(denied)
    const length = { 'content-length': String(denied.length) }
    const parsed = JSON.stringify(Object.fromEntries(new URLSearchParams(denied)))
    for (const changed of [
      { headers: { ...headers, ...length }, body: denied.replaceAll('=', '%3D') },
      { headers, body: parsed },
    ])
      expect(await respond(changed)).toEqual(CHANGED)
    expect(await respond({})).toEqual(answerMissing('X-Service-Signature'))
    expect([webhooks, refusals]).toEqual([[], expect.objectContaining({ length: 4 })])
  })

  it('is told that `names` differ by an IPN with another parameter', async () => {
    const named = wireNames('Acme', 'acme_state')
    const { respond } = openReceiver({ names: named, on: { ipn: () => taken() } })
    expect(await respond(byWebhook(ipn))).toEqual({
      status: 400,
      body: {
        error:
          'acme_state is neither approved nor needs_review, but sq_state is. `names` decides the parameter.',
      },
    })
  })

  it('is verified with any of the secrets, by either signature', async () => {
    const { respond } = openReceiver({ secrets: async () => [SECRET, FORMER] })
    for (const secret of [SECRET, FORMER]) {
      expect(await respond(byBody(denied, secret))).toEqual(DONE)
      expect(await respond(byWebhook(denied, { id: secret, secrets: [secret] }))).toEqual(DONE)
    }
  })

  it('is verified on the day of a rotation by a shop with only the former secret', async () => {
    const { respond } = openReceiver({ secrets: [FORMER] })
    expect(await respond(byWebhook(denied, { secrets: [SECRET, FORMER] }))).toEqual(DONE)
    expect(await respond(byBody(denied))).toEqual(WRONG)
  })

  it('is rejected if the id or timestamp was changed, even if the signature of the body is valid', async () => {
    const { respond } = openReceiver()
    const { headers } = byWebhook(denied)
    for (const changed of [{ 'webhook-id': 'id-2' }, { 'webhook-timestamp': String(NOW + 1) }])
      expect(await respond({ headers: { ...headers, ...changed } })).toEqual(WRONG)
  })

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'is rejected without %s',
    async (name) => {
      const { respond } = openReceiver()
      const { [name]: _left, ...headers } = byWebhook(denied).headers ?? {}
      expect(await respond({ headers })).toEqual({
        status: 401,
        body: { error: 'The Webhook headers are incomplete.' },
      })
    },
  )

  it('is verified only by Standard Webhooks if a timestamp is required', async () => {
    const { respond } = openReceiver({ requiresTimestamp: true })
    expect(await respond(byWebhook(denied))).toEqual(DONE)
    expect((await respond(byBody(denied))).status).toBe(401)
  })

  it('cannot be verified with an empty secret, or without a secret', async () => {
    for (const secrets of [[], undefined as never, [SECRET, '']])
      expect(() => openReceiver({ secrets })).toThrow(RangeError)
    const { respond, errors } = openReceiver({ secrets: () => [''] })
    expect((await respond(byBody(denied, ''))).status).toBe(500)
    expect(errors).toHaveLength(1)
    expect(await openReceiver({ secrets: () => [] }).respond(byBody(denied))).toEqual(WRONG)
  })
})

describe('a secret of the receiver', () => {
  it.each([`${SECRET}\r\n`, `\ufeff${SECRET}`])(
    'may have blanks around it, as from a file: %j',
    async (secret) => {
      expect(await openReceiver({ secrets: [secret] }).respond(byBody(denied))).toEqual(DONE)
      expect(await openReceiver({ secrets: async () => [secret] }).respond(byBody(denied))).toEqual(
        DONE,
      )
    },
  )

  it('may be in capitals, as `plazo merchant add --secret` accepts it', async () => {
    const secret = FORMER.toUpperCase()
    expect(await openReceiver({ secrets: [secret] }).respond(byBody(denied, secret))).toEqual(DONE)
  })

  it.each(['', SECRET.slice(1), `"${SECRET}"`, SECRET.replace('0', 'O')])(
    'that is not 32 hex digits is an error at once, which does not show it: %j',
    async (secret) => {
      const message =
        /^secrets\[1\] must be the merchant's signature_secret: 32 hex digits \(got a text of \d+ characters\)\.$/
      expect(() => openReceiver({ secrets: [SECRET, secret] })).toThrow(message)
      const { respond, errors } = openReceiver({ secrets: () => [SECRET, secret] })
      expect((await respond(byBody(denied))).status).toBe(500)
      expect(errors).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })])
    },
  )
})

describe('the age of a request', () => {
  it.each([
    [-301, 401],
    [-300, 200],
    [300, 200],
    [301, 401],
  ])('%d s from now leads to status %d', async (seconds, status) => {
    expect(
      (await openReceiver().respond(byWebhook(denied, { timestamp: NOW + seconds }))).status,
    ).toBe(status)
  })
})

describe('a repetition', () => {
  it('of a cancel gets the first answer, and is not handled again', async () => {
    const answers = [retryIn(5), cancelled()]
    let calls = 0
    const { respond } = openReceiver({ on: { cancel: () => answers[calls++] ?? tooLate(0) } })
    const first = { status: 200, body: { result: 'retry', retry_in: 5 } }
    expect(await respond(byWebhook(cancel, { id: 'q-1' }))).toEqual(first)
    expect(await respond(byWebhook(cancel, { id: 'q-1', timestamp: NOW + 10 }))).toEqual(first)
    expect(await respond(byWebhook(cancel, { id: 'q-2' }))).toEqual({
      status: 200,
      body: { result: 'cancelled' },
    })
    expect(calls).toBe(2)
  })

  it('is recognized only by its signed id: a request without one is handled each time', async () => {
    const { respond, webhooks } = openReceiver()
    await respond(byBody(denied))
    await respond(byBody(denied))
    expect(webhooks).toHaveLength(2)
  })
})

describe('a handler', () => {
  it('that throws is reported to onError, and the service asks again', async () => {
    const { respond, errors } = openReceiver({ on: { cancel: () => retryIn(1441) } })
    const { status, body } = await respond(byBody(cancel))
    expect(status).toBe(500)
    expect(JSON.stringify(body)).not.toContain('1441')
    expect(errors).toEqual([expect.any(TypeError)])
  })

  it('that is missing leads to 501 with the name of the event, until it is added', async () => {
    expect(await openReceiver({ on: {} }).respond(byBody(ipn))).toEqual({
      status: 501,
      body: { error: 'Unknown event: ipn' },
    })
    const on: { denied?: () => void } = {}
    const { respond } = openReceiver({ on })
    expect(await respond(byWebhook(denied))).toEqual({
      status: 501,
      body: { error: 'Unknown event: denied' },
    })
    on.denied = () => {}
    expect(await respond(byWebhook(denied))).toEqual(DONE)
  })
})

describe('a request that is not a known event', () => {
  it.each(['', 'event=denied', new Uint8Array([0xff, 0xfe])])(
    'is answered 400 if it is malformed: %j',
    async (body) => {
      expect((await openReceiver().respond(byBody(body))).status).toBe(400)
    },
  )

  it('is answered 405 with the allowed methods for another method', async () => {
    const response = await openReceiver().receive(post({ method: 'GET' }))
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('the size of a body', () => {
  const streamRequest = (chunks: readonly Uint8Array[]) =>
    new Request('https://shop.example/hook', {
      method: 'POST',
      body: ReadableStream.from(chunks),
      duplex: 'half',
      headers: {
        'content-type': FORM_CONTENT_TYPE,
        'x-service-signature': sign(SECRET, Buffer.concat(chunks)),
      },
    })
  const halves = [Buffer.from(denied.slice(0, 40)), Buffer.from(denied.slice(40))]

  it('may be the maximum, in any number of pieces', async () => {
    const { receive } = openReceiver({ maxBytes: Buffer.byteLength(denied) })
    expect((await receive(streamRequest(halves))).status).toBe(200)
  })

  it('above the maximum leads to 413, announced or not', async () => {
    const { receive, respond } = openReceiver({ maxBytes: Buffer.byteLength(denied) - 1 })
    expect((await receive(streamRequest(halves))).status).toBe(413)
    const { headers } = byBody(denied)
    expect(
      (await respond({ headers: { ...headers, 'content-length': String(denied.length) } })).status,
    ).toBe(413)
  })

  it('is unknown if the body breaks off, which leads to 400', async () => {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error('reset')),
    })
    const request = new Request('https://shop.example/hook', {
      method: 'POST',
      body: broken,
      duplex: 'half',
    })
    expect((await openReceiver().receive(request)).status).toBe(400)
  })

  it('is unknown if the host has already read the body, which is reported', async () => {
    const { receive, errors } = openReceiver()
    const request = post(byBody(denied))
    await request.text()
    expect((await receive(request)).status).toBe(500)
    expect(errors).toEqual([expect.any(TypeError)])
  })
})
