import { describe, expect, it } from 'vitest'
import { ANA, I1, PLACED, VISA } from '../../testing/harness/order-fixture.ts'
import {
  deliveryEventName,
  type Effect,
  type EffectKind,
  type EffectPayload,
  effectKey,
  effectKeyParts,
  hasNoPersonalData,
  kindInLane,
  laneExcludedBy,
  queueNameOf,
  timerEvent,
  trackPending,
} from './effect.ts'

const OWNER = { account: 'shops', nin: '12345678Z', phone: '600123456' }
const MONEY = { amount: 100, currency: 'EUR' }
const REQUEST = { url: 'http://shop.test', contentType: 'text/plain', body: '' }

const PAYLOADS: { readonly [Kind in EffectKind]: Extract<EffectPayload, { readonly kind: Kind }> } =
  {
    sms: { kind: 'sms', to: '600', text: 'Your code', code: '12345' },
    screening: {
      kind: 'screening',
      person: ANA,
      agreement: I1,
      total: 100,
      currency: 'EUR',
      merchant: 'shop',
    },
    cards: { kind: 'cards', owner: OWNER },
    session: { kind: 'session', person: ANA, token: 't' },
    payment: { kind: 'payment', ...MONEY, token: 't' },
    void: { kind: 'void', payment: 'U:1:payment' },
    refund: { kind: 'refund', payment: 'U:1:payment', ...MONEY },
    card: { kind: 'card', owner: OWNER, card: VISA },
    risk: { kind: 'risk', person: ANA, ...MONEY, underEvaluation: false },
    watch: { kind: 'watch', person: ANA },
    ipn: { kind: 'ipn', state: 'approved', ...REQUEST },
    event: { kind: 'event', event: 'denied', ...REQUEST },
    timer: { kind: 'timer', timer: 'checkoutLifetime.open' },
  }

describe('a payload', () => {
  const payloads = Object.values(PAYLOADS)

  it('may be stored unencrypted only if it is a timer, or voids or refunds a payment', () => {
    expect(payloads.filter(hasNoPersonalData).map(({ kind }) => kind)).toEqual([
      'void',
      'refund',
      'timer',
    ])
  })

  it('for the merchant has a queue of its own kind, and a name in lists of deliveries', () => {
    const encrypted = payloads.flatMap((payload) => {
      const [queue, name] = [queueNameOf(payload.kind), deliveryEventName(payload)]
      return queue === 'work' && name === null ? [] : [[payload.kind, queue, name]]
    })
    expect(encrypted).toEqual([
      ['ipn', 'ipn', 'ipn'],
      ['event', 'event', 'denied'],
    ])
  })
})

describe('a revoke', () => {
  const key = (lane: string) => effectKey('U', 3, lane)
  const revoke = { type: 'revoke', lane: 'sms' } as const
  const send: Effect = {
    type: 'do',
    key: key('sms'),
    lane: 'sms',
    payload: PAYLOADS.sms,
    dueAt: 0,
    expiresAt: null,
  }

  type Keys = Readonly<Record<string, string>>

  it.each<
    [why: string, before: Keys, now: Keys, effects: readonly Effect[], kept: readonly Effect[]]
  >([
    ['stops what is awaited', { sms: 'old' }, { sms: 'old' }, [revoke], [revoke]],
    ['stops what the event has answered', { sms: 'old' }, {}, [revoke], [revoke]],
    ['stops what the same step starts', {}, {}, [send, revoke], [send, revoke]],
    ['is dropped if nothing was awaited in its lane', { ipn: 'other' }, {}, [revoke], []],
  ])('%s', (_, before, now, effects, expected) => {
    expect(trackPending(before, now, effects)).toEqual({ pending: {}, effects: expected })
  })
})

it('the answers of notices, action events, voids and saved cards are awaited by no state', () => {
  const lanes = ['sms', 'notice', 'action', 'ipn', 'void', 'card', 'cancel']
  const sent = lanes.map((lane): Effect => {
    const rest = { payload: PAYLOADS.sms, dueAt: 0, expiresAt: null }
    return { type: 'do', lane, key: lane, ...rest }
  })
  expect(Object.keys(trackPending({}, {}, sent).pending)).toEqual(['sms', 'ipn', 'cancel'])
})

describe('the parts of an effect’s key', () => {
  it('are the order, the revision and the lane', () => {
    expect(effectKeyParts('U:12:timer.open')).toEqual({
      orderRef: 'U',
      revision: 12,
      lane: 'timer.open',
    })
    expect(effectKeyParts('a:b:7:ipn')).toEqual({ orderRef: 'a:b', revision: 7, lane: 'ipn' })
    expect(effectKeyParts('a\nb:7:ipn')).toEqual({ orderRef: 'a\nb', revision: 7, lane: 'ipn' })
  })

  it.each(['', ':1:ipn', 'U:x:ipn', 'U:1:', 'U:1234567890123456:ipn', '\nU:1x:ipn', 'U:1:a:b'])(
    'do not exist in %j',
    (key) => {
      expect(effectKeyParts(key)).toEqual({ orderRef: '', revision: 0, lane: '' })
    },
  )
})

it.each([
  ['timer.checkoutLifetime', 'timer', 'ipn'],
  ['ipn', 'ipn', null],
  ['notice', 'event', null],
  ['action', 'event', null],
  ['cancel', 'event', null],
  ['sms', 'sms', null],
])('the lane %s has %s effects, which exclude the lane %s', (lane, kind, excluded) => {
  expect(kindInLane(PLACED, lane)).toBe(kind)
  expect(laneExcludedBy(lane)).toBe(excluded)
})

it('without an IPN URL, the lane ipn has the timer that gives the IPN up', () => {
  const placed = { ...PLACED, notifyUrl: null }
  expect([kindInLane(placed, 'ipn'), kindInLane(placed, 'sms')]).toEqual(['timer', 'sms'])
  expect(timerEvent('U:1:ipn', 'ipn.week')).toEqual({ type: 'ipn.exhausted', inReplyTo: 'U:1:ipn' })
})
