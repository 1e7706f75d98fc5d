// The words for events, states and effects say a detail once, and nothing that did not happen. Types
// give every name of the statechart its words.
import { describe, expect, it } from 'vitest'
import {
  effectWords,
  eventNames,
  eventNote,
  eventWords,
  orderStateWords,
} from '../../../packages/server/src/http/page/script/words.ts'

const from = { checkout: 'screening', risk: 'unassessed', cancellation: 'none' }
const line = (event: string, detail: string | null, to = {}) => ({
  seq: 1,
  event,
  detail,
  from,
  to: { ...from, ...to },
})

describe('the words', () => {
  it('say a detail once: in the sentence, or after it', () => {
    const denied = line('screening.resolved', 'denied', { checkout: 'screened' })
    expect([eventWords(denied), eventNote(denied)]).toEqual([
      'The screening denied the purchase',
      'screened',
    ])
    expect(eventNames(denied)).toBe('screening.resolved denied · checkout: screening to screened')
    const late = line('cancel.refused', 'late by 5 min', { cancellation: 'too_late' })
    expect(eventNote(late)).toBe('late by 5 min · too late to cancel')
    expect(eventNames(late)).toBe('cancel.refused · cancellation: none to too_late')
    const ignored = line('ipn.accepted', 'not expected any more: changes nothing')
    expect(eventNote(ignored)).toBe('not expected any more: changes nothing')
  })

  it('refund only a shopper who has paid', () => {
    expect(effectWords('refundPayment', ['payment.opened', 'payment.failed'])).toBe(null)
    expect(effectWords('refundPayment', ['payment.succeeded'])).toBe('The payment is refunded')
  })

  it('leave out of a list what did not happen', () => {
    expect(
      orderStateWords({ checkout: 'reviewing', risk: 'unassessed', cancellation: 'none' }),
    ).toBe('on hold')
    expect(
      orderStateWords({ checkout: 'confirmed', risk: 'low_risk', cancellation: 'asking' }),
    ).toBe('confirmed, low risk, asking the shop to cancel')
  })
})
