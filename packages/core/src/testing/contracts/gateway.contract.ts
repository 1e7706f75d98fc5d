// The contract of all gateways to merchants: one signed request and its result, however the
// merchant behaves. Interface §4.4 and §5, contract §6.
import type { WireNames } from '@plazo/core'
import type { HttpResponse, MerchantGateway } from '@plazo/core/ports'
import { standardWebhooksText } from '@plazo/core/signing'
import * as E from 'fp-ts/lib/Either.js'
import { hexHmac, hmacSha256 } from '../hmac.ts'
import { citeSection, type Runner } from './runner.ts'

/** The merchant's answer. Null: they do not answer, and keep the connection open. */
export type MerchantAnswer = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
} | null

/** A request as the merchant received it. Header names are in lower case. */
export type RequestReceived = {
  /** Path and query, as in the request line. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

/** What a gateway may leave to its runtime or its network, because `fetch` tells nothing of it. */
export type GatewayPromise = 'decompression' | 'header bytes' | 'checked address'

/**
 * What the tests of a gateway get for each test: gateways to one merchant, and the control of that
 * merchant.
 */
export type OpenedGateway = {
  readonly gateway: MerchantGateway
  /** A gateway with a very short timeout. */
  readonly hurried: MerchantGateway
  /** A gateway that cannot read the signing secrets. */
  readonly locked: MerchantGateway
  readonly names: WireNames
  /** The only merchant that the gateway knows, with their live secrets, the current one first. */
  readonly merchant: { readonly ref: string; readonly secrets: readonly string[] }
  /** The real time that the gateway sees; epoch milliseconds. */
  readonly now: number
  /** The merchant's address, without a slash at the end. */
  readonly url: string
  readonly received: () => readonly RequestReceived[]
  /** Sets the answer to every request from now on. */
  readonly answer: (answer: MerchantAnswer) => void
  /** An address where nobody listens. */
  readonly nobody: string
  /** An address whose host name leads into a network that must not be called. */
  readonly inside?: string
  readonly close: () => Promise<void>
}

type PostRequest = Parameters<MerchantGateway['post']>[0]

const OK = { status: 200, body: '{}' }
const BODY_BYTES_MAX = 64 * 1024
const HEADER_BYTES_MAX = 16 * 1024
const AT_ONCE = 20
/** The gateway never calls this address, even if it is allowed. */
const METADATA = 'http://169.254.169.254/latest'

/**
 * Defines the tests of a gateway to merchants. `open` is called before each test. `leavesOut`:
 * promises that this gateway does not keep, by name. Their tests are not defined.
 */
export const gatewayContract = (
  runner: Runner,
  name: string,
  open: () => Promise<OpenedGateway>,
  leavesOut: readonly GatewayPromise[] = [],
): void => {
  const { describe, it, beforeEach, afterEach, expect } = citeSection(
    runner,
    'Interface §4.4 and §5',
  )
  const unlessLeftOut = (promise: GatewayPromise, title: string, check: () => Promise<void>) => {
    if (!leavesOut.includes(promise)) it(title, check)
  }
  describe(`${name} keeps the contract of gateways`, () => {
    let opened: OpenedGateway
    beforeEach(async () => {
      opened = await open()
      opened.answer(OK)
    })
    afterEach(() => opened.close())

    const postOf = (overrides: Partial<PostRequest> = {}): PostRequest => ({
      id: 'order:1:notice',
      merchantRef: opened.merchant.ref,
      url: `${opened.url}/events`,
      contentType: 'application/x-www-form-urlencoded',
      body: 'charset=UTF-8&utf8=%E2%88%9A&event=denied',
      readsBody: true,
      ...overrides,
    })
    // A gateway may also tell what it sent.
    const post = async (overrides: Partial<PostRequest> = {}, gateway = opened.gateway) =>
      E.map(({ sent: _, ...answer }: HttpResponse) => answer)(
        await gateway.post(postOf(overrides))(),
      )
    const answerOf = (
      status: number,
      body: string | null = '{}',
      retryAfter: string | null = null,
    ) => E.right({ status, retryAfter, body })
    const failure = (error: string) => ({
      left: { _tag: 'RequestFailure', error, message: expect.stringMatching(/./) },
    })

    /** Posts, and returns the one request that the merchant receives. */
    const requestOf = async (overrides: Partial<PostRequest>): Promise<RequestReceived> => {
      const before = opened.received().length
      expect(await post(overrides)).toEqual(answerOf(200))
      const [request, ...others] = opened.received().slice(before)
      if (request === undefined || others.length > 0)
        throw new Error(`${others.length + 1} requests came of one post.`)
      return request
    }

    it('posts the unchanged body to the unchanged address, and identifies itself', async () => {
      const { names, url } = opened
      const body = '{"name":"José","signs":"✓ \\u2028"}'
      const request = await requestOf({
        url: `${url}/a%20b?shop=1&x=%C3%A9`,
        contentType: 'application/json',
        body,
      })
      expect(request).toMatchObject({ target: '/a%20b?shop=1&x=%C3%A9', body })
      expect(request.headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': String(new TextEncoder().encode(body).length),
        accept: 'application/json',
        'user-agent': names.userAgent,
      })
    })

    it('signs the body with the current secret, and the message with every live one', async () => {
      const { names, merchant, now } = opened
      const body = 'event=denied&m_name=Jos%C3%A9'
      const { headers } = await requestOf({ id: 'order:2:notice', body })
      const timestamp = Math.floor(now / 1000)
      const text = standardWebhooksText('order:2:notice', timestamp, body)
      const signatures = await Promise.all(
        merchant.secrets.map((secret) => hmacSha256(secret, text)),
      )
      expect(headers).toMatchObject({
        [names.signatureHeader.toLowerCase()]: await hexHmac(merchant.secrets[0] ?? '', body),
        'webhook-id': 'order:2:notice',
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatures
          .map((bytes) => `v1,${btoa(String.fromCharCode(...bytes))}`)
          .join(' '),
      })
    })

    unlessLeftOut('decompression', 'requests no content coding, and decodes none', async () => {
      const { headers } = await requestOf({})
      expect(headers['accept-encoding'] ?? 'identity').toBe('identity')
      opened.answer({ status: 200, headers: { 'content-encoding': 'gzip' }, body: '{}' })
      expect(await post()).toEqual(answerOf(200, null))
    })

    for (const status of [200, 204, 404, 409, 410, 500, 501, 503])
      it(`returns ${status} as an answer`, async () => {
        opened.answer({ status })
        expect(await post()).toEqual(answerOf(status, ''))
      })

    for (const status of [301, 302, 303, 307, 308])
      it(`follows no redirect: ${status} is an answer like any other`, async () => {
        const before = opened.received().length
        const location = `${opened.url}/elsewhere`
        opened.answer({ status, headers: { location }, body: '{}' })
        const answer = await post()
        // A gateway may leave out where the redirect leads.
        const redirect = E.map((right: object) => ({ ...right, location }))(answerOf(status))
        const hasLocation = E.isRight(answer) && 'location' in answer.right
        expect(answer).toEqual(hasLocation ? redirect : answerOf(status))
        expect(opened.received()).toHaveLength(before + 1)
      })

    for (const wish of ['7200', 'Mon, 05 Jan 2026 12:00:00 GMT', 'soon'])
      it(`returns Retry-After: ${wish} as it was sent`, async () => {
        opened.answer({ status: 503, headers: { 'retry-after': wish }, body: '{}' })
        expect(await post()).toEqual(answerOf(503, '{}', wish))
      })

    it('returns the body as text, including a byte order mark, and null if it is not UTF-8', async () => {
      for (const body of ['{"é":"✓"}', '\uFEFF{}']) {
        opened.answer({ status: 200, body: new TextEncoder().encode(body) })
        expect(await post()).toEqual(answerOf(200, body))
      }
      opened.answer({ status: 200, body: new Uint8Array([0x7b, 0xff, 0x7d]) })
      expect(await post()).toEqual(answerOf(200, null))
    })

    it('reads a body of 64 KiB, and no more', async () => {
      const whole = 'x'.repeat(BODY_BYTES_MAX)
      opened.answer({ status: 200, body: whole })
      expect(await post()).toEqual(answerOf(200, whole))
      opened.answer({ status: 200, body: `${whole}x` })
      expect(await post()).toMatchObject({
        left: { ...failure('response_too_large').left, status: 200 },
      })
    })

    unlessLeftOut('header bytes', 'reads no headers above 16 KiB', async () => {
      opened.answer({ status: 200, headers: { 'x-long': 'x'.repeat(HEADER_BYTES_MAX) } })
      expect(await post()).toMatchObject(failure('response_too_large'))
    })

    unlessLeftOut(
      'checked address',
      'fails if a host name leads to a blocked address',
      async () => {
        expect(await post({ url: opened.inside ?? METADATA })).toMatchObject(
          failure('blocked_address'),
        )
      },
    )

    it('accepts an answer by its status line if the body decides nothing', async () => {
      opened.answer({ status: 200, body: 'x'.repeat(2 * BODY_BYTES_MAX) })
      for (const readsBody of [false, [503]])
        expect(await post({ readsBody })).toMatchObject({
          right: { status: 200, retryAfter: null },
        })
      expect(await post({ readsBody: [200] })).toMatchObject(failure('response_too_large'))
    })

    it('keeps concurrent requests separate', async () => {
      const before = opened.received().length
      const ids = Array.from({ length: AT_ONCE }, (_, n) => `order:${n}:notice`)
      const answers = await Promise.all(ids.map((id) => post({ id, body: `id=${id}` })))
      expect(answers).toEqual(ids.map(() => answerOf(200)))
      const received = opened.received().slice(before)
      expect(received.map(({ headers }) => headers['webhook-id']).sort()).toEqual([...ids].sort())
      for (const { headers, body } of received) expect(body).toBe(`id=${headers['webhook-id']}`)
    })

    it('fails with its own error if nobody listens', async () => {
      expect(await post({ url: opened.nobody })).toMatchObject(failure('connection_refused'))
    })

    it('fails if no answer arrives in time', async () => {
      opened.answer(null)
      expect(await post({}, opened.hurried)).toMatchObject(failure('timeout'))
    })

    it('fails without a call for an unknown merchant, for unreadable secrets and for a blocked address', async () => {
      const before = opened.received().length
      expect(await post({ merchantRef: 'nobody' })).toMatchObject(failure('merchant_unknown'))
      expect(await post({}, opened.locked)).toMatchObject(failure('secrets_unavailable'))
      expect(await post({ url: METADATA })).toMatchObject(failure('blocked_address'))
      expect(opened.received()).toHaveLength(before)
    })

    it('fails without throwing if a part of the request cannot be sent', async () => {
      expect(await post({ id: 'a\r\nb: c' })).toMatchObject(failure('protocol_error'))
    })
  })
}
