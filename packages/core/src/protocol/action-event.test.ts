import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WaitAction } from './action.ts'
import { actionEventBody } from './action-event.ts'

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
  it('is the event, the action with its fields, the references, then the merchant’s parameters sorted', () => {
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

  it.each(actions)('carries exactly the fields of wait for $action', (action) => {
    const fields = JSON.stringify(action).slice(1, -1)
    expect(actionBodyOf(action)).toBe(`{"event":"identification_action",${fields},${tail}}`)
  })

  it('is read back as what was sent, whatever the merchant’s parameters are called', () => {
    const text = fc.string({ unit: 'grapheme' })
    const name = fc.oneof(text, fc.constantFrom('event', 'action', 'order_ref', 'message', '__proto__', '1'))
    fc.assert(
      fc.property(
        fc.constantFrom(...actions),
        fc.dictionary(name, text, { noNullPrototype: true }),
        (action, given) => {
          const sent: Readonly<Record<string, unknown>> = JSON.parse(actionBodyOf(action, given))
          const names = Object.keys(given).sort()
          expect(Object.entries(sent)).toEqual([
            ['event', 'identification_action'],
            ...Object.entries(action),
            ['order_ref', actionOrderRef],
            ['order_ref_1', 'A-1'],
            ['order_ref_2', ''],
            ...names.map((each) => [`m_${each}`, given[each]]),
          ])
        },
      ),
    )
  })
})
