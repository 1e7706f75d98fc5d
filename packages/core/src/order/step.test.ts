import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { WAIT_TABLE } from '../testing/invariants/action-tables.ts'
import { alongShortestPaths } from '../testing/machine-paths.ts'
import {
  ANA,
  CODE,
  confirmed,
  doneIn,
  EVA,
  FP1,
  firstStep,
  I1,
  identified,
  inScreening,
  PLACED,
  PLACED_AT,
  PP3,
  revealed,
  screened,
  TERMS,
  type Told,
  toldOrder,
  type Unanswered,
  VISA,
} from '../testing/told-order.ts'
import { waitAction } from './next-action.ts'
import { NEW_CONTEXT } from './order-context.ts'
import type { OrderEvent } from './order-event.ts'
import { andThen, isUnchanged, type Step, step, unchanged } from './step.ts'

const DAY = 24 * 3_600_000

const moment = { at: PLACED_AT, fresh: { code: CODE, token: 't' }, referenceIsTaken: false }

const lanesOf = ({ effects }: Step): readonly string[] => effects.map(({ type, lane }) => `${type} ${lane}`)
const pushed = (made: Step): unknown => {
  const work = doneIn(made, 'action')?.work
  return work?.kind === 'event' ? JSON.parse(work.body) : null
}
const lineOf = ({ journal }: Step) => journal[0]

const withActionEvents = { merchant: { ...PLACED.merchant, sendsActionEvents: true } }

describe('an order that is placed', () => {
  const { order, effects, journal, reference } = firstStep()

  it('has one line in its journal, which nothing is needed to replay', () => {
    const state = { checkout: 'identifying', risk: 'unassessed', cancellation: 'none' }
    expect(journal).toEqual([
      { seq: 1, at: PLACED_AT, event: 'order.placed', detail: null, from: state, to: state, input: null },
    ])
    expect(order).toMatchObject({ placed: PLACED, revision: 1, state })
  })

  it('has a day, and ends behind an IPN that is under way', () => {
    const key = 'U:1:timer.checkoutLifetime'
    expect(effects).toEqual([
      {
        type: 'do',
        key,
        lane: 'timer.checkoutLifetime',
        work: { kind: 'timer', timer: 'checkoutLifetime.open' },
        dueAt: PLACED_AT + DAY,
        until: null,
        behind: 'ipn',
      },
    ])
    expect(order.context.awaited).toEqual({ 'timer.checkoutLifetime': key })
  })

  it('remembers what orders remember, and nothing of the moment', () => {
    expect(Object.keys(order.context).sort()).toEqual(Object.keys(NEW_CONTEXT).sort())
    expect(order.context).toMatchObject({ updatedAt: PLACED_AT, references: { first: 'R1', second: 'R2' } })
  })

  it('must have its reference to itself, if it has one', () => {
    expect(reference).toBe('R1')
    expect(firstStep({}, { first: '', second: 'R2' }).reference).toBeNull()
  })

  it('pushes nothing: the shopper has the answer in his hands', () => {
    expect(lanesOf(firstStep(withActionEvents))).toEqual(['do timer.checkoutLifetime'])
  })
})

describe('what does not matter now', () => {
  it.each<OrderEvent>([
    { type: 'merchant.confirmed' },
    { type: 'review.approved' },
    { type: 'order.cancelled', by: 'operator' },
    { type: 'code.submitted', code: CODE, person: ANA, agreement: null },
  ])('leaves the order as it is: $type', (event) => {
    const told = toldOrder()
    const before = told.order()
    expect(told.tell(event)).toEqual({ order: before, effects: [], journal: [], reference: null })
    expect(told.order()).toBe(before)
  })
})

describe('an answer', () => {
  it('that nobody awaits is noted, and changes nothing else', () => {
    const told = inScreening(toldOrder())
    const before = told.order()
    const event = {
      type: 'screening.resolved',
      outcome: 'denied',
      alternative: null,
      answers: 'U:9:screening',
    } as const
    const made = told.tell(event)
    const at = before.context.updatedAt + 1_000
    expect(made).toEqual({
      order: { ...before, revision: before.revision + 1, context: { ...before.context, updatedAt: at } },
      effects: [],
      journal: [
        {
          seq: before.revision + 1,
          at,
          event: 'screening.resolved',
          detail: 'nobody awaits it: changes nothing',
          from: before.state,
          to: before.state,
          input: { event, moment: { ...moment, at, fresh: { code: CODE, token: `token-${before.revision + 1}` } } },
        },
      ],
      reference: null,
    })
  })

  it('that is awaited and changes nothing is awaited no longer, and says so', () => {
    const told = screened(toldOrder())
    const made = told.answer('cards', { type: 'cards.recalled', cards: [] })
    expect(made.order.context.awaited.cards).toBeUndefined()
    expect(lineOf(made)).toMatchObject({ event: 'cards.recalled', detail: null })
  })

  it('after which more will come is still awaited', () => {
    const told = revealed(toldOrder(), 'approved', FP1)
    const key = told.order().context.awaited.payment
    told.answer('payment', { type: 'payment.opened', url: 'http://pay.test' })
    expect(told.order().context.awaited.payment).toBe(key)
    told.answer('payment', { type: 'payment.succeeded', card: null, keep: false })
    expect(told.order().context.awaited.payment).toBeUndefined()
  })

  it('of a refund is told as what it is, whether awaited or not', () => {
    const told = confirmed(toldOrder(), FP1)
    told.tell({ type: 'order.cancelled', by: 'operator' })
    expect(told.order().context.awaited.refund).toBeDefined()
    expect(lineOf(told.answer('refund', { type: 'payment.refunded' }))).toMatchObject({ detail: null })
    expect(told.order().context.awaited.refund).toBeUndefined()
    expect(lineOf(told.answer('refund', { type: 'payment.refunded' }))).toMatchObject({ detail: null })
  })

  it('that a payment nobody awaits has succeeded gives it back', () => {
    const told = revealed(toldOrder(), 'approved', FP1)
    const [first] = told.order().context.payments
    told.answer('payment', { type: 'payment.failed', reason: 'declined' })
    const made = told.tell({ type: 'payment.succeeded', answers: String(first?.key), card: null, keep: false })
    expect(doneIn(made, 'refund')?.work).toMatchObject({ kind: 'refund', payment: first?.key, amount: 12_100 })
    expect(made.order.context.payments.map(({ state }) => state)).toEqual(['stray', 'open'])
    // The open payment is still awaited.
    expect(made.order.context.awaited.payment).toBe(told.order().context.payments[1]?.key)
  })
})

describe('time', () => {
  it('does not go back in an order when the clock does', () => {
    const told = identified(toldOrder())
    const { updatedAt } = told.order().context
    const at = updatedAt - 60_000
    const made = told.tell({ type: 'code.submitted', code: CODE, person: ANA, agreement: I1 }, { at })
    expect(made.order.context.updatedAt).toBe(updatedAt)
    expect(lineOf(made)).toMatchObject({ at: updatedAt, input: { moment: { at } } })
    expect(doneIn(made, 'timer.screeningWindow')?.dueAt).toBe(updatedAt + 60_000)
    const noted = told.tell({ type: 'ipn.accepted', answers: 'none' }, { at })
    expect(noted.order.context.updatedAt).toBe(updatedAt)
    expect(lineOf(noted)?.at).toBe(updatedAt)
  })

  it('arms a timer where a state is entered, and disarms it where that is left', () => {
    const told = identified(toldOrder())
    const entering = told.tell({ type: 'code.submitted', code: CODE, person: ANA, agreement: I1 })
    const armed = doneIn(entering, 'timer.screeningWindow')
    const { revision, context } = entering.order
    expect(armed).toMatchObject({
      key: `U:${revision}:timer.screeningWindow`,
      work: { kind: 'timer', timer: expect.stringMatching(/^screeningWindow\./) },
      dueAt: context.updatedAt + 60_000,
      until: null,
      behind: null,
    })
    expect(context.awaited['timer.screeningWindow']).toBe(armed?.key)
    const leaving = told.answer('screening', { type: 'screening.resolved', outcome: 'approved', alternative: null })
    expect(leaving.effects).toContainEqual({ type: 'withdraw', lane: 'timer.screeningWindow' })
    expect(leaving.order.context.awaited['timer.screeningWindow']).toBeUndefined()
  })

  it('is kept by names that stand in the store: another name would be another timer', () => {
    const armedBy = ({ effects }: Step) =>
      effects.flatMap((effect) => (effect.type === 'do' && effect.work.kind === 'timer' ? [effect.work.timer] : []))
    const identity = (status: 'VERIFIED' | 'FAILED') =>
      revealed(toldOrder(), 'identity').answer('session', { type: 'session.reported', status })
    const advised = confirmed(toldOrder()).answer('watch', { type: 'cancellation.advised', delay: 60_000 })
    const asked = confirmed(toldOrder())
    asked.tell({ type: 'cancellation.requested' })
    const deferred = asked.answer('cancel', { type: 'cancel.deferred', retryInMinutes: 5 })
    const screening = identified(toldOrder()).tell({ type: 'code.submitted', code: CODE, person: ANA, agreement: I1 })
    expect(
      [firstStep(), screening, identity('VERIFIED'), identity('FAILED'), advised, deferred].flatMap(armedBy),
    ).toEqual([
      'checkoutLifetime.open',
      'screeningWindow.screening',
      'idResult.verified',
      'idResult.unverified',
      'cancelDelay.scheduled',
      'cancelDelay.waiting',
    ])
    expect(doneIn(advised, 'timer.cancelDelay')?.dueAt).toBe(advised.order.context.updatedAt + 60_000)
    expect(doneIn(deferred, 'timer.cancelDelay')?.dueAt).toBe(deferred.order.context.updatedAt + 300_000)
  })

  it('that runs out is an event of the machine', () => {
    const told = inScreening(toldOrder())
    const timer = { type: 'timer.fired', timer: 'screeningWindow.screening' } as const
    const made = told.answer('timer.screeningWindow', timer, { after: 60_000 })
    expect(made.order.state.checkout).toBe('screened')
    expect(made.order.context.screening.outcome).toBe('expired')
    expect(lineOf(made)).toMatchObject({ event: 'timer.fired', detail: 'screeningWindow' })
    // The screening request itself is withdrawn.
    expect(made.effects).toContainEqual({ type: 'withdraw', lane: 'screening' })
  })
})

describe('what a step asks for', () => {
  it('is awaited, but for what only tells, voids or keeps', () => {
    const told = revealed(toldOrder(withActionEvents), 'approved', FP1)
    const made = told.answer('payment', { type: 'payment.succeeded', card: VISA, keep: true })
    expect(lanesOf(made)).toEqual(['withdraw payment', 'do card', 'do ipn', 'do action'])
    expect(Object.keys(made.order.context.awaited).sort()).toEqual(['cards', 'ipn', 'timer.checkoutLifetime'])
    const denied = revealed(toldOrder(), 'denied')
    expect(denied.order().context.awaited).toEqual({ cards: expect.any(String) })
  })

  it.each<[string, string, () => Told, Unanswered]>([
    [
      'a session',
      'session',
      () => revealed(toldOrder(), 'identity'),
      { type: 'session.opened', url: 'https://id.test' },
    ],
    [
      'a payment',
      'payment',
      () => revealed(toldOrder(), 'approved', FP1),
      { type: 'payment.opened', url: 'https://pay.test' },
    ],
    [
      'a payment that is challenged',
      'payment',
      () => revealed(toldOrder(), 'approved', FP1),
      { type: 'payment.challenged', token: 't', card: VISA, keep: false },
    ],
    ['an IPN that failed', 'ipn', () => revealed(toldOrder()), { type: 'ipn.erred' }],
  ])('stays awaited where more will come of it: %s', (_, lane, made, event) => {
    const told = made()
    const asked = told.order().context.awaited[lane]
    expect(asked).toBeDefined()
    expect(told.answer(lane, event).order.context.awaited[lane]).toBe(asked)
  })

  it('is nothing to be written where nothing has changed, unless a reference is asked for', () => {
    const { order } = firstStep()
    const changed = step(TERMS)(order, { type: 'person.submitted', person: ANA, agreement: null }, moment)
    expect(E.map(isUnchanged)(changed)).toEqual(E.right(false))
    expect(isUnchanged(unchanged(order))).toBe(true)
    expect(isUnchanged({ ...unchanged(order), reference: 'R1' })).toBe(false)
  })

  it('is withdrawn only where something was awaited', () => {
    const told = toldOrder()
    expect(lanesOf(told.tell({ type: 'person.submitted', person: ANA, agreement: null }))).toEqual(['do sms'])
    const again = told.tell({ type: 'person.submitted', person: ANA, agreement: null }, { after: 31_000 })
    expect(lanesOf(again)).toEqual(['withdraw sms', 'do sms'])
    expect(again.order.context.awaited.sms).toBe(`U:${again.order.revision}:sms`)
  })

  it('is withdrawn where it sends a code that is void: by too many wrong ones, or as none is asked for any more', () => {
    const told = toldOrder()
    const wrong = { type: 'code.submitted', code: '00000', person: ANA, agreement: null } as const
    told.tell({ type: 'person.submitted', person: ANA, agreement: null })
    for (let tries = 1; tries <= 4; tries++) expect(lanesOf(told.tell(wrong))).toEqual([])
    expect(lanesOf(told.tell(wrong))).toEqual(['withdraw sms'])
    for (const after of [31_000, 31_000])
      told.tell({ type: 'person.submitted', person: ANA, agreement: null }, { after })
    const failed = told.tell({ type: 'person.submitted', person: ANA, agreement: null }, { after: 31_000 })
    expect(failed.order.state.checkout).toBe('failed')
    expect(failed.effects).toContainEqual({ type: 'withdraw', lane: 'sms' })
  })

  it('is withdrawn where an order is watched that somebody wants to cancel by now', () => {
    const asking = confirmed(toldOrder()).tell({ type: 'cancellation.requested' })
    expect(lanesOf(asking)).toEqual(['withdraw watch', 'do cancel'])
    const cancelled = confirmed(toldOrder()).tell({ type: 'order.cancelled', by: 'merchant' })
    expect(cancelled.order.context.awaited).toEqual({ cards: expect.any(String) })
  })

  it('is withdrawn where the event itself has answered it: another attempt may be under way', () => {
    const told = inScreening(toldOrder())
    const made = told.answer('screening', { type: 'screening.resolved', outcome: 'approved', alternative: null })
    expect(made.effects).toContainEqual({ type: 'withdraw', lane: 'screening' })
    expect(made.order.context.awaited.screening).toBeUndefined()
  })

  it('voids a payment that somebody else leaves open', () => {
    const told = revealed(toldOrder(), 'approved', FP1)
    const [payment] = told.order().context.payments
    const made = told.tell({ type: 'person.changed', person: EVA, agreement: null }, { after: 31_000 })
    expect(doneIn(made, 'void')?.work).toEqual({ kind: 'void', payment: payment?.key })
    expect(made.order.context.awaited.void).toBeUndefined()
  })
})

describe('a change of wait’s answer', () => {
  it('is pushed to a merchant who wants it, as wait answers now', () => {
    const told = toldOrder(withActionEvents)
    const made = told.tell({ type: 'person.submitted', person: ANA, agreement: null })
    expect(lanesOf(made)).toEqual(['do sms', 'do action'])
    expect(pushed(made)).toMatchObject({
      action: 'require_validate_otp',
    })
    expect(lanesOf(toldOrder().tell({ type: 'person.submitted', person: ANA, agreement: null }))).toEqual(['do sms'])
  })

  it('is none where only the countdown has moved', () => {
    const told = inScreening(toldOrder(withActionEvents))
    const made = told.answer('cards', { type: 'cards.recalled', cards: [VISA] }, { after: 5_000 })
    expect(made.journal).toHaveLength(1)
    expect(lanesOf(made)).toEqual([])
  })

  it('is one where anything else of the answer has moved', () => {
    const told = revealed(toldOrder(withActionEvents), 'approved', FP1)
    const made = told.answer('payment', { type: 'payment.failed', reason: 'declined' })
    expect(lanesOf(made)).toContain('do action')
  })

  it('is one where the shopper’s cards are recalled while he pays', () => {
    const told = revealed(toldOrder(withActionEvents), 'approved', FP1)
    const made = told.answer('cards', { type: 'cards.recalled', cards: [VISA] })
    expect(pushed(made)).toMatchObject({ action: 'require_payment', reusable_cards: [{ last_four: '1111' }] })
  })

  it('is pushed once, and nothing else is, along every shortest path', () => {
    const actions = new Set<string>()
    alongShortestPaths({ ...PLACED, ...withActionEvents }, TERMS, ({ before, made }) => {
      const { updatedAt } = made.order.context
      const [was, is] = [before, made.order].map((order) => waitAction(order, TERMS, updatedAt))
      const hasChanged = !isDeepStrictEqual(was, is)
      expect(lanesOf(made).filter((lane) => lane === 'do action')).toHaveLength(hasChanged ? 1 : 0)
      if (hasChanged) expect(pushed(made)).toMatchObject(is ?? {})
      if (hasChanged) actions.add(String(is?.action))
    })
    // Every answer of wait except the form: an order begins there, and no path leads back.
    expect([...actions, 'show_identification_form'].sort()).toEqual(Object.keys(WAIT_TABLE).sort())
  })
})

describe('an event for a merchant who takes none', () => {
  it('stands in the history as a line of its own, after the one that made it', () => {
    const told = screened(toldOrder({ eventsWebhook: null }), 'denied')
    const { revision } = told.order()
    const made = told.tell({ type: 'person.submitted', person: ANA, agreement: null })
    const { state } = made.order
    expect(state.checkout).toBe('rejected')
    expect(made.journal).toHaveLength(2)
    expect(made.journal[1]).toEqual({
      seq: revision + 2,
      at: made.order.context.updatedAt,
      event: 'event.unsent',
      detail: 'denied',
      from: state,
      to: state,
      input: null,
    })
    expect(made.order.revision).toBe(revision + 2)
    expect(made.effects.filter(({ type }) => type === 'do')).toEqual([])
  })

  it('leaves two lines where there were two', () => {
    const told = screened(toldOrder({ ...withActionEvents, eventsWebhook: null }), 'denied')
    const { revision } = told.order()
    const { journal } = told.tell({ type: 'person.submitted', person: ANA, agreement: null })
    expect(journal.map(({ seq, detail }) => [seq - revision, detail])).toEqual([
      [1, null],
      [2, 'denied'],
      [3, 'identification_action'],
    ])
  })
})

describe('the reference an order holds', () => {
  it('is claimed when the merchant is asked, and not again', () => {
    const told = screened(toldOrder())
    expect(told.tell({ type: 'person.submitted', person: ANA, agreement: null }).reference).toBe('R1')
    expect(told.answer('ipn', { type: 'ipn.accepted' }).reference).toBeNull()
    expect(told.tell({ type: 'order.cancelled', by: 'merchant' }).reference).toBeNull()
  })

  it('is claimed anew where the merchant gives another, at any time', () => {
    const told = toldOrder()
    expect(told.tell({ type: 'references.given', first: 'R9', second: null }).reference).toBe('R9')
    expect(told.tell({ type: 'references.given', first: null, second: 'S9' }).reference).toBeNull()
    expect(told.order().context.references).toEqual({ first: 'R9', second: 'S9' })
  })

  it('is nobody’s where there is none', () => {
    expect(revealed(toldOrder({}, { first: '', second: '' })).order().state.checkout).toBe('confirming')
    const told = screened(toldOrder({}, { first: '', second: '' }))
    expect(told.tell({ type: 'person.submitted', person: ANA, agreement: null }).reference).toBeNull()
  })
})

describe('a line of the journal', () => {
  const reviewing = (): Told => {
    const told = revealed(toldOrder(), 'review')
    told.answer('ipn', { type: 'ipn.accepted' })
    return told
  }
  const asked = (): Told => {
    const told = confirmed(toldOrder())
    told.tell({ type: 'cancellation.requested' })
    return told
  }
  const identity = (): Told => revealed(toldOrder(), 'identity')

  it.each<readonly [string, string | null, () => Step]>([
    ['screening.resolved', 'review', () => answerTo(inScreening(toldOrder()), 'screening', 'review')],
    ['session.reported', 'FAILED', () => identity().answer('session', { type: 'session.reported', status: 'FAILED' })],
    [
      'payment.failed',
      'declined',
      () => revealed(toldOrder(), 'approved', PP3).answer('payment', { type: 'payment.failed', reason: 'declined' }),
    ],
    [
      'risk.assessed',
      'low_risk',
      () => confirmed(toldOrder(), FP1).answer('risk', { type: 'risk.assessed', level: 'low_risk' }),
    ],
    ['cancel.refused', 'late by 3 min', () => asked().answer('cancel', { type: 'cancel.refused', lateByMinutes: 3 })],
    [
      'cancel.refused',
      'the answer gave no minutes',
      () => asked().answer('cancel', { type: 'cancel.refused', lateByMinutes: null }),
    ],
    [
      'cancel.deferred',
      'asked again in 5 min',
      () => asked().answer('cancel', { type: 'cancel.deferred', retryInMinutes: 5 }),
    ],
    ['cancel.agreed', 'by the merchant', () => asked().answer('cancel', { type: 'cancel.agreed' })],
    ['cancel.unsupported', null, () => asked().answer('cancel', { type: 'cancel.unsupported' })],
    [
      'cancellation.advised',
      'by the risk service, in 60 s',
      () => confirmed(toldOrder()).answer('watch', { type: 'cancellation.advised', delay: 60_000 }),
    ],
    ['review.approved', 'by the operator', () => reviewing().tell({ type: 'review.approved' })],
    ['review.rejected', 'by the operator', () => reviewing().tell({ type: 'review.rejected' })],
    [
      'cancellation.requested',
      'by the operator',
      () => confirmed(toldOrder()).tell({ type: 'cancellation.requested' }),
    ],
    ['merchant.confirmed', 'by the merchant', () => revealed(toldOrder()).tell({ type: 'merchant.confirmed' })],
    ['merchant.held', 'by the merchant', () => revealed(toldOrder(), 'review').tell({ type: 'merchant.held' })],
    [
      'references.given',
      'by the merchant',
      () => toldOrder().tell({ type: 'references.given', first: 'R9', second: null }),
    ],
    ['order.updated', 'by the merchant', () => confirmed(toldOrder()).tell({ type: 'order.updated' })],
    [
      'order.cancelled',
      'by the operator',
      () => confirmed(toldOrder()).tell({ type: 'order.cancelled', by: 'operator' }),
    ],
    ['ipn.accepted', null, () => revealed(toldOrder()).answer('ipn', { type: 'ipn.accepted' })],
    ['person.submitted', null, () => toldOrder().tell({ type: 'person.submitted', person: ANA, agreement: null })],
  ])('of %s says: %s', (event, detail, made) => {
    const [line] = made().journal
    expect(line).toMatchObject({ event, detail })
    expect(line?.input?.event.type).toBe(event)
  })

  it('says where the order came from, where it got, and has the order’s revision', () => {
    const told = inScreening(toldOrder())
    const before = told.order()
    const made = answerTo(told, 'screening', 'approved')
    expect(made.order.revision).toBe(before.revision + 1)
    expect(lineOf(made)).toMatchObject({ seq: before.revision + 1, from: before.state, to: made.order.state })
    expect(made.order.state).toEqual({ checkout: 'screened', risk: 'unassessed', cancellation: 'none' })
  })
})

const answerTo = (told: Told, lane: string, outcome: 'approved' | 'review'): Step =>
  told.answer(lane, { type: 'screening.resolved', outcome, alternative: null })

describe('two steps as one', () => {
  it('end where the second does, and ask for what both ask for, in their order', () => {
    const told = toldOrder()
    const first = told.tell({ type: 'person.submitted', person: ANA, agreement: null })
    const second = told.tell({ type: 'code.submitted', code: CODE, person: ANA, agreement: I1 })
    const both = andThen(first, second)
    expect(both.order).toBe(told.order())
    expect(lanesOf(both)).toEqual(['do sms', 'withdraw sms', 'do screening', 'do cards', 'do timer.screeningWindow'])
    expect(both.journal.map(({ seq, event }) => [seq, event])).toEqual([
      [2, 'person.submitted'],
      [3, 'code.submitted'],
    ])
  })

  it('claim the reference that was given last', () => {
    const giving = (first: string) => toldOrder().tell({ type: 'references.given', first, second: null })
    const other = toldOrder().tell({ type: 'person.submitted', person: ANA, agreement: null })
    expect(andThen(giving('R8'), giving('R9')).reference).toBe('R9')
    expect(andThen(giving('R9'), other).reference).toBe('R9')
    expect(andThen(other, giving('R9')).reference).toBe('R9')
  })
})

describe('a fault of ours', () => {
  const identifiedOnce = identified(toldOrder(withActionEvents)).order()
  const failing = (cause: unknown) => ({
    ...TERMS,
    links: {
      ...TERMS.links,
      pay: () => {
        throw cause
      },
    },
  })
  const event = { type: 'person.submitted', person: ANA, agreement: null } as const

  it('is a value: a state that the machine does not have', () => {
    const state = { ...identifiedOnce.state, checkout: 'dreaming' as 'failed' }
    const made = step(TERMS)({ ...identifiedOnce, state }, event, moment)
    expect(made).toMatchObject(E.left({ _tag: 'InternalError', message: expect.stringContaining('dreaming') }))
    expect(E.isLeft(made) && made.left.cause).toBeInstanceOf(Error)
  })

  it('is a value whatever was thrown', () => {
    const order = screened(toldOrder(withActionEvents), 'approved', FP1).order()
    expect(step(failing('closed'))(order, event, moment)).toEqual(
      E.left({ _tag: 'InternalError', message: 'closed', cause: 'closed' }),
    )
    expect(step(failing(new Error('broken')))(order, event, moment)).toMatchObject(E.left({ message: 'broken' }))
  })
})
