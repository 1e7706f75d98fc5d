import { describe, expect, it } from 'vitest'
import type { SessionStatus } from '../../protocol/provider-answer.ts'
import {
  ANA,
  afterReply,
  CODE,
  DECLINED,
  EVA,
  FP1,
  I1,
  type OrderFixture,
  orderFixture,
  PP3,
  reachScreening,
  resolveScreening,
  revealOutcome,
  SUBMISSION,
  submitPerson,
  TERMS,
  VISA,
} from '../../testing/harness/order-fixture.ts'

const withCode = (code = CODE) =>
  ({ type: 'code.submitted', code, person: ANA, agreement: I1 }) as const

const checkout = (fixture: OrderFixture): string => fixture.order().state.checkout
const context = (fixture: OrderFixture) => fixture.order().context

describe('codes', () => {
  it('are sent at least thirty seconds apart, to the millisecond', () => {
    const fixture = submitPerson(orderFixture())
    fixture.send(SUBMISSION, { after: 29_999 })
    expect(context(fixture).otp.issues).toBe(1)
    fixture.send(SUBMISSION, { after: 1 })
    expect(context(fixture).otp.issues).toBe(2)
  })

  it.each([
    [299_999, 'screening'],
    [300_000, 'verifyingPhone'],
  ])('given after %i ms lead to %s', (after, state) => {
    const fixture = submitPerson(orderFixture())
    fixture.send(withCode(), { after })
    expect(checkout(fixture)).toBe(state)
    expect(context(fixture).otp.wrong).toBe(0)
  })

  it.each([
    [4, 'screening'],
    [5, 'verifyingPhone'],
  ])('after %i wrong ones lead to %s', (wrong, state) => {
    const fixture = submitPerson(orderFixture())
    const tries = Array.from({ length: wrong }, () =>
      fixture.send(withCode('00000'), { after: 10 }),
    )
    // After the last one, its SMS is not sent any more.
    const isRevoked = tries.map(({ effects }) => effects.some(({ type }) => type === 'revoke'))
    expect(isRevoked).toEqual(tries.map((_, n) => n === 4))
    fixture.send(withCode())
    expect(checkout(fixture)).toBe(state)
    expect(context(fixture).otp.wrong).toBe(wrong)
  })

  it('are used once, and bind the agreement', () => {
    const fixture = submitPerson(orderFixture())
    fixture.send({ ...withCode(), person: { ...ANA, city: 'Sevilla' }, agreement: PP3 })
    expect(context(fixture)).toMatchObject({
      otp: { code: null, issues: 1 },
      agreement: PP3,
      person: { city: 'Sevilla' },
    })
  })

  it('include a master code only in a sandbox, and only when a code was requested', () => {
    const sandbox = { ...TERMS, rules: { ...TERMS.rules, masterCode: '12345' } }
    const fixture = submitPerson(orderFixture({}, undefined, sandbox))
    fixture.send(withCode('12345'))
    expect(checkout(fixture)).toBe('screening')
    const late = submitPerson(orderFixture({}, undefined, sandbox))
    late.send(withCode('12345'), { after: 300_000 })
    expect(checkout(late)).toBe('verifyingPhone')
    const elsewhere = submitPerson(orderFixture())
    elsewhere.send(withCode('12345'))
    expect(checkout(elsewhere)).toBe('verifyingPhone')
    // The other person has requested no code yet: the pause after the first person's code is not
    // over.
    const other = submitPerson(orderFixture({}, undefined, sandbox))
    other.send({ type: 'person.changed', person: EVA, agreement: null })
    other.send({ ...withCode('12345'), person: EVA })
    expect(checkout(other)).toBe('verifyingPhone')
  })

  it('that have expired count no more tries', () => {
    const fixture = submitPerson(orderFixture())
    for (let tries = 1; tries <= 4; tries++) fixture.send(withCode('00000'), { after: 10 })
    expect(fixture.send(withCode('00000'), { after: 300_000 }).journal).toEqual([])
  })
})

describe('another person', () => {
  it.each(['identity', 'review', 'alternative'] as const)(
    'starts over after %s, without any verification, review or offer, and the count of codes continues',
    (outcome) => {
      const offer = outcome === 'alternative' ? { agreements: [PP3], forcedIndex: 0 } : null
      const fixture = resolveScreening(orderFixture(), outcome, FP1, offer)
      fixture.reply('cards', { type: 'cards.recalled', cards: [VISA] })
      if (outcome === 'identity') fixture.send(SUBMISSION)
      const { otp } = context(fixture)
      fixture.send({ type: 'person.changed', person: EVA, agreement: null })
      expect(context(fixture)).toMatchObject({
        person: EVA,
        agreement: null,
        otp: { issues: otp.issues, issuedAt: otp.issuedAt, code: null },
        screening: { rounds: 0, deadlineAt: 0, outcome: null },
        alternative: null,
        outcomeAt: null,
        isUnderReview: false,
        session: null,
        cards: [],
      })
      expect(checkout(fixture)).toBe('verifyingPhone')
    },
  )
})

describe('a screening', () => {
  it.each([
    ['approved', 'confirming', null],
    ['review', 'holding', null],
    ['alternative', 'rejected', null],
    ['identity', 'started', null],
    ['denied', 'rejected', null],
    ['error', 'failed', 'screening_error'],
  ] as const)(
    'with the result %s is stored with its instant, and leads to %s once the shopper returns',
    (outcome, state, failure) => {
      const fixture = resolveScreening(orderFixture(), outcome)
      expect(checkout(fixture)).toBe('screened')
      expect(context(fixture)).toMatchObject({
        screening: { rounds: 1, outcome },
        isUnderReview: outcome === 'review',
        outcomeAt: context(fixture).updatedAt,
        alternative: null,
      })
      fixture.send(SUBMISSION)
      expect([
        checkout(fixture),
        context(fixture).failure,
        context(fixture).screening.rounds,
      ]).toEqual([state, failure, 1])
    },
  )

  it('is repeated twice if it times out, and then ends the order', () => {
    const fixture = reachScreening(orderFixture())
    const rounds = []
    for (const _ of [1, 2, 3]) {
      fixture.reply('timer.screeningWindow', {
        type: 'timer.fired',
        timer: 'screeningWindow.screening',
      })
      expect(context(fixture).screening.outcome).toBe('expired')
      fixture.send(SUBMISSION)
      rounds.push([context(fixture).screening.rounds, checkout(fixture)])
    }
    expect(rounds).toEqual([
      [2, 'screening'],
      [3, 'screening'],
      [3, 'failed'],
    ])
    expect(context(fixture).failure).toBe('screening_expired')
  })
})

describe('an alternative offer', () => {
  const offeredOf = (agreements: readonly (typeof I1)[], forcedIndex: number | null) =>
    context(resolveScreening(orderFixture(), 'alternative', I1, { agreements, forcedIndex }))
      .alternative

  it('contains what the merchant has for the total', () => {
    const unknown = { product: 'sp1', instalmentCount: 3 }
    const unfit = { product: 'pp3', instalmentCount: 7 }
    expect(offeredOf([unknown, PP3, unfit, FP1], 3)).toEqual({
      agreements: [PP3, FP1],
      forcedIndex: 1,
    })
    expect(offeredOf([unknown, PP3], 0)).toEqual({ agreements: [PP3], forcedIndex: null })
    expect(offeredOf([PP3, FP1], null)).toEqual({ agreements: [PP3, FP1], forcedIndex: null })
    expect(offeredOf([PP3, FP1], 0)).toEqual({ agreements: [PP3, FP1], forcedIndex: 0 })
  })

  it('must be chosen, including the number of instalments', () => {
    const fixture = revealOutcome(orderFixture(), 'alternative', I1, {
      agreements: [PP3, FP1],
      forcedIndex: null,
    })
    expect(checkout(fixture)).toBe('choosingAlternative')
    for (const agreement of [
      null,
      I1,
      { ...PP3, instalmentCount: 6 },
      { ...I1, instalmentCount: 3 },
    ])
      fixture.send({ ...SUBMISSION, agreement })
    expect(checkout(fixture)).toBe('choosingAlternative')
    fixture.send({ ...SUBMISSION, agreement: PP3 })
    expect([checkout(fixture), context(fixture).agreement]).toEqual(['paying', PP3])
    expect(context(fixture).payments[0]?.amount).toBe(4_284)
  })
})

describe('an ID session', () => {
  const reportStatus = (fixture: OrderFixture, status: SessionStatus): OrderFixture =>
    afterReply(fixture, 'session', { type: 'session.reported', status })

  it.each([
    ['VERIFIED', 'verified', 'confirming'],
    ['FAILED', 'unverified', 'rejected'],
    ['ERROR', 'errored', 'started'],
  ] as const)('that reports %s is %s, and a submission leads to %s', (status, state, next) => {
    const fixture = reportStatus(revealOutcome(orderFixture(), 'identity'), status)
    const { outcomeAt, updatedAt } = context(fixture)
    expect([checkout(fixture), outcomeAt === updatedAt]).toEqual([state, status === 'VERIFIED'])
    fixture.send(SUBMISSION)
    expect(checkout(fixture)).toBe(next)
  })

  it('may fail twice, and ends the order at the third failure', () => {
    const fixture = revealOutcome(orderFixture(), 'identity')
    const tokens = new Set<string | undefined>()
    for (const errors of [1, 2]) {
      tokens.add(context(fixture).session?.token)
      reportStatus(fixture, 'ERROR')
      expect([checkout(fixture), context(fixture).session?.errors]).toEqual(['errored', errors])
      fixture.send(SUBMISSION)
      expect(context(fixture).session).toMatchObject({ errors, providerUrl: null })
    }
    tokens.add(context(fixture).session?.token)
    expect(tokens.size).toBe(3)
    reportStatus(fixture, 'ERROR')
    expect([checkout(fixture), context(fixture).failure, context(fixture).session?.errors]).toEqual(
      ['failed', 'identity', 3],
    )
  })
})

describe('a payment', () => {
  const reachPaying = (): OrderFixture => revealOutcome(orderFixture(), 'approved', PP3)

  it('counts as a try once it is declined, even if it succeeds later, and not if it was abandoned', () => {
    const fixture = reachPaying()
    const succeeds = (key = '') =>
      fixture.send({ type: 'payment.succeeded', inReplyTo: key, card: null, keep: false })
    const abandoned = context(fixture).payments[0]
    fixture.send({ type: 'person.changed', person: EVA, agreement: null })
    succeeds(abandoned?.key)
    fixture.send({ type: 'person.submitted', person: EVA, agreement: null }, { after: 31_000 })
    fixture.send({ type: 'code.submitted', person: EVA, agreement: PP3, code: CODE })
    fixture.reply('screening', {
      type: 'screening.resolved',
      outcome: 'approved',
      alternative: null,
    })
    fixture.send({ type: 'person.submitted', person: EVA, agreement: null })
    for (const tried of [1, 2, 3, 4]) {
      const open = context(fixture).payments.at(-1)
      fixture.reply('payment', DECLINED)
      succeeds(open?.key)
      expect([checkout(fixture), context(fixture).payments.length]).toEqual(['paying', tried + 2])
    }
    fixture.reply('payment', DECLINED)
    expect([checkout(fixture), context(fixture).failure]).toEqual(['failed', 'payment'])
  })

  it('that was abandoned is refunded once if it succeeds, whether it was voided or declined', () => {
    const fixture = reachPaying()
    const [first] = context(fixture).payments
    fixture.reply('payment', DECLINED)
    const second = context(fixture).payments[1]
    fixture.send({ type: 'person.changed', person: EVA, agreement: null })
    for (const key of [first?.key, second?.key]) {
      const success = {
        type: 'payment.succeeded',
        inReplyTo: String(key),
        card: null,
        keep: false,
      } as const
      const { revision } = fixture.send(success).order
      const payment = context(fixture).payments.find((each) => each.key === key)
      expect(payment).toMatchObject({ state: 'unexpected', refundedBy: `U:${revision}:refund` })
      expect(fixture.send(success).effects).toEqual([])
      expect(context(fixture).payments.find((each) => each.key === key)).toEqual(payment)
    }
  })
})
