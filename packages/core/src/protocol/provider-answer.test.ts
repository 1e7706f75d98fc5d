import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { I1, PP3 } from '../testing/harness/order-fixture.ts'
import {
  cardOnWire,
  decodeAdvice,
  decodeCards,
  decodeDone,
  decodePage,
  decodePaymentResult,
  decodeRetryIn,
  decodeRiskLevel,
  decodeScreening,
  decodeSessionStatus,
  type ProviderPort,
} from './provider-answer.ts'
import { acceptsCallback, decodeCallback } from './provider-callback.ts'
import type { Decode } from './scalars.ts'

const ORDER = '1b4e28ba-2fa1-4d2f-883f-0016d3cca427'
const idOf = (lane: string) => `${ORDER}:6:${lane}`
const DAY = 86_400

const card = {
  token: 'tok_1-A',
  brand: 'Visa',
  lastFour: '1111',
  expiry: '12/30',
  maskedPan: '411111******1111',
}
const onWire = cardOnWire(card)

const i1 = { product: 'i1', instalment_count: 1 }
const pp3 = { product: 'pp3', instalment_count: 12 }
const offer = (alternative: unknown) => ({ outcome: 'alternative', alternative })
const offered = { agreements: [I1, { ...PP3, instalmentCount: 12 }] }

type Row = readonly [name: string, decode: Decode<unknown>, body: object, value: unknown]

const ACCEPTED: readonly Row[] = [
  ['to be asked later', decodeRetryIn, { retry_in_seconds: DAY }, DAY],
  ['to be asked later', decodeRetryIn, { retry_in_seconds: null }, null],
  ['to be asked later', decodeRetryIn, {}, null],
  ['that a command was executed', decodeDone, { done: true }, null],
  ...['approved', 'review', 'identity', 'denied', 'error'].map(
    (outcome): Row => ['an outcome', decodeScreening, { outcome }, { outcome, alternative: null }],
  ),
  ...[undefined, null, 0, 1, 2].map(
    (forced_index): Row => [
      'an offer',
      decodeScreening,
      offer({ agreements: [i1, pp3], forced_index }),
      { outcome: 'alternative', alternative: { ...offered, forcedIndex: forced_index ?? null } },
    ],
  ),
  [
    'a page',
    decodePage('https'),
    { url: 'https://pay.test/a b' },
    { url: 'https://pay.test/a%20b' },
  ],
  ['a page', decodePage('http or https'), { url: 'http://pay.test/' }, { url: 'http://pay.test/' }],
  ['a session', decodeSessionStatus, { status: 'VERIFIED' }, 'VERIFIED'],
  ['no cards', decodeCards, { cards: [] }, []],
  ['cards', decodeCards, { cards: [onWire, onWire] }, [card, card]],
  [
    'a payment',
    decodePaymentResult,
    { status: 'succeeded', card: null },
    { type: 'payment.succeeded', card: null, keep: false },
  ],
  [
    'a payment and its card',
    decodePaymentResult,
    { status: 'succeeded', card: onWire, keep_card: true },
    { type: 'payment.succeeded', card, keep: true },
  ],
  [
    'a failed payment',
    decodePaymentResult,
    { status: 'failed' },
    { type: 'payment.failed', reason: 'declined' },
  ],
  ...['no money_2-x', 'x'.repeat(60), 'code 12345678', 'error 51 on 2026-11-26'].map(
    (reason): Row => [
      'a failed payment with its reason',
      decodePaymentResult,
      { status: 'failed', reason },
      { type: 'payment.failed', reason },
    ],
  ),
  ['a risk', decodeRiskLevel, { level: 'high_risk' }, 'high_risk'],
  ...[0, 365 * DAY, null].map(
    (seconds): Row => ['an advice', decodeAdvice, { cancel_in_seconds: seconds }, seconds],
  ),
]

it.each(ACCEPTED)('a provider may answer %s: %#', (_, decode, body, value) => {
  expect(decode(body)).toEqual(E.right(value))
})

type WrongRow = readonly [
  expected: string,
  decode: Decode<unknown>,
  member: string,
  values: readonly unknown[],
]

const inCard: Decode<unknown> = (body) => decodeCards({ cards: [{ ...onWire, ...Object(body) }] })

const WRONG: readonly WrongRow[] = [
  [
    'a whole number from 1 to 86400, or null',
    decodeRetryIn,
    'retry_in_seconds',
    [0, 1.5, DAY + 1, '60'],
  ],
  ['true', decodeDone, 'done', [undefined, false, 1, 'true']],
  [
    'an object',
    (body) => decodeScreening({ ...Object(body), outcome: 'alternative' }),
    'alternative',
    [undefined, null],
  ],
  [
    'an object',
    (body) => decodeScreening(offer({ agreements: Object.values(Object(body)) })),
    '0',
    ['i1', null],
  ],
  [
    'an https URL',
    decodePage('https'),
    'url',
    ['http://pay.test', 'xhttps://pay.test', 'https://', null],
  ],
  [
    'an http or https URL',
    decodePage('http or https'),
    'url',
    ['ftp://pay.test', 'xhttp://pay.test', 'http://'],
  ],
  [
    'up to 200 letters, digits, - and _',
    inCard,
    'token',
    ['', 'x'.repeat(201), 'a b', 'a\n', '§a', 5],
  ],
  ['four digits', inCard, 'last_four', ['111', '11111', 'a1111', '1111a', 'abcd']],
  [
    'true or false',
    (body) => decodePaymentResult({ status: 'succeeded', ...Object(body) }),
    'keep_card',
    ['on'],
  ],
  [
    'up to 60 letters, digits, blanks, - and _',
    (body) => decodePaymentResult({ status: 'failed', ...Object(body) }),
    'reason',
    ['no!'],
  ],
]

it.each(WRONG)('an answer must have %s', (expected, decode, member, values) => {
  for (const value of values) {
    const decoded = decode({ [member]: value })
    const sentences = E.isLeft(decoded) ? decoded.left.join(' ') : decoded.right
    expect(sentences, JSON.stringify(value)).toContain(`must be ${expected}`)
  }
})

it('a failed payment gives no reason with a card or phone number in it, however its digits are grouped', () => {
  const group = fc.tuple(
    fc.integer({ min: 0, max: 9 }),
    fc.constantFrom('', ' ', '-', '_', '  ', ' - '),
  )
  fc.assert(
    fc.property(fc.array(group, { minLength: 9, maxLength: 12 }), (digits) => {
      const reason = `Ana ${digits.flat().join('')} x`
      expect(decodePaymentResult({ status: 'failed', reason })).toEqual(
        E.right({ type: 'payment.failed', reason: 'declined' }),
      )
    }),
  )
})

describe('a callback', () => {
  it.each<readonly [ProviderPort, readonly string[]]>([
    ['screening', ['screening']],
    ['sms', []],
    ['identity', ['session']],
    ['payment', ['payment']],
    ['risk', ['risk', 'watch']],
  ])('may send %s only %j', (port, lanes) => {
    const all = ['screening', 'sms', 'session', 'payment', 'refund', 'risk', 'watch', 'constructor']
    expect(all.filter((lane) => acceptsCallback(port, lane))).toEqual(lanes)
  })

  it.each<readonly [ProviderPort, string, object, object]>([
    [
      'screening',
      'screening',
      { outcome: 'denied' },
      { type: 'screening.resolved', outcome: 'denied', alternative: null },
    ],
    ['identity', 'session', { status: 'FAILED' }, { type: 'session.reported', status: 'FAILED' }],
    [
      'payment',
      'payment',
      { status: 'failed', reason: 'stolen' },
      { type: 'payment.failed', reason: 'stolen' },
    ],
    ['risk', 'risk', { level: 'high_risk' }, { type: 'risk.assessed', level: 'high_risk' }],
    ['risk', 'watch', { cancel_in_seconds: 90 }, { type: 'cancellation.advised', delay: 90_000 }],
  ])('to %s answers the question in lane %s', (port, lane, overrides, update) => {
    for (const id of [idOf(lane), `${ORDER}:123456789:${lane}`])
      expect(decodeCallback(port)({ id, ...overrides })).toEqual(
        E.right({ id, orderRef: ORDER, update }),
      )
  })

  it.each<readonly [ProviderPort, object, string]>([
    [
      'risk',
      { id: idOf('watch'), cancel_in_seconds: null },
      'cancel_in_seconds is null, but must be a whole number in a callback.',
    ],
    [
      'identity',
      { id: idOf('session'), status: 'SOON' },
      'status is "SOON", but must be one of VERIFIED, FAILED, ERROR.',
    ],
  ])('to %s with %j is refused', (port, body, sentence) => {
    expect(decodeCallback(port)(body)).toEqual(E.left([`Invalid data: ${sentence}`]))
  })

  it.each([
    ORDER,
    idOf('payment'),
    idOf('constructor'),
    `x${idOf('screening')}`,
    `${idOf('screening')}2`,
    `${ORDER}:6a:screening`,
    `${ORDER}:1234567890:screening`,
    `${ORDER.toUpperCase()}:6:screening`,
    '1b4e28b:6:screening',
  ])('must name a question that its port was asked: %j', (id) => {
    expect(decodeCallback('screening')({ id, outcome: 'denied' })).toEqual(
      E.left([expect.stringContaining('must be the id of a question of screening.')]),
    )
  })
})
