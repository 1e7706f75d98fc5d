import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { I1, PP3 } from '../testing/harness/order-fixture.ts'
import {
  cardOnWire,
  type Decode,
  decodeAdvice,
  decodeCards,
  decodeDone,
  decodePage,
  decodeRetryIn,
  decodeRiskLevel,
  decodeScreening,
  decodeSessionStatus,
  PROVIDER_PORTS,
  type ProviderPort,
} from './provider-answer.ts'
import { acceptsCallback, decodeCallback, type ProviderCallback } from './provider-callback.ts'

const expectRefused = <A, B>(
  decode: (body: B) => ReturnType<Decode<A>>,
  body: B,
  expected: string,
) => {
  const decoded = decode(body)
  expect(E.isLeft(decoded) ? decoded.left.join(' ') : decoded.right).toContain(expected)
}

const ORDER = '1b4e28ba-2fa1-4d2f-883f-0016d3cca427'
const idOf = (lane: string) => `${ORDER}:6:${lane}`

// A payment has no direct answer: its result arrives in a callback.
const decodePaymentResult = (body: object) =>
  E.map(({ update }: ProviderCallback) => update)(
    decodeCallback('payment')({ ...body, id: idOf('payment') }),
  )

const DAY = 86_400

describe('a provider’s request to be asked again later', () => {
  it.each([1, 60, DAY])('may give the number of seconds: %d', (seconds) => {
    expect(decodeRetryIn({ retry_in_seconds: seconds })).toEqual(E.right(seconds))
  })

  it('may omit the number of seconds', () => {
    expect(decodeRetryIn({})).toEqual(E.right(null))
    expect(decodeRetryIn({ retry_in_seconds: null })).toEqual(E.right(null))
  })

  it.each([0, -1, 1.5, DAY + 1, '60', true])('is rejected with %j', (seconds) => {
    expectRefused(
      decodeRetryIn,
      { retry_in_seconds: seconds },
      'must be a whole number from 1 to 86400, or null.',
    )
  })
})

describe('the answer to a command', () => {
  it('confirms that the command was executed', () => {
    expect(decodeDone({ done: true })).toEqual(E.right(null))
  })

  it.each([{}, { done: false }, { done: 1 }, { done: 'true' }])(
    'does not confirm it with %j',
    (body) => {
      expectRefused(decodeDone, body, 'must be true.')
    },
  )
})

describe('a screening', () => {
  it.each(['approved', 'review', 'identity', 'denied', 'error'])(
    'may have the outcome %s',
    (outcome) => {
      expect(decodeScreening()({ outcome, alternative: 'unread' })).toEqual(
        E.right({ outcome, alternative: null }),
      )
    },
  )

  it.each(['', 'APPROVED', null, 5, ['approved']])(
    'is rejected with another outcome: %j',
    (outcome) => {
      expectRefused(
        decodeScreening(),
        { outcome },
        'but must be one of approved, review, alternative, identity, denied, error.',
      )
    },
  )

  const offerOf = (agreements: unknown, forced: object = {}) => ({
    outcome: 'alternative',
    alternative: { agreements, ...forced },
  })
  const [i1, pp3] = [
    { product: 'i1', instalment_count: 1 },
    { product: 'pp3', instalment_count: 12 },
  ]

  it('may offer an alternative', () => {
    const agreements = [I1, { ...PP3, instalmentCount: 12 }]
    for (const forced_index of [undefined, null, 0, 1])
      expect(decodeScreening()(offerOf([i1, pp3], { forced_index }))).toEqual(
        E.right({
          outcome: 'alternative',
          alternative: { agreements, forcedIndex: forced_index ?? null },
        }),
      )
  })

  it('may force only an offered alternative', () => {
    expect(decodeScreening()(offerOf([i1, pp3], { forced_index: 2 }))).toEqual(
      E.left([
        'Invalid data: alternative.forced_index is 2, but must be the index of one of the 2 agreements, or null.',
      ]),
    )
    expectRefused(
      decodeScreening(),
      offerOf([i1], { forced_index: -1 }),
      'a whole number from 0 to 1000, or null.',
    )
    expectRefused(
      decodeScreening(),
      offerOf([i1], { forced_index: 1001 }),
      'a whole number from 0 to 1000, or null.',
    )
  })

  it.each([
    [{ product: 'i1', instalment_count: 2 }],
    [{ product: 'zz', instalment_count: 1 }],
    [{ product: 'i1' }],
    ['i1'],
    [null],
  ])('may offer only products of the catalogue: %j', (agreement) => {
    const expected = 'but must be an agreement like {"product":"i1","instalment_count":1}.'
    expectRefused(decodeScreening(), offerOf([agreement]), expected)
  })

  it('must have an offer if its outcome is an offer', () => {
    expectRefused(
      decodeScreening(),
      { outcome: 'alternative' },
      'alternative is missing, and must be an object.',
    )
    expectRefused(decodeScreening(), offerOf('i1'), 'alternative.agreements is "i1"')
  })
})

describe('a page for the shopper', () => {
  it('requires https in production', () => {
    expect(decodePage('https')({ url: 'https://pay.test/a b' })).toEqual(
      E.right({ url: 'https://pay.test/a%20b' }),
    )
    for (const url of [
      'http://pay.test',
      'ftp://pay.test',
      'xhttps://pay.test',
      'https://',
      '',
      null,
    ])
      expectRefused(decodePage('https'), { url }, 'must be an https URL.')
  })

  it('may use http in a sandbox', () => {
    expect(decodePage('http or https')({ url: 'http://pay.test/' })).toEqual(
      E.right({ url: 'http://pay.test/' }),
    )
    expect(decodePage('http or https')({ url: 'https://pay.test/' })).toEqual(
      E.right({ url: 'https://pay.test/' }),
    )
    for (const url of ['ftp://pay.test', 'xhttp://pay.test', 'http://'])
      expectRefused(decodePage('http or https'), { url }, 'must be an http or https URL.')
  })
})

describe('an ID session', () => {
  it.each(['VERIFIED', 'FAILED', 'ERROR'])('may have the status %s', (status) => {
    expect(decodeSessionStatus({ status })).toEqual(E.right(status))
  })

  it.each(['STARTED', 'verified', null])('is rejected with the status %j', (status) => {
    expectRefused(decodeSessionStatus, { status }, 'must be one of VERIFIED, FAILED, ERROR.')
  })
})

const card = {
  token: 'tok_1-A',
  brand: 'Visa',
  lastFour: '1111',
  expiry: '12/30',
  maskedPan: '411111******1111',
}
const onWire = cardOnWire(card)

describe('a saved card', () => {
  it('is written in the same form as it is read', () => {
    expect(onWire).toEqual({
      token: 'tok_1-A',
      brand: 'Visa',
      last_four: '1111',
      expiry_month_year: '12/30',
      masked_pan: '411111******1111',
    })
    expect(decodeCards({ cards: [onWire, onWire] })).toEqual(E.right([card, card]))
    expect(decodeCards({ cards: [] })).toEqual(E.right([]))
  })

  it.each([
    [{ token: 'x'.repeat(200) }],
    [{ brand: 'B' }],
    [{ brand: `B${'x'.repeat(39)}` }],
    [{ expiry_month_year: '01/26' }],
    [{ expiry_month_year: '10/26' }],
    [{ masked_pan: '***' }],
    [{ masked_pan: '41111111****1111' }],
  ])('may be %j', (change) => {
    expect(E.isRight(decodeCards({ cards: [{ ...onWire, ...change }] }))).toBe(true)
  })

  it.each([
    ['up to 200 letters, digits, - and _', 'token', ['', 'x'.repeat(201), 'a b', 'a\n', '§a', 5]],
    ['the name of a brand', 'brand', ['', ' Visa', `B${'x'.repeat(40)}`, 'a\nb', null]],
    ['four digits', 'last_four', ['111', '11111', 'a1111', '1111a', 'abcd']],
    [
      'MM/YY',
      'expiry_month_year',
      ['00/30', '13/30', '1/30', '12/2030', '012/30', '12-30', '12/3x', '1a/30'],
    ],
    [
      'a card number whose middle digits are *',
      'masked_pan',
      [
        '4111111111111111',
        '411111111***1111',
        '4111**1111',
        '4111****11111',
        'x***',
        '***x',
        '41a***1',
      ],
    ],
  ])('requires %s as its %s', (expected, member, values) => {
    for (const value of values)
      expectRefused(
        decodeCards,
        { cards: [{ ...onWire, [member]: value }] },
        `must be ${expected}.`,
      )
  })
})

describe('a payment', () => {
  it('that succeeded may include the card, and permission to save it', () => {
    expect(decodePaymentResult({ status: 'succeeded' })).toEqual(
      E.right({ type: 'payment.succeeded', card: null, keep: false }),
    )
    expect(decodePaymentResult({ status: 'succeeded', card: onWire, keep_card: true })).toEqual(
      E.right({ type: 'payment.succeeded', card, keep: true }),
    )
    expect(
      decodePaymentResult({ status: 'succeeded', card: null, keep_card: false, reason: 5 }),
    ).toEqual(E.right({ type: 'payment.succeeded', card: null, keep: false }))
  })

  it('that failed may include a reason', () => {
    expect(decodePaymentResult({ status: 'failed' })).toEqual(
      E.right({ type: 'payment.failed', reason: 'declined' }),
    )
    expect(decodePaymentResult({ status: 'failed', reason: 'no money_2-x', card: 5 })).toEqual(
      E.right({ type: 'payment.failed', reason: 'no money_2-x' }),
    )
    for (const reason of ['', 'x'.repeat(61), 'no!', '!no', null])
      expectRefused(
        decodePaymentResult,
        { status: 'failed', reason },
        'up to 60 letters, digits, blanks, - and _.',
      )
    expect(E.isRight(decodePaymentResult({ status: 'failed', reason: 'x'.repeat(60) }))).toBe(true)
  })

  it('that failed gives no reason with a card or phone number in it, however its digits are grouped', () => {
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
    for (const reason of ['code 12345678', 'error 51 on 2026-11-26', 'a1b2c3d4e5f6g7h8i9j0'])
      expect(decodePaymentResult({ status: 'failed', reason })).toEqual(
        E.right({ type: 'payment.failed', reason }),
      )
  })

  it('is either accepted or rejected', () => {
    expectRefused(decodePaymentResult, { status: 'open' }, 'must be one of succeeded, failed.')
    expectRefused(
      decodePaymentResult,
      { status: 'succeeded', keep_card: 'on' },
      'must be true or false.',
    )
    expectRefused(decodePaymentResult, { status: 'succeeded', card: {} }, 'card.token is missing')
  })
})

describe('a risk', () => {
  it.each(['low_risk', 'high_risk', 'under_evaluation'])('may be %s', (level) => {
    expect(decodeRiskLevel({ level })).toEqual(E.right(level))
  })

  it('rejects any other level', () => {
    expectRefused(
      decodeRiskLevel,
      { level: 'low' },
      'must be one of low_risk, high_risk, under_evaluation.',
    )
  })
})

describe('an advice to cancel', () => {
  it.each([0, 60, 365 * DAY, null])('may give seconds or null: %j', (seconds) => {
    expect(decodeAdvice({ cancel_in_seconds: seconds })).toEqual(E.right(seconds))
  })

  it.each([-1, 365 * DAY + 1, 0.5, '60', undefined])('is rejected with %j', (seconds) => {
    expectRefused(
      decodeAdvice,
      { cancel_in_seconds: seconds },
      'must be a whole number from 0 to 31536000, or null.',
    )
  })
})

const LANES = ['screening', 'sms', 'session', 'payment', 'refund', 'risk', 'watch', 'constructor']

describe('a callback', () => {
  it('can be sent to five ports', () => {
    expect(PROVIDER_PORTS).toEqual(['screening', 'sms', 'identity', 'payment', 'risk'])
  })

  it.each<readonly [ProviderPort, readonly string[]]>([
    ['screening', ['screening']],
    ['sms', []],
    ['identity', ['session']],
    ['payment', ['payment']],
    ['risk', ['risk', 'watch']],
  ])('may send %s only %j', (port, lanes) => {
    expect(LANES.filter((lane) => acceptsCallback(port, lane))).toEqual(lanes)
  })

  it.each<readonly [ProviderPort, string, object, object]>([
    [
      'screening',
      'screening',
      { outcome: 'denied' },
      { type: 'screening.resolved', outcome: 'denied', alternative: null },
    ],
    [
      'identity',
      'session',
      { status: 'VERIFIED' },
      { type: 'session.reported', status: 'VERIFIED' },
    ],
    [
      'payment',
      'payment',
      { status: 'succeeded' },
      { type: 'payment.succeeded', card: null, keep: false },
    ],
    [
      'payment',
      'payment',
      { status: 'failed', reason: 'stolen' },
      { type: 'payment.failed', reason: 'stolen' },
    ],
    ['risk', 'risk', { level: 'high_risk' }, { type: 'risk.assessed', level: 'high_risk' }],
    ['risk', 'watch', { cancel_in_seconds: 90 }, { type: 'cancellation.advised', delay: 90_000 }],
  ])('to %s answers the question in lane %s', (port, lane, overrides, update) => {
    expect(decodeCallback(port)({ id: idOf(lane), ...overrides })).toEqual(
      E.right({ id: idOf(lane), orderRef: ORDER, update: update }),
    )
  })

  it('never reports that there is no reason to cancel', () => {
    expect(decodeCallback('risk')({ id: idOf('watch'), cancel_in_seconds: null })).toEqual(
      E.left([
        'Invalid data: cancel_in_seconds is null, but must be a whole number in a callback.',
      ]),
    )
  })

  it.each([
    ...[
      undefined,
      '',
      ORDER,
      idOf('payment'),
      idOf('sms'),
      idOf('constructor'),
      `x${idOf('screening')}`,
    ],
    ...[
      `${idOf('screening')}2`,
      `${ORDER}:6a:screening`,
      `${ORDER}::screening`,
      `${ORDER}:1234567890:screening`,
    ],
    ...[`${ORDER.toUpperCase()}:6:screening`, `1b4e28b:6:screening`],
  ])('must name a question that its port was asked: %j', (id) => {
    const decoded = decodeCallback('screening')({ id, outcome: 'denied' })
    expect(E.isLeft(decoded) ? decoded.left.join(' ') : decoded.right).toContain(
      'must be the id of a question of screening.',
    )
  })

  it('may name any revision of an order', () => {
    const id = `${ORDER}:123456789:screening`
    expect(decodeCallback('screening')({ id, outcome: 'denied' })).toMatchObject(
      E.right({ id, orderRef: ORDER }),
    )
  })

  it('is rejected if its content is invalid', () => {
    expect(decodeCallback('identity')({ id: idOf('session'), status: 'SOON' })).toEqual(
      E.left(['Invalid data: status is "SOON", but must be one of VERIFIED, FAILED, ERROR.']),
    )
  })
})
