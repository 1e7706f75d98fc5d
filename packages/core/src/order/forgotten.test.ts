import { describe, expect, it } from 'vitest'
import { forgotten, whyStillNeeded } from './forgotten.ts'
import type { Order } from './order.ts'
import { NEW_CONTEXT, type OrderContext } from './order-context.ts'
import { type OrderState, STATE_NAMES } from './order-state.ts'

const anOrder = (state: Partial<OrderState>, context: Partial<OrderContext> = {}): Order => ({
  placed: {
    orderRef: 'order',
    placedAt: 0,
    merchant: {
      ref: 'shop',
      account: 'shop',
      country: null,
      products: ['sp1'],
      optionalFields: [],
      sendsActionEvents: false,
    },
    notifyUrl: null,
    notificationParameters: {},
    returnUrl: 'https://shop.example',
    eventsWebhook: null,
    currency: 'EUR',
    total: 9900,
    language: null,
    productCode: null,
  },
  revision: 7,
  state: { checkout: 'confirmed', risk: 'unassessed', cancellation: 'none', ...state },
  context: { ...NEW_CONTEXT, ...context },
})

const card = { token: 'c', brand: 'visa', lastFour: '1111', expiry: '12/40', maskedPan: '411111******1111' }

const told: Partial<OrderContext> = {
  updatedAt: 50,
  person: {
    given_names: 'Ana',
    surnames: 'Prueba Ensayo',
    dob_day: '02',
    dob_month: '01',
    dob_year: '1980',
    mobile_phone: '600123456',
    nin: '12345678Z',
    address: 'Calle Mayor 1',
    postal_code: '28013',
    city: 'Madrid',
  },
  otp: { issues: 1, issuedAt: 3, code: '24680', expiresAt: 9, wrong: 1 },
  session: { token: 'session-token', errors: 0, providerUrl: 'https://identity.example/ana' },
  cards: [card],
  payments: [
    {
      key: 'order:5:payment',
      token: 'pay-token',
      amount: 3300,
      state: 'succeeded',
      providerUrl: 'https://payment.example/ana',
      challenge: { token: 'proof', card, keep: true },
      voidedBy: null,
      refundedBy: null,
    },
  ],
  agreement: { product: 'sp1', instalmentCount: 3 },
  lateByMinutes: 5,
}

describe('a shopper', () => {
  it('is needed in every state that something may still follow of itself, and in no other', () => {
    const free = <Region extends keyof OrderState>(region: Region) =>
      STATE_NAMES[region].filter((name) => whyStillNeeded(anOrder({ [region]: name })) === null)
    expect(free('checkout')).toEqual(['confirmed', 'rejected', 'cancelled', 'conflicted', 'failed', 'expired'])
    expect(free('risk')).toEqual(['unassessed', 'lowRisk', 'highRisk'])
    expect(free('cancellation')).toEqual(['none', 'cancelled', 'tooLate', 'unsupported', 'unanswered'])
  })

  it('leaves nothing of himself in the order, and the order as it was', () => {
    const { order, effects, reference } = forgotten(anOrder({}, told), 60)
    expect(JSON.stringify(order)).not.toMatch(/Ana|ana|Prueba|12345678Z|600123456|Mayor|24680|1111|token"?:"[^"]/)
    expect(order).toMatchObject({ revision: 8, state: anOrder({}).state, context: { updatedAt: 60, lateByMinutes: 5 } })
    expect(order.context.agreement).toEqual(told.agreement)
    expect(order.context.payments).toMatchObject([{ key: 'order:5:payment', amount: 3300, state: 'succeeded' }])
    expect([effects, reference]).toEqual([[], null])
  })

  it('leaves a line that tells so, never before the last', () => {
    const { journal, order } = forgotten(anOrder({}, told), 40)
    const { state } = order
    expect(journal).toEqual([
      { seq: 8, at: 50, event: 'shopper.forgotten', detail: 'by the operator', from: state, to: state, input: null },
    ])
  })
})
