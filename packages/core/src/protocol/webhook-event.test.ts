import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WaitAction } from './action.ts'
import { ipnParameterNames } from './order-payload.ts'
import {
  actionEventBody,
  ipnBody,
  type LifecycleEvent,
  lifecycleEventBody,
} from './webhook-event.ts'

const orderRef = '0b7f3f5e-6a51-4f0e-9d7c-2f1f8a6c9b10'
const references = { first: 'A-1', second: 'B 2' }
const parameters = { storeId: '1', signature: 'chosen-by-the-shop' }
const bodyOf = (
  event: LifecycleEvent,
  overrides: Readonly<Record<string, string>> = parameters,
): string => lifecycleEventBody(event, orderRef, references, overrides)

const prefix = 'charset=UTF-8&utf8=%E2%88%9A'
const changes = `order_ref_1=A-1&order_ref_2=B+2&order_ref=${orderRef}`

const riskLevel = fc.constantFrom('low_risk', 'high_risk', 'under_evaluation')
const text = fc.string({ unit: 'grapheme' })
const flatStrings = fc.dictionary(text, text, { maxKeys: 8, noNullPrototype: true })

describe('a lifecycle event', () => {
  it('sorts the merchant’s parameters by code unit, and encodes them like a form', () => {
    expect(
      bodyOf(
        { event: 'denied' },
        { b: 'ñ', a: 'x y', 'a-b': '*~', Z: '+&=', '10': '', '9': '√', ａ: '', '😀': '' },
      ),
    ).toBe(
      `${prefix}&event=denied&${changes}&m_10=&m_9=%E2%88%9A&m_Z=%2B%26%3D&m_a=x+y&m_a-b=*%7E&m_b=%C3%B1&m_%F0%9F%98%80=&m_%EF%BD%81=`,
    )
  })

  it('is parsed as a form to exactly what was sent, in the order of the contract', () => {
    fc.assert(
      fc.property(
        riskLevel,
        text,
        text,
        text,
        text,
        flatStrings,
        (level, url, ref, first, second, input) => {
          const names = Object.keys(input).sort()
          for (const [event, changes] of [
            [{ event: 'cancelled' }, []],
            [{ event: 'denied' }, []],
            [{ event: 'risk_assessment', riskLevel: level }, [['risk_level', level]]],
            [{ event: 'cancel', cancellationRequestUrl: url }, [['cancellation_request_url', url]]],
          ] as const)
            expect([
              ...new URLSearchParams(lifecycleEventBody(event, ref, { first, second }, input)),
            ]).toEqual([
              ['charset', 'UTF-8'],
              ['utf8', '√'],
              ['event', event.event],
              ['order_ref_1', first],
              ['order_ref_2', second],
              ['order_ref', ref],
              ...changes,
              ...names.map((name) => [`m_${name}`, input[name]]),
            ])
        },
      ),
    )
  })
})

const action: WaitAction = {
  action: 'wait_for_id_verification',
  session_url: 'https://id.example.test',
  status: 'STARTED',
  message: 'Please.',
}

describe('an identification-action event', () => {
  it('contains the event, the action with its attributes, the references, then the merchant’s parameters sorted', () => {
    expect(actionEventBody(action, orderRef, references, parameters)).toBe(
      `{"event":"identification_action","action":"wait_for_id_verification","session_url":"https://id.example.test","status":"STARTED","message":"Please.","order_ref":"${orderRef}","order_ref_1":"A-1","order_ref_2":"B 2","m_signature":"chosen-by-the-shop","m_storeId":"1"}`,
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

  it.each(['approved', 'needs_review'] as const)(
    'has no parameter that a merchant’s parameter may be named like, if it is %s',
    (state) => {
      const body = ipnBody({ ...ipn, state, notificationParameters: {} })
      expect(ipnParameterNames('sq_state')).toEqual(
        expect.arrayContaining([...new URLSearchParams(body).keys()]),
      )
    },
  )
})
