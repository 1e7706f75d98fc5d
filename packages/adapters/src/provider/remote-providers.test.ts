import { gzipSync } from 'node:zlib'
import type {
  ProviderReply as PortReply,
  ProviderError,
  ProviderRequest,
  RiskLevel,
} from '@plazo/core/internal'
import { SHOPPER as person } from '@plazo/core/internal/testing'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startConnectProxy } from '../../../../test/harness/connect-proxy.ts'
import {
  HEAD,
  hangs,
  type Reply,
  rawMerchant,
  replies,
} from '../../../../test/harness/raw-merchant.ts'
import { IN_FLIGHT_MAX, type RemoteOptions } from './provider-client.ts'
import { remoteIdentity, remotePayments, remoteRisk } from './remote-providers.ts'

const SECOND = 1000
const DAY = 86_400 * SECOND
const FIRST = Date.UTC(2026, 0, 5)
const ORDER = '1b4e28ba-2fa1-4d2f-883f-0016d3cca427'

const REQUEST = { orderRef: ORDER, firstAt: FIRST, at: FIRST }
const assessing: ProviderRequest<'risk'> = {
  ...REQUEST,
  key: `${ORDER}:9:risk`,
  payload: { kind: 'risk', person, amount: 12_100, currency: 'EUR', underEvaluation: false },
}
const session: ProviderRequest<'session'> = {
  ...REQUEST,
  key: `${ORDER}:6:session`,
  payload: { kind: 'session', person, token: 't' },
}
const cards: ProviderRequest<'cards'> = {
  ...REQUEST,
  key: `${ORDER}:4:cards`,
  payload: { kind: 'cards', owner: { account: 'shop', nin: '12345678Z', phone: '600123456' } },
}

const replyWith = (status: string, body: string, headers = ''): Reply =>
  replies(
    `HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`,
  )

const ok = (body: unknown): Reply => replyWith('200 OK', JSON.stringify(body))
const acceptedReply = (body: string): Reply => replyWith('202 Accepted', body)

/** A provider that gives every request this reply, and the options of its port. */
const aProvider = async (reply: Reply, timeoutMillis = 10_000) => {
  const provider = await rawMerchant(reply)
  const options: RemoteOptions = {
    url: provider.url,
    callbackUrl: 'https://pay.example/providers/x',
    secrets: ['secret'],
    userAgent: 'Service-Provider/1.0',
    realNow: Date.now,
    timeoutMillis,
  }
  const closeAfterTest = <Port extends { readonly close: () => void }>(port: Port): Port => {
    onTestFinished(() => port.close())
    return port
  }
  return { provider, options, closeAfterTest }
}

type ReplyResult<A> = E.Either<ProviderError, PortReply<A>>

const assess = async (
  reply: Reply,
  at = FIRST,
  timeoutMillis?: number,
): Promise<ReplyResult<RiskLevel>> => {
  const { options, closeAfterTest } = await aProvider(reply, timeoutMillis)
  return closeAfterTest(remoteRisk(options)).assess({ ...assessing, at })()
}

const failure = (message: string, cause: object = {}) =>
  E.left(expect.objectContaining({ _tag: 'ProviderError', message, ...cause }))

describe('an answer', () => {
  it('is the content of a 200; unknown members are ignored', async () => {
    expect(await assess(ok({ level: 'low_risk', score: 7 }))).toEqual(
      E.right({ type: 'answer', value: 'low_risk' }),
    )
  })

  it('may start with a byte order mark, and have no content type', async () => {
    expect(await assess(replyWith('200 OK', '\ufeff{"level":"high_risk"}'))).toMatchObject({
      right: { value: 'high_risk' },
    })
  })

  it('of 202 means that there is none yet, for the given time', async () => {
    expect(await assess(acceptedReply('{"retry_in_seconds":7}'))).toEqual(
      E.right({ type: 'later', inMillis: 7 * SECOND }),
    )
    expect(await assess(acceptedReply('{"retry_in_seconds":86400}'))).toMatchObject({
      right: { inMillis: DAY },
    })
  })

  it.each([
    [0, 10 * SECOND],
    [9 * SECOND, 10 * SECOND],
    [10 * SECOND, 10 * SECOND],
    [70 * SECOND, 70 * SECOND],
    [3 * DAY, DAY],
  ])(
    'of 202 without a time, %i ms after the first request, delays the next request by %i ms',
    async (after, inMillis) => {
      for (const body of ['', '{}', '{"retry_in_seconds":null}'])
        expect(await assess(acceptedReply(body), FIRST + after)).toEqual(
          E.right({ type: 'later', inMillis }),
        )
    },
  )
})

describe('an invalid answer', () => {
  it.each<[string, Reply, string]>([
    ['is not JSON', replyWith('200 OK', '<html>'), 'wrong answer: body is not JSON.'],
    [
      'is compressed',
      replies(
        `${HEAD}Content-Encoding: gzip\r\nConnection: close\r\n\r\n`,
        gzipSync('{"level":"low_risk"}'),
      ),
      'wrong answer: body is not JSON.',
    ],
    [
      'is not UTF-8',
      replies(`${HEAD}Content-Length: 2\r\n\r\n`, new Uint8Array([0xff, 0xfe])),
      'wrong answer: body is not JSON.',
    ],
  ])('that %s is a failure with a reason', async (_, reply, message) => {
    expect(await assess(reply)).toEqual(failure(message))
  })

  it.each(['201 Created', '204 No Content', '302 Found', '404 None', '503 Not now'])(
    'is %s, regardless of the target',
    async (status) => {
      const body = '{"level":"low_risk"}'
      const reply = status.startsWith('204')
        ? replies(`HTTP/1.1 ${status}\r\n\r\n`)
        : replyWith(status, body, 'Location: http://127.0.0.1:9/\r\n')
      const code = status.slice(0, 3)
      expect(await assess(reply)).toEqual(
        failure(`answered ${code}, but must be 200 or 202.`, {
          reason: 'answered',
          status: Number(code),
        }),
      )
    },
  )

  it('that never arrives is a failure within the time limit', async () => {
    expect(await assess(hangs, FIRST, 300)).toMatchObject({ left: { reason: 'timeout' } })
  })
})

it('a page may be absent from an ID session that has already ended', async () => {
  const { options, closeAfterTest } = await aProvider(ok({ status: 'FAILED' }))
  expect(await closeAfterTest(remoteIdentity(options, 'https')).open(session)()).toMatchObject({
    right: { value: { type: 'reported', status: 'FAILED' } },
  })
})

it('a card with its full number is a failure that does not repeat the number', async () => {
  const whole = { token: 'c1', brand: 'visa', last_four: '1111', expiry_month_year: '07/26' }
  const answer = {
    cards: [
      { ...whole, masked_pan: '411111******1111' },
      { ...whole, masked_pan: '4111111111111111' },
    ],
  }
  const { options, closeAfterTest } = await aProvider(ok(answer))
  expect(await closeAfterTest(remotePayments(options, 'https')).recall(cards)()).toEqual(
    failure(
      'wrong answer: cards.1.masked_pan is "…", but must be a card number whose middle digits are *.',
      {
        reason: 'wrong_answer',
        member: 'cards.1.masked_pan',
      },
    ),
  )
})

describe('a provider', () => {
  it('that hangs gets a limited number of requests at once: others are sent a second later', async () => {
    const { provider, options, closeAfterTest } = await aProvider(hangs, 300)
    const risk = closeAfterTest(remoteRisk(options))
    const hanging = Array.from({ length: IN_FLIGHT_MAX }, () => risk.assess(assessing)())
    expect(await risk.assess(assessing)()).toEqual(E.right({ type: 'later', inMillis: SECOND }))
    for (const input of await Promise.all(hanging))
      expect(input).toMatchObject({ left: { _tag: 'ProviderError' } })
    expect(provider.requests).toHaveLength(IN_FLIGHT_MAX)
    expect(await risk.assess(assessing)()).toMatchObject({ left: { _tag: 'ProviderError' } })
  })
})

it('a provider is called through the proxy, except on this machine', async () => {
  const { provider, options, closeAfterTest } = await aProvider(ok({ level: 'low_risk' }))
  const { proxy, connects } = await startConnectProxy()
  const answer = E.right({ type: 'answer', value: 'low_risk' })
  for (const host of ['risk.test', '127.0.0.1']) {
    const url = `http://${host}:${provider.port}/`
    const risk = closeAfterTest(remoteRisk({ ...options, url, proxy }))
    expect(await risk.assess(assessing)()).toEqual(answer)
  }
  expect(connects).toMatchObject([{ authority: `risk.test:${provider.port}` }])
})
