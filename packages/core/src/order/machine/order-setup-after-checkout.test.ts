import { describe, expect, it } from 'vitest'
import type { AnyStateNode } from 'xstate'
import {
  afterReply,
  CODE,
  confirmWithMerchant,
  effectInLane,
  FP1,
  firstStep,
  type OrderFixture,
  orderFixture,
  PP3,
  reachReview,
  resolveScreening,
  revealOutcome,
  SUBMISSION,
  TERMS,
} from '../../testing/harness/order-fixture.ts'
import { effects } from '../effects/effects.ts'
import { machineInput } from '../step.ts'
import { orderMachine } from './order-machine.ts'
import { orderSetup } from './order-setup.ts'

const checkout = (fixture: OrderFixture): string => fixture.order().state.checkout
const context = (fixture: OrderFixture) => fixture.order().context

describe('the merchant', () => {
  it('is not asked about an order whose reference belongs to another order', () => {
    const fixture = resolveScreening(orderFixture())
    fixture.send(SUBMISSION, { referenceIsTaken: true })
    expect(checkout(fixture)).toBe('conflicted')
  })

  it('may confirm before the IPN is answered: an IPN error then counts as one confirmation', () => {
    for (const [outcome, says, next] of [
      ['approved', 'merchant.confirmed', 'confirmed'],
      ['review', 'merchant.held', 'reviewing'],
    ] as const) {
      const silent = revealOutcome(orderFixture(), outcome)
      expect(context(silent).merchantConfirmed).toBe(false)
      silent.reply('ipn', { type: 'ipn.erred' })
      expect(['confirming', 'holding']).toContain(checkout(silent))
      const fixture = revealOutcome(orderFixture(), outcome)
      expect(fixture.send({ type: says }).effects).toEqual([{ type: 'expedite', lane: 'ipn' }])
      expect(context(fixture).merchantConfirmed).toBe(true)
      expect(fixture.send({ type: says }).journal).toEqual([])
      fixture.reply('ipn', { type: 'ipn.erred' })
      expect(checkout(fixture)).toBe(next)
    }
  })

  it('who takes no IPN confirms by PUT alone', () => {
    const fixture = revealOutcome(orderFixture({ notifyUrl: null }), 'review')
    fixture.send({ type: 'merchant.held' })
    expect([checkout(fixture), context(fixture).heldAt]).toEqual([
      'reviewing',
      context(fixture).updatedAt,
    ])
    fixture.send({ type: 'review.approved' })
    expect(context(fixture)).toMatchObject({
      isUnderReview: false,
      outcomeAt: context(fixture).updatedAt,
    })
    fixture.send({ type: 'merchant.confirmed' })
    expect([checkout(fixture), context(fixture).confirmedAt]).toEqual([
      'confirmed',
      context(fixture).updatedAt,
    ])
  })

  it('who takes no IPN has a week after the review’s approval to confirm', () => {
    const fixture = revealOutcome(orderFixture({ notifyUrl: null }), 'review')
    expect(context(fixture).pending).not.toHaveProperty('ipn')
    fixture.send({ type: 'merchant.held' })
    const approved = fixture.send({ type: 'review.approved' })
    expect(effectInLane(approved, 'ipn')).toMatchObject({
      payload: { kind: 'timer', timer: 'ipn.week' },
      dueAt: context(fixture).updatedAt + 168 * 3_600_000,
    })
    fixture.reply('ipn', { type: 'ipn.exhausted' })
    expect([checkout(fixture), context(fixture).failure]).toEqual(['failed', 'confirmation'])
  })

  it('is asked again after the review’s approval: accepting the hold does not confirm the order', () => {
    const fixture = revealOutcome(orderFixture(), 'review')
    fixture.send({ type: 'merchant.held' })
    fixture.reply('ipn', { type: 'ipn.accepted' })
    fixture.send({ type: 'review.approved' })
    expect([checkout(fixture), context(fixture).merchantConfirmed]).toEqual(['confirming', false])
  })

  it.each([
    ['approved', 'merchant.confirmed', 'confirmed'],
    ['approved', null, 'failed'],
    ['review', 'merchant.held', 'reviewing'],
    ['review', null, 'failed'],
  ] as const)(
    'of an order that is %s, who answered %s, and whose IPN week ended: it is %s',
    (outcome, says, end) => {
      const fixture = revealOutcome(orderFixture(), outcome)
      if (says !== null) fixture.send({ type: says })
      fixture.reply('ipn', { type: 'ipn.exhausted' })
      expect([checkout(fixture), context(fixture).failure]).toEqual([
        end,
        end === 'failed' ? 'confirmation' : null,
      ])
    },
  )
})

describe('the day of a checkout', () => {
  const overAfter = (fixture: OrderFixture): string =>
    checkout(
      afterReply(fixture, 'timer.checkoutLifetime', {
        type: 'timer.fired',
        timer: 'checkoutLifetime.open',
      }),
    )

  it('ends the order, in any state of the checkout', () => {
    for (const fixture of [
      orderFixture(),
      resolveScreening(orderFixture()),
      revealOutcome(orderFixture()),
    ])
      expect(overAfter(fixture)).toBe('expired')
  })

  it('does not end an order that the merchant has confirmed or holds', () => {
    const fixture = revealOutcome(orderFixture())
    fixture.send({ type: 'merchant.confirmed' })
    const holding = revealOutcome(orderFixture(), 'review')
    holding.send({ type: 'merchant.held' })
    expect([fixture, holding].map(overAfter)).toEqual(['confirmed', 'reviewing'])
    expect(overAfter(reachReview(orderFixture()))).toBe('reviewing')
    const approved = reachReview(orderFixture())
    approved.send({ type: 'review.approved' })
    expect(overAfter(approved)).toBe('confirming')
    approved.send({ type: 'merchant.confirmed' })
    expect(checkout(approved)).toBe('confirming')
  })
})

describe('the risk', () => {
  it('is assessed only for orders that are paid in full', () => {
    expect(confirmWithMerchant(orderFixture(), FP1).order().state.risk).toBe('assessing')
    expect(confirmWithMerchant(orderFixture(), PP3).order().state.risk).toBe('unassessed')
  })

  it.each([
    ['low_risk', 'lowRisk'],
    ['high_risk', 'highRisk'],
    ['under_evaluation', 'underEvaluation'],
  ] as const)('of %s is stored as %s', (level, state) => {
    const fixture = confirmWithMerchant(orderFixture(), FP1)
    expect(context(fixture).riskLevel).toBeNull()
    fixture.reply('risk', { type: 'risk.assessed', level })
    expect([fixture.order().state.risk, context(fixture).riskLevel]).toEqual([state, level])
  })
})

describe('a cancellation', () => {
  const cancellation = (fixture: OrderFixture): string => fixture.order().state.cancellation
  const requestCancellation = (placed: Parameters<typeof orderFixture>[0] = {}): OrderFixture => {
    const fixture = confirmWithMerchant(orderFixture(placed))
    fixture.send({ type: 'cancellation.requested' })
    return fixture
  }

  it('can be requested only for a confirmed order', () => {
    const fixture = revealOutcome(orderFixture())
    fixture.send({ type: 'cancellation.requested' })
    fixture.send({ type: 'order.cancelled', by: 'operator' })
    expect(cancellation(fixture)).toBe('none')
  })

  it.each([
    [0, 'asking'],
    [1, 'scheduled'],
  ])('advised in %i ms is %s', (delay, state) => {
    const fixture = confirmWithMerchant(orderFixture())
    fixture.reply('watch', { type: 'cancellation.advised', delay })
    expect([cancellation(fixture), context(fixture).cancelDelay]).toEqual([state, delay])
  })

  it('cannot be requested if the merchant has no events webhook', () => {
    expect(cancellation(requestCancellation({ eventsWebhook: null }))).toBe('unsupported')
  })

  it('is postponed, or refused, by the merchant’s minutes', () => {
    const fixture = requestCancellation()
    fixture.reply('cancel', { type: 'cancel.deferred', retryInMinutes: 5 })
    expect([cancellation(fixture), context(fixture).cancelDelay]).toEqual(['waiting', 300_000])
    fixture.reply('timer.cancelDelay', { type: 'timer.fired', timer: 'cancelDelay.waiting' })
    expect(cancellation(fixture)).toBe('asking')
    fixture.reply('cancel', { type: 'cancel.refused', lateByMinutes: 3 })
    expect([cancellation(fixture), context(fixture).lateByMinutes]).toEqual(['tooLate', 3])
  })

  it('that was unanswered for a week, or not supported, may be requested again', () => {
    for (const type of ['cancel.exhausted', 'cancel.unsupported'] as const) {
      const fixture = requestCancellation()
      fixture.reply('cancel', { type })
      expect(cancellation(fixture)).toBe(type === 'cancel.exhausted' ? 'unanswered' : 'unsupported')
      fixture.send({ type: 'cancellation.requested' })
      expect(cancellation(fixture)).toBe('asking')
    }
  })
})

describe('the actions of the machine', () => {
  const ANY_EVENT = [...orderMachine.events, 'unheard.of'] as readonly string[]

  const withDescendants = (node: AnyStateNode): readonly AnyStateNode[] => [
    node,
    ...Object.values(node.states).flatMap(withDescendants),
  ]
  const nodes = withDescendants(orderMachine.root)

  // Actions of the machine have names only.
  const namesOf = (actions: readonly unknown[]): readonly string[] =>
    actions.map((action) =>
      typeof action === 'string' ? action : (action as { readonly type: string }).type,
    )

  /** Each action of the machine, and an event on which it runs. */
  const wired = nodes.flatMap((node) => [
    ...namesOf([
      ...node.entry,
      ...node.exit,
      ...(node.always ?? []).flatMap(({ actions }) => actions),
    ]).flatMap((name) => ANY_EVENT.map((type) => ({ name, type }))),
    ...[...node.transitions].flatMap(([type, transitions]) =>
      namesOf(transitions.flatMap(({ actions }) => actions)).map((name) => ({ name, type })),
    ),
  ])

  const sortNames = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort()
  const eventsOf = (name: string) =>
    sortNames(wired.flatMap((each) => (each.name === name ? each.type : [])))

  type Assign = { readonly assignment: object | ((scope: object, params: object) => object) }
  const assigns = Object.entries(
    orderMachine.implementations.actions as Readonly<Record<string, unknown>>,
  ).flatMap(([name, action]) => {
    const { type, assignment } = action as Partial<Assign> & { readonly type?: string }
    return type === 'xstate.assign' && typeof assignment === 'function'
      ? [{ name, assignment }]
      : []
  })

  const stepInput = { at: 0, random: { code: CODE, token: 't' }, referenceIsTaken: false }

  const acceptedBy = ({ assignment }: (typeof assigns)[number]) => {
    const scope = {
      context: machineInput(TERMS)(revealOutcome(orderFixture(), 'identity').order(), stepInput),
    }
    return ANY_EVENT.filter((type) => {
      try {
        assignment({ ...scope, event: { type, alternative: null, inReplyTo: '' } }, {})
        return true
      } catch (error) {
        expect(String(error)).toContain('Expected event')
        return false
      }
    })
  }

  it('assign only on the events that they read', () => {
    const selective = assigns.filter((each) => acceptedBy(each).length < ANY_EVENT.length)
    expect(selective.length).toBeGreaterThan(12)
    for (const each of selective)
      expect([each.name, ...sortNames(acceptedBy(each))]).toEqual([
        each.name,
        ...eventsOf(each.name),
      ])
  })

  it.each(['codeIsRight', 'alternativeIsChosen', 'sessionStatusIs', 'riskIs', 'adviceHasDelay'])(
    'have a guard of one event that fails on any other: %s',
    (name) => {
      const guard = (orderMachine.implementations.guards as Readonly<Record<string, unknown>>)[name]
      const scope = { context: firstStep().order.context, event: { type: 'order.updated' } }
      expect(() => (guard as (scope: object, params: object) => boolean)(scope, {})).toThrow(
        'Expected event',
      )
    },
  )

  it('are those of the setup, and each is used in at least one state', () => {
    const names = [...Object.keys(orderMachine.implementations.actions), ...Object.keys(effects)]
    const used = wired.map(({ name }) => name).filter((name) => !name.startsWith('xstate.'))
    expect(sortNames(used)).toEqual(sortNames(names))
  })

  it('accept, in TypeScript too, only existing effects with their parameters', () => {
    const { createStateConfig } = orderSetup
    const right = createStateConfig({
      entry: ['sendCode', { type: 'revoke', params: { lane: 'sms' } }],
    })
    // @ts-expect-error No effect has this name.
    const unknown = createStateConfig({ entry: 'sendCodes' })
    // @ts-expect-error No effect has this lane.
    const wrong = createStateConfig({ entry: { type: 'revoke', params: { lane: 'code' } } })
    expect([right, unknown, wrong]).toHaveLength(3)
  })
})
