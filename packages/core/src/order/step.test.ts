import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  CODE,
  CODE_SUBMISSION,
  confirmWithMerchant,
  DECLINED,
  effectInLane,
  FP1,
  firstStep,
  type OrderFixture,
  orderFixture,
  PAID,
  PLACED,
  PLACED_AT,
  type ReplyContent,
  reachReview,
  reachScreening,
  resolveScreening,
  revealOutcome,
  SUBMISSION,
  submitPerson,
  TERMS,
  VISA,
} from '../testing/harness/order-fixture.ts'
import { WAIT_TABLE } from '../testing/invariants/action-tables.ts'
import { alongShortestPaths } from '../testing/machine-paths.ts'
import { detailForMerchants } from './journal-detail.ts'
import { ORDER_MODEL, type OrderModel } from './model.ts'
import { waitAction } from './next-action.ts'
import type { OrderEvent } from './order.ts'
import { operatorTaskChange } from './order-facts.ts'
import { andThen, isUnchanged, type Step, step, unchanged } from './step.ts'

const DAY = 24 * 3_600_000

const stepInput = { at: PLACED_AT, random: { code: CODE, token: 't' }, referenceIsTaken: false }

const lanesOf = ({ effects }: Step): readonly string[] =>
  effects.map(({ type, lane }) => `${type} ${lane}`)
const pushedActionOf = (result: Step): unknown => {
  const payload = effectInLane(result, 'action')?.payload
  return payload?.kind === 'event' ? JSON.parse(payload.body) : null
}
const lineOf = ({ journal }: Step) => journal[0]

const reachVerifying = (): OrderFixture => revealOutcome(orderFixture(), 'identity')
const reachPaying = (): OrderFixture => revealOutcome(orderFixture(), 'approved', FP1)

const withActionEvents = { merchant: { ...PLACED.merchant, sendsActionEvents: true } }

describe('a new order', () => {
  it('has one journal line, which is sufficient to replay it', () => {
    const { order, journal } = firstStep()
    const state = { checkout: 'identifying', risk: 'unassessed', cancellation: 'none' }
    expect(journal).toEqual([
      {
        seq: 1,
        at: PLACED_AT,
        event: 'order.placed',
        detail: null,
        from: state,
        to: state,
        input: null,
      },
    ])
    expect(order).toMatchObject({ placed: PLACED, revision: 1, state })
    expect(order.context).toMatchObject({ isUnderReview: false, merchantConfirmed: false })
  })

  it('has a day, which ends only after a pending IPN', () => {
    const { order, effects } = firstStep()
    const key = 'U:1:timer.checkoutLifetime'
    expect(effects).toEqual([
      {
        type: 'do',
        key,
        lane: 'timer.checkoutLifetime',
        payload: { kind: 'timer', timer: 'checkoutLifetime.open' },
        dueAt: PLACED_AT + DAY,
        expiresAt: null,
      },
    ])
    expect(order.context.pending).toEqual({ 'timer.checkoutLifetime': key })
  })

  it('reserves its reference, if it has one', () => {
    expect(firstStep().reference).toBe('R1')
    expect(firstStep({}, { first: '', second: 'R2' }).reference).toBeNull()
  })
})

describe('a step asks for the reference', () => {
  const open = (references = { first: 'R1', second: '' }, overrides = {}): Step =>
    resolveScreening(orderFixture({}, references), 'approved', FP1).send(SUBMISSION, overrides)

  it('when it opens a payment, also after a declined one, unless it is taken', () => {
    expect(open().reference).toBe('R1')
    expect(open({ first: '', second: 'R2' }).reference).toBeNull()
    expect(open(undefined, { referenceIsTaken: true }).reference).toBeNull()
    const fixture = revealOutcome(orderFixture(), 'approved', FP1)
    expect(fixture.reply('payment', DECLINED).reference).toBe('R1')
  })

  it('when the order holds it from now on, and when the merchant gives one', () => {
    const fixture = revealOutcome(orderFixture(), 'approved', FP1)
    expect(fixture.reply('payment', PAID).reference).toBe('R1')
    expect(fixture.reply('ipn', { type: 'ipn.accepted' }).reference).toBeNull()
    const given = { type: 'references.given', first: 'R9', second: null } as const
    expect(fixture.send(given).reference).toBe('R9')
    expect(orderFixture().send(given).reference).toBe('R9')
  })
})

it('an event that the state does not accept leaves the order unchanged', () => {
  const fixture = orderFixture()
  const before = fixture.order()
  const unchangedStep = { order: before, effects: [], journal: [], reference: null }
  expect(fixture.send({ type: 'merchant.confirmed' })).toEqual(unchangedStep)
  const steps = [unchanged(before), { ...unchanged(before), reference: 'R1' }, firstStep()]
  expect(steps.map(isUnchanged)).toEqual([true, false, false])
  expect(fixture.order()).toBe(before)
})

describe('a reply', () => {
  it('that the order does not expect is recorded, and changes nothing else', () => {
    const fixture = reachScreening(orderFixture())
    const before = fixture.order()
    const denied = { type: 'screening.resolved', outcome: 'denied', alternative: null } as const
    const event = { ...denied, inReplyTo: 'U:9:screening' }
    const result = fixture.send(event)
    const at = before.context.updatedAt + 1_000
    expect(result).toEqual({
      order: {
        ...before,
        revision: before.revision + 1,
        context: { ...before.context, updatedAt: at },
      },
      effects: [],
      journal: [
        {
          seq: before.revision + 1,
          at,
          event: 'screening.resolved',
          detail: 'not expected any more: changes nothing',
          from: before.state,
          to: before.state,
          input: {
            event,
            stepInput: {
              ...stepInput,
              at,
              random: { code: CODE, token: `token-${before.revision + 1}` },
            },
          },
        },
      ],
      reference: null,
    })
  })

  it('that is expected and changes nothing is recorded, and no longer expected', () => {
    const fixture = resolveScreening(orderFixture())
    const result = fixture.reply('cards', { type: 'cards.recalled', cards: [] })
    expect(result.order.context.pending.cards).toBeUndefined()
    expect(lineOf(result)).toMatchObject({ event: 'cards.recalled', detail: null })
  })

  it('to a refund is recorded under its own name, even if it is not expected', () => {
    const fixture = confirmWithMerchant(orderFixture(), FP1)
    fixture.send({ type: 'order.cancelled', by: 'operator' })
    expect(fixture.order().context.pending.refund).toBeDefined()
    expect(lineOf(fixture.reply('refund', { type: 'payment.refunded' }))).toMatchObject({
      detail: '121.00 EUR',
    })
    expect(fixture.order().context.pending.refund).toBeUndefined()
    expect(lineOf(fixture.reply('refund', { type: 'payment.refunded' }))).toMatchObject({
      detail: null,
    })
  })
})

describe('time', () => {
  it('never runs backwards in an order, even if the clock does', () => {
    const fixture = submitPerson(orderFixture())
    const { updatedAt } = fixture.order().context
    const at = updatedAt - 60_000
    const result = fixture.send(CODE_SUBMISSION, { at })
    expect(result.order.context.updatedAt).toBe(updatedAt)
    expect(lineOf(result)).toMatchObject({ at: updatedAt, input: { stepInput: { at } } })
    expect(effectInLane(result, 'timer.screeningWindow')?.dueAt).toBe(updatedAt + 60_000)
    const recorded = fixture.send({ type: 'ipn.accepted', inReplyTo: 'none' }, { at })
    expect(recorded.order.context.updatedAt).toBe(updatedAt)
    expect(lineOf(recorded)?.at).toBe(updatedAt)
  })

  it('is measured by timers with stable stored names: a new name would be a new timer', () => {
    const armedBy = ({ effects, order }: Step) =>
      effects.flatMap((effect) =>
        effect.type === 'do' && effect.payload.kind === 'timer'
          ? [[effect.payload.timer, effect.dueAt - order.context.updatedAt]]
          : [],
      )
    const identity = (status: 'VERIFIED' | 'FAILED') =>
      reachVerifying().reply('session', { type: 'session.reported', status })
    const advised = confirmWithMerchant(orderFixture()).reply('watch', {
      type: 'cancellation.advised',
      delay: 59_999.5, // stored as whole milliseconds
    })
    const cancelling = confirmWithMerchant(orderFixture())
    cancelling.send({ type: 'cancellation.requested' })
    const deferred = cancelling.reply('cancel', { type: 'cancel.deferred', retryInMinutes: 5 })
    const screening = submitPerson(orderFixture()).send(CODE_SUBMISSION)
    expect(
      [firstStep(), screening, identity('VERIFIED'), identity('FAILED'), advised, deferred].flatMap(
        armedBy,
      ),
    ).toEqual([
      ['checkoutLifetime.open', DAY],
      ['screeningWindow.screening', 60_000],
      ['idResult.verified', 3_000],
      ['idResult.unverified', 3_000],
      ['cancelDelay.scheduled', 60_000],
      ['cancelDelay.waiting', 300_000],
    ])
  })
})

describe('an effect of a step', () => {
  it.each<[lane: string, ReplyContent, () => OrderFixture]>([
    ['session', { type: 'session.opened', url: 'https://id.test' }, reachVerifying],
    ['payment', { type: 'payment.opened', url: 'https://pay.test' }, reachPaying],
    ['payment', { type: 'payment.challenged', token: 't', card: VISA, keep: false }, reachPaying],
    ['ipn', { type: 'ipn.erred' }, () => revealOutcome(orderFixture())],
  ])('still expects a reply in the lane %s after %j', (lane, event, makeFixture) => {
    const fixture = makeFixture()
    const key = fixture.order().context.pending[lane]
    expect(key).toBeDefined()
    expect(fixture.reply(lane, event).order.context.pending[lane]).toBe(key)
  })
})

describe('a change of the wait answer', () => {
  it('is pushed exactly once along every shortest path', () => {
    const actions = new Set<string>()
    alongShortestPaths({ ...PLACED, ...withActionEvents }, TERMS, ({ before, result }) => {
      const { updatedAt } = result.order.context
      const [was, is] = [before, result.order].map((order) => waitAction(order, TERMS, updatedAt))
      const hasChanged = !isDeepStrictEqual(was, is)
      expect(lanesOf(result).filter((lane) => lane === 'do action')).toHaveLength(
        hasChanged ? 1 : 0,
      )
      if (hasChanged) expect(pushedActionOf(result)).toMatchObject(is ?? {})
      if (hasChanged) actions.add(String(is?.action))
    })
    // Every answer of wait except the form: an order begins there, and no path leads back.
    expect([...actions, 'show_identification_form'].sort()).toEqual(Object.keys(WAIT_TABLE).sort())
  })
})

it('each event for a merchant without an events webhook is a journal line, after the line of its cause', () => {
  const fixture = resolveScreening(
    orderFixture({ ...withActionEvents, eventsWebhook: null }),
    'denied',
  )
  const { revision } = fixture.order()
  const { order, journal, effects } = fixture.send(SUBMISSION)
  const { state, context } = order
  const unsent = { at: context.updatedAt, event: 'event.unsent', from: state, to: state }
  expect(state.checkout).toBe('rejected')
  expect(journal.slice(1)).toEqual([
    { ...unsent, seq: revision + 2, detail: 'denied', input: null },
    { ...unsent, seq: revision + 3, detail: 'identification_action', input: null },
  ])
  expect(order.revision).toBe(revision + 3)
  expect(effects.filter(({ type }) => type === 'do')).toEqual([])
})

describe('a journal line', () => {
  const confirmOrder = (agreement?: typeof FP1) => confirmWithMerchant(orderFixture(), agreement)
  const startCancellation = () => {
    const fixture = confirmOrder()
    fixture.send({ type: 'cancellation.requested' })
    return fixture
  }
  const resolved = { type: 'screening.resolved', outcome: 'review', alternative: null } as const

  it.each<readonly [detail: string | null, lane: string, reply: ReplyContent, () => OrderFixture]>([
    ['review', 'screening', resolved, () => reachScreening(orderFixture())],
    ['declined', 'payment', DECLINED, reachPaying],
    [
      'screeningWindow',
      'timer.screeningWindow',
      { type: 'timer.fired', timer: 'screeningWindow.screening' },
      () => reachScreening(orderFixture()),
    ],
    ['late by 3 min', 'cancel', { type: 'cancel.refused', lateByMinutes: 3 }, startCancellation],
    [
      'the answer gave no minutes',
      'cancel',
      { type: 'cancel.refused', lateByMinutes: null },
      startCancellation,
    ],
    [
      'asked again in 5 min',
      'cancel',
      { type: 'cancel.deferred', retryInMinutes: 5 },
      startCancellation,
    ],
    ['by the merchant', 'cancel', { type: 'cancel.agreed' }, startCancellation],
    [
      'by the risk service, in 60 s',
      'watch',
      { type: 'cancellation.advised', delay: 60_000 },
      confirmOrder,
    ],
    [null, 'ipn', { type: 'ipn.accepted' }, () => revealOutcome(orderFixture())],
  ])('says %j about a reply in the lane %s', (detail, lane, reply, makeFixture) => {
    const [line] = makeFixture().reply(lane, reply).journal
    expect([line?.event, line?.detail, line?.input?.event.type]).toEqual([
      reply.type,
      detail,
      reply.type,
    ])
  })

  it.each<readonly [detail: string | null, event: OrderEvent, () => OrderFixture]>([
    ['by the operator', { type: 'review.approved' }, () => reachReview(orderFixture())],
    [
      'by the operator ana',
      { type: 'review.approved', operator: 'ana' },
      () => reachReview(orderFixture()),
    ],
    [
      'by the operator ana',
      { type: 'review.rejected', operator: 'ana' },
      () => reachReview(orderFixture()),
    ],
    [
      'by the operator ana',
      { type: 'cancellation.requested', operator: 'ana' },
      () => confirmOrder(),
    ],
    ['by the operator', { type: 'order.cancelled', by: 'operator' }, confirmOrder],
    ['by the merchant', { type: 'order.cancelled', by: 'merchant' }, confirmOrder],
    [
      'by the merchant',
      { type: 'order.updated', carts: { shipped: 1, unshipped: 1 } },
      confirmOrder,
    ],
    ['by the merchant', { type: 'merchant.confirmed' }, () => revealOutcome(orderFixture())],
    ['by the merchant', { type: 'merchant.held' }, () => revealOutcome(orderFixture(), 'review')],
    ['by the merchant', { type: 'references.given', first: 'R9', second: null }, orderFixture],
    [null, SUBMISSION, orderFixture],
  ])('says %j about %j', (detail, event, makeFixture) => {
    const [line] = makeFixture().send(event).journal
    expect([line?.event, line?.detail, line?.input?.event.type]).toEqual([
      event.type,
      detail,
      event.type,
    ])
  })
})

it('a merchant is not told which operator it was', () => {
  const details = ['by the operator ana', 'by the operator', 'by the merchant', null]
  expect(details.map(detailForMerchants)).toEqual([
    ...['by the operator', 'by the operator', 'by the merchant', null],
  ])
})

describe('why an order waits for an operator', () => {
  it('changes when a review begins and when it ends, and in no other step', () => {
    const fixture = revealOutcome(orderFixture(), 'review')
    const reviewed = fixture.reply('ipn', { type: 'ipn.accepted' })
    expect(operatorTaskChange(reviewed)).toEqual({
      why: 'review',
      since: reviewed.order.context.updatedAt,
    })
    expect(operatorTaskChange(unchanged(reviewed.order))).toBeNull()
    expect(
      operatorTaskChange(fixture.send({ type: 'references.given', first: 'R9', second: null })),
    ).toBeNull()
    const approved = fixture.send({ type: 'review.approved' })
    expect(operatorTaskChange(approved)).toEqual({
      why: null,
      since: approved.order.context.updatedAt,
    })
  })
})

describe('two combined steps', () => {
  it('end in the state of the second, and have the effects of both in order', () => {
    const fixture = orderFixture()
    const first = fixture.send(SUBMISSION)
    const second = fixture.send(CODE_SUBMISSION)
    const both = andThen(first, second)
    expect(both.order).toBe(fixture.order())
    expect(lanesOf(both)).toEqual([
      'do sms',
      'revoke sms',
      'do screening',
      'do cards',
      'do timer.screeningWindow',
    ])
    expect(both.journal.map(({ seq, event }) => [seq, event])).toEqual([
      [2, 'person.submitted'],
      [3, 'code.submitted'],
    ])
    const asking = { ...first, reference: 'R1', model: ORDER_MODEL }
    const { reference, model } = andThen(asking, second)
    expect([reference, model === ORDER_MODEL]).toEqual(['R1', true])
    expect(andThen(asking, { ...second, reference: 'R2' }).reference).toBe('R2')
  })
})

describe('an internal error', () => {
  const failWith = (cause: unknown) => ({
    ...TERMS,
    links: {
      ...TERMS.links,
      pay: () => {
        throw cause
      },
    },
  })

  it('is returned as a value, no matter what was thrown', () => {
    const order = resolveScreening(orderFixture(withActionEvents), 'approved', FP1).order()
    expect(step(failWith('closed'))(order, SUBMISSION, stepInput)).toEqual(
      E.left({ _tag: 'InternalError', message: 'closed', cause: 'closed' }),
    )
    expect(step(failWith(new Error('broken')))(order, SUBMISSION, stepInput)).toMatchObject(
      E.left({ message: 'broken' }),
    )
  })

  it('is returned as a value if the state does not exist in the machine', () => {
    const identifiedOnce = submitPerson(orderFixture(withActionEvents)).order()
    const state = { ...identifiedOnce.state, checkout: 'dreaming' as 'failed' }
    const result = step(TERMS)({ ...identifiedOnce, state }, SUBMISSION, stepInput)
    expect(result).toMatchObject(
      E.left({ _tag: 'InternalError', message: expect.stringContaining('dreaming') }),
    )
    expect(E.isLeft(result) && result.left.cause).toBeInstanceOf(Error)
  })

  it('is returned if two effects of a step have the same key', () => {
    const { machine } = ORDER_MODEL
    const twice: OrderModel['machine'] = {
      ...machine,
      transition: (...input) => {
        const after = machine.transition(...input)
        return { ...after, actions: [...after.actions, ...after.actions] }
      },
    }
    expect(
      step({ ...TERMS, model: { ...ORDER_MODEL, machine: twice } })(
        firstStep().order,
        SUBMISSION,
        stepInput,
      ),
    ).toMatchObject(E.left({ message: 'Two effects of one step share a key: U:2:sms, U:2:sms.' }))
  })
})
