import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WaitAction } from './action.ts'
import { ipnParameterNames } from './order-payload.ts'
import {
  actionEventBody,
  ipnBody,
  LIFECYCLE_EVENTS,
  type LifecycleEvent,
  lifecycleEventBody,
  RiskLevel,
} from './webhook-event.ts'

const orderRef = '0b7f3f5e-6a51-4f0e-9d7c-2f1f8a6c9b10'
const references = { first: 'A-1', second: 'B 2' }
const parameters = { storeId: '1', signature: 'chosen-by-the-shop' }
const bodyOf = (event: LifecycleEvent, overrides: Readonly<Record<string, string>> = parameters): string =>
  lifecycleEventBody(event, orderRef, references, overrides)

const prefix = 'charset=UTF-8&utf8=%E2%88%9A'
const own = `order_ref_1=A-1&order_ref_2=B+2&order_ref=${orderRef}`
const merchants = 'm_signature=chosen-by-the-shop&m_storeId=1'

const event: fc.Arbitrary<LifecycleEvent> = fc.oneof(
  fc.constantFrom<LifecycleEvent>({ event: 'cancelled' }, { event: 'denied' }),
  fc
    .constantFrom('low_risk' as const, 'high_risk' as const, 'under_evaluation' as const)
    .map((riskLevel) => ({ event: 'risk_assessment' as const, riskLevel })),
  fc.string().map((cancellationRequestUrl) => ({ event: 'cancel' as const, cancellationRequestUrl })),
)
const text = fc.string({ unit: 'grapheme' })
const flatStrings = fc.dictionary(text, text, { maxKeys: 8, noNullPrototype: true })

describe('a lifecycle event', () => {
  it('is one of four events', () => {
    expect(LIFECYCLE_EVENTS).toEqual(['cancelled', 'cancel', 'denied', 'risk_assessment'])
  })

  it.each(['cancelled', 'denied'] as const)('%s has no parameters of its own', (name) => {
    expect(bodyOf({ event: name })).toBe(`${prefix}&event=${name}&${own}&${merchants}`)
  })

  it.each(['low_risk', 'high_risk', 'under_evaluation'] as const)('risk_assessment carries %s', (riskLevel) => {
    expect(bodyOf({ event: 'risk_assessment', riskLevel })).toBe(
      `${prefix}&event=risk_assessment&${own}&risk_level=${riskLevel}&${merchants}`,
    )
  })

  it('cancel carries the link to the back office', () => {
    const cancellationRequestUrl = `http://localhost:3000/console/orders/${orderRef}?a=b c`
    expect(bodyOf({ event: 'cancel', cancellationRequestUrl })).toBe(
      `${prefix}&event=cancel&${own}&cancellation_request_url=http%3A%2F%2Flocalhost%3A3000%2Fconsole%2Forders%2F${orderRef}%3Fa%3Db+c&${merchants}`,
    )
  })

  it('sends missing references as empty', () => {
    expect(lifecycleEventBody({ event: 'denied' }, orderRef, { first: '', second: '' }, {})).toBe(
      `${prefix}&event=denied&order_ref_1=&order_ref_2=&order_ref=${orderRef}`,
    )
  })

  it('sorts the merchant’s parameters by code unit, and encodes them like a form', () => {
    expect(
      bodyOf({ event: 'denied' }, { b: 'ñ', a: 'x y', 'a-b': '*~', Z: '+&=', '10': '', '9': '√', ａ: '', '😀': '' }),
    ).toBe(
      `${prefix}&event=denied&${own}&m_10=&m_9=%E2%88%9A&m_Z=%2B%26%3D&m_a=x+y&m_a-b=*%7E&m_b=%C3%B1&m_%F0%9F%98%80=&m_%EF%BD%81=`,
    )
  })

  it('is never overwritten by a merchant’s parameter', () => {
    const hostile = { event: 'cancelled', order_ref: 'another', risk_level: 'low_risk', __proto: 'x' }
    const form = new URLSearchParams(bodyOf({ event: 'risk_assessment', riskLevel: 'high_risk' }, hostile))
    expect(form.getAll('event')).toEqual(['risk_assessment'])
    expect(form.getAll('order_ref')).toEqual([orderRef])
    expect(form.getAll('risk_level')).toEqual(['high_risk'])
    expect(form.get('m_risk_level')).toBe('low_risk')
  })

  it('is parsed as a form to exactly what was sent, in the order of the contract', () => {
    fc.assert(
      fc.property(event, text, text, text, flatStrings, (lifecycle, ref, first, second, input) => {
        const extra =
          lifecycle.event === 'cancel'
            ? [['cancellation_request_url', lifecycle.cancellationRequestUrl]]
            : lifecycle.event === 'risk_assessment'
              ? [['risk_level', lifecycle.riskLevel]]
              : []
        const names = Object.keys(input).sort()
        expect([...new URLSearchParams(lifecycleEventBody(lifecycle, ref, { first, second }, input))]).toEqual([
          ['charset', 'UTF-8'],
          ['utf8', '√'],
          ['event', lifecycle.event],
          ['order_ref_1', first],
          ['order_ref_2', second],
          ['order_ref', ref],
          ...extra,
          ...names.map((name) => [`m_${name}`, input[name]]),
        ])
      }),
    )
  })

  it('has the same body regardless of the order of the merchant’s parameters', () => {
    fc.assert(
      fc.property(event, flatStrings, (lifecycle, input) => {
        const reversed = Object.fromEntries(Object.entries(input).reverse())
        expect(bodyOf(lifecycle, reversed)).toBe(bodyOf(lifecycle, input))
      }),
    )
  })
})

it('a risk level is one of three levels', () => {
  for (const level of ['low_risk', 'high_risk', 'under_evaluation']) expect(RiskLevel.is(level)).toBe(true)
  for (const other of ['', 'LOW_RISK', 'low', 'toString', null, 1]) expect(RiskLevel.is(other)).toBe(false)
})

const actionOrderRef = '0b7f3f5e-6a51-4f0e-9d7c-2f1f8a6c9b10'
const actionReferences = { first: 'A-1', second: '' }
const tail = `"order_ref":"${actionOrderRef}","order_ref_1":"A-1","order_ref_2":""`
const actionBodyOf = (action: WaitAction, parameters: Readonly<Record<string, string>> = {}): string =>
  actionEventBody(action, actionOrderRef, actionReferences, parameters)

const actions: readonly WaitAction[] = [
  { action: 'finish', return_url: 'https://shop.example.test/back' },
  { action: 'show_conflict' },
  { action: 'show_on_hold', return_url: 'https://shop.example.test/back' },
  { action: 'wait_for_screening', expires_in: 60 },
  { action: 'resume_after_screening' },
  { action: 'wait_for_confirmation' },
  { action: 'wait_for_on_hold' },
  {
    action: 'alt_payment',
    title: 'Choose',
    messages: [],
    credit_agreements: [],
    forced_credit_agreement_index: null,
    errors: {},
  },
  { action: 'wait_for_id_verification', session_url: 'https://id.example.test', status: 'STARTED', message: 'Please.' },
  { action: 'show_identification_form' },
  {
    action: 'require_payment',
    iframe_url: 'https://pay.example.test',
    reusable_cards: [],
    amount: { value: 4284, string: '€42.84' },
  },
  { action: 'require_validate_otp' },
  { action: 'show_error', messages: ['The order could not be processed.'] },
  { action: 'reject' },
]

describe('an identification-action event', () => {
  it('contains the event, the action with its attributes, the references, then the merchant’s parameters sorted', () => {
    expect(
      actionBodyOf(
        {
          action: 'wait_for_id_verification',
          session_url: 'https://id.example.test',
          status: 'STARTED',
          message: 'Please verify your identity.',
        },
        { storeId: '1', signature: 'chosen-by-the-shop' },
      ),
    ).toBe(
      `{"event":"identification_action","action":"wait_for_id_verification","session_url":"https://id.example.test","status":"STARTED","message":"Please verify your identity.",${tail},"m_signature":"chosen-by-the-shop","m_storeId":"1"}`,
    )
  })

  it('is parsed back to what was sent, regardless of the names of the merchant’s parameters', () => {
    const text = fc.string({ unit: 'grapheme' })
    const name = fc.oneof(text, fc.constantFrom('event', 'action', 'order_ref', 'message', '__proto__', '1'))
    fc.assert(
      fc.property(
        fc.constantFrom(...actions),
        fc.dictionary(name, text, { noNullPrototype: true }),
        (action, input) => {
          const members: Readonly<Record<string, unknown>> = JSON.parse(actionBodyOf(action, input))
          const names = Object.keys(input).sort()
          expect(Object.entries(members)).toEqual([
            ['event', 'identification_action'],
            ...Object.entries(action),
            ['order_ref', actionOrderRef],
            ['order_ref_1', 'A-1'],
            ['order_ref_2', ''],
            ...names.map((each) => [`m_${each}`, input[each]]),
          ])
        },
      ),
    )
  })
})

const ipn = {
  orderRef,
  references,
  productCode: 'pp3',
  stateParameter: 'sq_state',
  state: 'approved' as const,
  sinceSeconds: 0,
  notificationParameters: parameters,
}

describe('an IPN', () => {
  it('reports that the order is approved, and since when', () => {
    expect(ipnBody(ipn)).toBe(
      `order_ref=${orderRef}&order_ref_1=A-1&order_ref_2=B+2&product_code=pp3&sq_state=approved&approved_since=0&storeId=1&signature=chosen-by-the-shop`,
    )
  })

  it('reports that the order needs review, and since when', () => {
    expect(ipnBody({ ...ipn, state: 'needs_review', sinceSeconds: 86400, notificationParameters: {} })).toBe(
      `order_ref=${orderRef}&order_ref_1=A-1&order_ref_2=B+2&product_code=pp3&sq_state=needs_review&needs_review_since=86400`,
    )
  })

  it('sends missing references as empty, and the state under the configured name', () => {
    expect(
      ipnBody({ ...ipn, references: { first: '', second: '' }, stateParameter: 'state', notificationParameters: {} }),
    ).toBe(`order_ref=${orderRef}&order_ref_1=&order_ref_2=&product_code=pp3&state=approved&approved_since=0`)
  })

  it('is parsed as a form to exactly what was sent, including the merchant’s own entries', () => {
    fc.assert(
      fc.property(
        fc.record({
          orderRef: text,
          references: fc.record({ first: text, second: text }),
          productCode: fc.constantFrom('i1', 'pp3', 'sp1', 'fp1'),
          stateParameter: fc.constantFrom('sq_state', 'state'),
          state: fc.constantFrom('approved' as const, 'needs_review' as const),
          sinceSeconds: fc.nat(),
          notificationParameters: fc.dictionary(text, text, { noNullPrototype: true }),
        }),
        (result) => {
          expect([...new URLSearchParams(ipnBody(result))]).toEqual([
            ['order_ref', result.orderRef],
            ['order_ref_1', result.references.first],
            ['order_ref_2', result.references.second],
            ['product_code', result.productCode],
            [result.stateParameter, result.state],
            [result.state === 'approved' ? 'approved_since' : 'needs_review_since', String(result.sinceSeconds)],
            ...Object.entries(result.notificationParameters),
          ])
        },
      ),
    )
  })

  it('has no parameter that a merchant’s parameter may be named like', () => {
    for (const state of ['approved', 'needs_review'] as const) {
      const names = [...new URLSearchParams(ipnBody({ ...ipn, state, notificationParameters: {} })).keys()]
      for (const name of names) expect(ipnParameterNames('sq_state')).toContain(name)
    }
  })
})
