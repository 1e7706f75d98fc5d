// The words for events, states, effects and jobs: every name of the statechart has some, and none
// says what did not happen.
import { describe, expect, it } from 'vitest'
import { MACHINE_MAP } from '../../../packages/server/src/api/machine/machine-data.ts'
import {
  effectWords,
  eventNames,
  eventNote,
  eventWords,
  orderStateWords,
  stateWords,
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
  it('name every event, timer and effect of the statechart', () => {
    const triggers = MACHINE_MAP.transitions
      .map(({ trigger }) => trigger)
      .filter((trigger) => trigger.includes('.'))
    // The machine raises these events itself, so no history has them.
    const raised = ['order.confirmed', 'lifetime.ended']
    for (const event of triggers.filter((trigger) => !raised.includes(trigger)))
      expect(eventWords(line(event, null)), event).not.toContain(event)
    const timers = MACHINE_MAP.transitions.flatMap(
      ({ trigger }) => /^after (.+)/.exec(trigger)?.[1] ?? [],
    )
    for (const timer of timers)
      expect(eventWords(line('timer.fired', timer)), timer).toMatch(/^The (?:time|pause) /)
    for (const effect of MACHINE_MAP.transitions.flatMap(({ causes }) => causes))
      expect(effectWords(effect, ['payment.succeeded']), effect).not.toBe(effect)
  })

  it('name every state', () => {
    for (const { region, name } of MACHINE_MAP.states)
      if (!['asking_for_code', 'revealing', 'approved'].includes(name))
        expect(stateWords(region, name), name).not.toContain('_')
  })

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
