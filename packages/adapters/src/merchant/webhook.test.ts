import {
  actionEventBody,
  FORM_CONTENT_TYPE,
  ipnBody,
  ipnParameterNames,
  type LifecycleEvent,
  lifecycleEventBody,
  WaitAction,
} from '@plazo/core/internal'
import { valuesOf } from '@plazo/core/testing'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { readWebhook } from './webhook.ts'

const JSON_TYPE = 'application/json'

// Half of a surrogate pair is left out: a form cannot carry it, and a shop's JSON order cannot
// contain it.
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '',
    ' ',
    '\uFEFF',
    'a\r\nb',
    '&=+%',
    'm_',
    '√',
    '\0',
    'https://shop.example/?a=1&b=ñ',
  ),
)
const name = fc.oneof(
  text,
  fc.constantFrom(
    'event',
    'order_ref',
    'order_ref_1',
    'product_code',
    'sq_state',
    'action',
    '__proto__',
    '1',
    'm_a',
  ),
)
const dictionaryOf = (isFree: (name: string) => boolean) =>
  fc.dictionary(name.filter(isFree), text, { noNullPrototype: true, maxKeys: 6 })
const parameters = dictionaryOf(() => true)
const plain = <A extends object>(model: { [K in keyof A]: fc.Arbitrary<A[K]> }): fc.Arbitrary<A> =>
  fc.record(model).map((record): A => ({ ...record }))

const references = plain({ first: text, second: text })
const waitAction = valuesOf(WaitAction) as fc.Arbitrary<WaitAction>

const lifecycleEvent: fc.Arbitrary<LifecycleEvent> = fc.oneof(
  fc.constantFrom<LifecycleEvent>({ event: 'cancelled' }, { event: 'denied' }),
  fc
    .constantFrom('low_risk', 'high_risk', 'under_evaluation')
    .map((riskLevel): LifecycleEvent => ({ event: 'risk_assessment', riskLevel })),
  text.map(
    (cancellationRequestUrl): LifecycleEvent => ({ event: 'cancel', cancellationRequestUrl }),
  ),
)

describe('the service’s requests are parsed exactly', () => {
  it('as a lifecycle event, regardless of the names of the merchant’s parameters', () => {
    fc.assert(
      fc.property(
        lifecycleEvent,
        text,
        references,
        parameters,
        (event, orderRef, input, overrides) => {
          const body = lifecycleEventBody(event, orderRef, input, overrides)
          expect(readWebhook(FORM_CONTENT_TYPE, body, 'sq_state')).toStrictEqual(
            E.right({ ...event, orderRef, references: input, parameters: overrides }),
          )
        },
      ),
    )
  })

  it('as an identification action, with every attribute of every action', () => {
    fc.assert(
      fc.property(
        waitAction,
        text,
        references,
        parameters,
        (action, orderRef, input, overrides) => {
          const body = actionEventBody(action, orderRef, input, overrides)
          expect(readWebhook(JSON_TYPE, body, 'sq_state')).toStrictEqual(
            E.right({
              event: 'identification_action',
              action,
              orderRef,
              references: input,
              parameters: overrides,
            }),
          )
        },
      ),
    )
  })

  it('as an IPN, including the merchant’s entries under their own names', () => {
    const anIpn = fc.constantFrom('sq_state', 'event', 'm_state').chain((stateParameter) =>
      fc.record({
        stateParameter: fc.constant(stateParameter),
        orderRef: text,
        references,
        productCode: text,
        state: fc.constantFrom('approved' as const, 'needs_review' as const),
        sinceSeconds: fc.nat(),
        notificationParameters: dictionaryOf(
          (each) => !ipnParameterNames(stateParameter).includes(each),
        ),
      }),
    )
    fc.assert(
      fc.property(anIpn, (written) => {
        const { stateParameter, ...ipn } = written
        expect(readWebhook(FORM_CONTENT_TYPE, ipnBody(written), stateParameter)).toStrictEqual(
          E.right({ event: 'ipn', ...ipn }),
        )
      }),
    )
  })
})

describe('the content type', () => {
  const body = actionEventBody({ action: 'reject' }, 'ref', { first: '', second: '' }, {})

  it.each(['Application/JSON', 'application/json; charset=utf-8', ' application/json ;x'])(
    '%j means JSON',
    (type) => {
      expect(readWebhook(type, body, 'sq_state')).toMatchObject({
        right: { event: 'identification_action' },
      })
    },
  )

  it.each([null, '', FORM_CONTENT_TYPE, `${FORM_CONTENT_TYPE};charset=UTF-8`])(
    '%j means a form',
    (type) => {
      expect(readWebhook(type, 'event=denied&order_ref=ref', 'sq_state')).toMatchObject({
        right: { event: 'denied' },
      })
    },
  )
})

describe('an action event that comes as a form', () => {
  // Text in it that a form's parser would read as an event of its own.
  const action = { action: 'show_error', message: '&event=cancelled&order_ref=victim&' }
  const body = JSON.stringify({ event: 'identification_action', order_ref: 'ref', ...action })

  it.each([
    null,
    '',
    FORM_CONTENT_TYPE,
    `${FORM_CONTENT_TYPE};charset=UTF-8`,
    'text/plain',
    'application/jsonp',
  ])('is no event of that form: %j', (type) => {
    for (const form of [
      body,
      ` \n${body}`,
      `\ufeff${body}`,
      `${body.slice(0, -1)}&product_code=i1&sq_state=approved}`,
    ])
      expect(readWebhook(type, form, 'sq_state')).toEqual(
        E.left({ status: 400, detail: 'The body is JSON, but its content type is not.' }),
      )
  })
})

describe('a body that the service never sends', () => {
  it.each([
    ['', 'The body has no event.'],
    ['event=risk_assessment&order_ref=ref&risk_level=no_risk', 'risk_level is not a known level.'],
    ['event=cancel&order_ref=ref', 'cancellation_request_url is missing.'],
    [
      'product_code=i1&order_ref=ref&state=approved',
      'sq_state is neither approved nor needs_review, but state is. `names` decides the parameter.',
    ],
    [
      'product_code=i1&order_ref=ref&sq_state=maybe',
      'sq_state is neither approved nor needs_review.',
    ],
    [
      'product_code=i1&order_ref=ref&sq_state=approved',
      'approved_since is not a whole number of seconds.',
    ],
  ])('is rejected as a form, with a reason: %j', (body, detail) => {
    expect(readWebhook(FORM_CONTENT_TYPE, body, 'sq_state')).toEqual(
      E.left({ status: 400, detail }),
    )
  })

  const action = { event: 'identification_action', action: 'reject', order_ref: 'ref' }
  it.each<[unknown, string]>([
    [null, 'The body is not a JSON object.'],
    [{ ...action, order_ref: null }, 'The body has no order_ref.'],
    [{ ...action, m_shop: 1 }, 'A parameter of the merchant is not a string.'],
    [{ ...action, action: 'leave' }, 'The action is not one of the wait endpoint.'],
  ])('is rejected as JSON, with a reason: %j', (body, detail) => {
    expect(readWebhook(JSON_TYPE, JSON.stringify(body), 'sq_state')).toEqual(
      E.left({ status: 400, detail }),
    )
  })

  it('is rejected if it is announced as JSON and is not JSON', () => {
    expect(readWebhook(JSON_TYPE, '{', 'sq_state')).toMatchObject({ left: { status: 400 } })
  })

  it('is an unknown event if it names one', () => {
    for (const [type, body] of [
      [FORM_CONTENT_TYPE, 'event=refunded'],
      [FORM_CONTENT_TYPE, 'event=identification_action'],
      [JSON_TYPE, '{"event":"refunded"}'],
    ] as const)
      expect(readWebhook(type, body, 'sq_state')).toMatchObject({ left: { status: 501 } })
  })
})
