import { describe, expect, it } from 'vitest'
import type { SessionStatus } from '../../protocol/provider-answer.ts'
import {
  ANA,
  CODE,
  confirmWithMerchant,
  DECLINED,
  EVA,
  FP1,
  I1,
  type OrderFixture,
  orderFixture,
  PAID,
  PP3,
  reachScreening,
  resolveScreening,
  revealOutcome,
  SUBMISSION,
  submitPerson,
  TERMS,
  VISA,
} from '../../testing/harness/order-fixture.ts'

const withCode = (code = CODE) => ({ type: 'code.submitted', code, person: ANA, agreement: I1 }) as const

const checkout = (told: OrderFixture): string => told.order().state.checkout
const context = (told: OrderFixture) => told.order().context

describe('codes', () => {
  it('are sent at least thirty seconds apart, to the millisecond', () => {
    const told = submitPerson(orderFixture())
    told.send(SUBMISSION, { after: 29_999 })
    expect(context(told).otp.issues).toBe(1)
    told.send(SUBMISSION, { after: 1 })
    expect(context(told).otp.issues).toBe(2)
  })

  it('are limited to three, and the fourth request ends the order', () => {
    const told = submitPerson(orderFixture())
    told.send(SUBMISSION, { after: 30_000 })
    told.send(SUBMISSION, { after: 30_000 })
    expect([checkout(told), context(told).otp.issues]).toEqual(['verifyingPhone', 3])
    told.send(SUBMISSION, { after: 30_000 })
    expect([checkout(told), context(told).failure]).toEqual(['failed', 'codes'])
  })

  it('are valid for five minutes, in which wrong ones are counted', () => {
    const told = submitPerson(orderFixture())
    const issuedAt = context(told).updatedAt
    expect(context(told).otp).toEqual({ issues: 1, issuedAt, code: CODE, expiresAt: issuedAt + 300_000, wrong: 0 })
    told.send(withCode('00000'))
    expect(context(told).otp).toEqual({ issues: 1, issuedAt, code: CODE, expiresAt: issuedAt + 300_000, wrong: 1 })
  })

  it.each([
    [299_999, 'screening'],
    [300_000, 'verifyingPhone'],
  ])('given after %i ms lead to %s', (after, state) => {
    const told = submitPerson(orderFixture())
    told.send(withCode(), { after })
    expect(checkout(told)).toBe(state)
    expect(context(told).otp.wrong).toBe(0)
  })

  it.each([
    [4, 'screening'],
    [5, 'verifyingPhone'],
  ])('after %i wrong ones lead to %s', (wrong, state) => {
    const told = submitPerson(orderFixture())
    for (let n = 0; n < wrong; n++) told.send(withCode('00000'), { after: 10 })
    told.send(withCode())
    expect(checkout(told)).toBe(state)
    expect(context(told).otp.wrong).toBe(wrong)
  })

  it('are used once, and bind the agreement', () => {
    const told = submitPerson(orderFixture())
    told.send({ ...withCode(), person: { ...ANA, city: 'Sevilla' }, agreement: PP3 })
    expect(context(told)).toMatchObject({ otp: { code: null, issues: 1 }, agreement: PP3, person: { city: 'Sevilla' } })
  })

  it('bind the hinted product, or the merchant’s first, if none is chosen', () => {
    const hinted = submitPerson(orderFixture({ productCode: 'fp1' }))
    hinted.send({ ...withCode(), agreement: null })
    expect(context(hinted).agreement).toEqual(FP1)
    expect(context(reachScreening(orderFixture(), null)).agreement).toEqual(I1)
  })

  it('include a master code only in a sandbox, and only when a code was requested', () => {
    const sandbox = { ...TERMS, rules: { ...TERMS.rules, masterCode: '12345' } }
    const told = submitPerson(orderFixture({}, undefined, sandbox))
    told.send(withCode('12345'))
    expect(checkout(told)).toBe('screening')
    const late = submitPerson(orderFixture({}, undefined, sandbox))
    late.send(withCode('12345'), { after: 300_000 })
    expect(checkout(late)).toBe('verifyingPhone')
    const elsewhere = submitPerson(orderFixture())
    elsewhere.send(withCode('12345'))
    expect(checkout(elsewhere)).toBe('verifyingPhone')
  })
})

describe('another person', () => {
  it('starts over without any verification, and the count of codes continues', () => {
    const told = revealOutcome(orderFixture(), 'identity', FP1)
    told.reply('cards', { type: 'cards.recalled', cards: [VISA] })
    const { otp } = context(told)
    told.send({ type: 'person.changed', person: EVA, agreement: null })
    expect(context(told)).toMatchObject({
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
    expect(checkout(told)).toBe('verifyingPhone')
  })

  it('does not inherit a review or an offer', () => {
    for (const [outcome, offer] of [
      ['review', null],
      ['alternative', { agreements: [PP3], forcedIndex: 0 }],
    ] as const) {
      const told = resolveScreening(orderFixture(), outcome, I1, offer)
      expect(context(told).outcomeAt).not.toBeNull()
      told.send({ type: 'person.changed', person: EVA, agreement: null })
      expect(context(told)).toMatchObject({ isUnderReview: false, alternative: null, outcomeAt: null })
      expect(context(told).screening).toEqual({ rounds: 0, deadlineAt: 0, outcome: null })
    }
  })
})

describe('a screening', () => {
  it('has a minute, and a number', () => {
    const told = reachScreening(orderFixture())
    expect(context(told).screening).toEqual({ rounds: 1, deadlineAt: context(told).updatedAt + 60_000, outcome: null })
  })

  it.each(['approved', 'review', 'alternative', 'identity', 'denied', 'error'] as const)(
    'with the result %s is stored with its instant until the shopper returns',
    (outcome) => {
      const told = resolveScreening(orderFixture(), outcome)
      expect(checkout(told)).toBe('screened')
      expect(context(told)).toMatchObject({
        screening: { rounds: 1, outcome },
        isUnderReview: outcome === 'review',
        outcomeAt: context(told).updatedAt,
        alternative: null,
      })
    },
  )

  it.each([
    ['approved', 'confirming', null],
    ['review', 'holding', null],
    ['alternative', 'rejected', null],
    ['identity', 'started', null],
    ['denied', 'rejected', null],
    ['error', 'failed', 'screening_error'],
  ] as const)('with the result %s leads to %s', (outcome, state, failure) => {
    const told = revealOutcome(orderFixture(), outcome)
    expect([checkout(told), context(told).failure]).toEqual([state, failure])
  })

  it('is repeated twice if it times out, and then ends the order', () => {
    const told = reachScreening(orderFixture())
    const rounds = []
    for (const _ of [1, 2, 3]) {
      told.reply('timer.screeningWindow', { type: 'timer.fired', timer: 'screeningWindow.screening' })
      expect(context(told).screening.outcome).toBe('expired')
      told.send(SUBMISSION)
      rounds.push([context(told).screening.rounds, checkout(told)])
    }
    expect(rounds).toEqual([
      [2, 'screening'],
      [3, 'screening'],
      [3, 'failed'],
    ])
    expect(context(told).failure).toBe('screening_expired')
  })

  it('with a result is not repeated', () => {
    expect(context(revealOutcome(orderFixture(), 'error')).screening.rounds).toBe(1)
  })
})

describe('an alternative offer', () => {
  const offeredOf = (agreements: readonly (typeof I1)[], forcedIndex: number | null) =>
    context(resolveScreening(orderFixture(), 'alternative', I1, { agreements, forcedIndex })).alternative

  it('contains what the merchant has for the total', () => {
    const unknown = { product: 'sp1', instalmentCount: 3 }
    const unfit = { product: 'pp3', instalmentCount: 7 }
    expect(offeredOf([unknown, PP3, unfit, FP1], 3)).toEqual({ agreements: [PP3, FP1], forcedIndex: 1 })
    expect(offeredOf([unknown, PP3], 0)).toEqual({ agreements: [PP3], forcedIndex: null })
    expect(offeredOf([PP3, FP1], null)).toEqual({ agreements: [PP3, FP1], forcedIndex: null })
    expect(offeredOf([PP3, FP1], 0)).toEqual({ agreements: [PP3, FP1], forcedIndex: 0 })
  })

  it('rejects the order if it would be empty', () => {
    const unknown = { agreements: [{ product: 'sp1', instalmentCount: 3 }], forcedIndex: null }
    expect(checkout(revealOutcome(orderFixture(), 'alternative', I1, unknown))).toBe('rejected')
  })

  it('must be chosen, including the number of instalments', () => {
    const told = revealOutcome(orderFixture(), 'alternative', I1, { agreements: [PP3, FP1], forcedIndex: null })
    expect(checkout(told)).toBe('choosingAlternative')
    for (const agreement of [null, I1, { ...PP3, instalmentCount: 6 }, { ...I1, instalmentCount: 3 }])
      told.send({ ...SUBMISSION, agreement })
    expect(checkout(told)).toBe('choosingAlternative')
    told.send({ ...SUBMISSION, agreement: PP3 })
    expect([checkout(told), context(told).agreement]).toEqual(['paying', PP3])
    expect(context(told).payments[0]?.amount).toBe(4_284)
  })
})

describe('an ID session', () => {
  const reporting = (told: OrderFixture, status: SessionStatus): OrderFixture => {
    told.reply('session', { type: 'session.reported', status })
    return told
  }

  it('has a token, and a page once it is known', () => {
    const told = revealOutcome(orderFixture(), 'identity')
    const { session } = context(told)
    expect(session).toEqual({ token: expect.stringMatching(/^token-/), errors: 0, providerUrl: null })
    told.reply('session', { type: 'session.opened', url: 'http://id.test' })
    expect(context(told).session).toEqual({ ...session, providerUrl: 'http://id.test' })
  })

  it.each([
    ['VERIFIED', 'verified', 'confirming'],
    ['FAILED', 'unverified', 'rejected'],
    ['ERROR', 'errored', 'started'],
  ] as const)('that reports %s is %s, and a submission leads to %s', (status, state, next) => {
    const told = reporting(revealOutcome(orderFixture(), 'identity'), status)
    const { outcomeAt, updatedAt } = context(told)
    expect([checkout(told), outcomeAt === updatedAt]).toEqual([state, status === 'VERIFIED'])
    told.send(SUBMISSION)
    expect(checkout(told)).toBe(next)
  })

  it('shows its result for three seconds, and then continues by itself', () => {
    for (const [status, name, next] of [
      ['VERIFIED', 'verified', 'confirming'],
      ['FAILED', 'unverified', 'rejected'],
    ] as const) {
      const told = revealOutcome(orderFixture(), 'identity')
      const { effects, order } = told.reply('session', { type: 'session.reported', status })
      const timer = effects.find((effect) => effect.type === 'do' && effect.lane === 'timer.idResult')
      expect(timer).toMatchObject({ dueAt: order.context.updatedAt + 3_000 })
      told.reply('timer.idResult', { type: 'timer.fired', timer: `idResult.${name}` })
      expect(checkout(told)).toBe(next)
    }
  })

  it('may fail twice, and ends the order at the third failure', () => {
    const told = revealOutcome(orderFixture(), 'identity')
    const tokens = new Set<string | undefined>()
    for (const errors of [1, 2]) {
      tokens.add(context(told).session?.token)
      reporting(told, 'ERROR')
      expect([checkout(told), context(told).session?.errors]).toEqual(['errored', errors])
      told.send(SUBMISSION)
      expect(context(told).session).toMatchObject({ errors, providerUrl: null })
    }
    tokens.add(context(told).session?.token)
    expect(tokens.size).toBe(3)
    reporting(told, 'ERROR')
    expect([checkout(told), context(told).failure, context(told).session?.errors]).toEqual(['failed', 'identity', 3])
  })

  it('is not waited for after it has reported, so that the next one can start', () => {
    const told = revealOutcome(orderFixture(), 'identity')
    const { effects } = told.reply('session', { type: 'session.reported', status: 'ERROR' })
    expect(effects).toEqual([{ type: 'revoke', lane: 'session' }])
  })

  it('that cannot be opened ends the order', () => {
    const told = revealOutcome(orderFixture(), 'identity')
    told.reply('session', { type: 'session.unavailable' })
    expect([checkout(told), context(told).failure]).toEqual(['failed', 'identity'])
  })
})

describe('a payment', () => {
  const paying = (): OrderFixture => revealOutcome(orderFixture(), 'approved', PP3)

  it('is opened once, for the amount due', () => {
    const told = paying()
    expect(context(told).payments).toEqual([
      {
        key: `U:${told.order().revision}:payment`,
        token: `token-${told.order().revision}`,
        amount: 4_284,
        state: 'open',
        providerUrl: null,
        challenge: null,
        voidedBy: null,
        refundedBy: null,
      },
    ])
    expect(context(revealOutcome(orderFixture())).payments).toEqual([])
  })

  it('has a page and a challenge while it is the open one', () => {
    const told = paying()
    const [payment] = context(told).payments
    told.reply('payment', { type: 'payment.opened', url: 'http://pay.test' })
    expect(context(told).payments).toEqual([{ ...payment, providerUrl: 'http://pay.test' }])
    told.reply('payment', { type: 'payment.challenged', token: 't', card: VISA, keep: true })
    expect(context(told).payments).toEqual([
      { ...payment, providerUrl: 'http://pay.test', challenge: { token: 't', card: VISA, keep: true } },
    ])
    expect(checkout(told)).toBe('paying')
  })

  it('allows five tries', () => {
    const told = paying()
    for (const tried of [1, 2, 3, 4]) {
      told.reply('payment', DECLINED)
      expect([checkout(told), context(told).payments.length]).toEqual(['paying', tried + 1])
    }
    expect(context(told).payments.map(({ state, voidedBy }) => [state, voidedBy])).toEqual([
      ...[1, 2, 3, 4].map(() => ['failed', null]),
      ['open', null],
    ])
    told.reply('payment', DECLINED)
    expect([checkout(told), context(told).failure]).toEqual(['failed', 'payment'])
    expect(context(told).payments.every(({ state }) => state === 'failed')).toBe(true)
  })

  it('counts as a try once it is declined, even if it succeeds later, and not if it was abandoned', () => {
    const told = paying()
    const succeeds = (key = '') => told.send({ type: 'payment.succeeded', inReplyTo: key, card: null, keep: false })
    const left = context(told).payments[0]
    told.send({ type: 'person.changed', person: EVA, agreement: null })
    succeeds(left?.key)
    told.send({ type: 'person.submitted', person: EVA, agreement: null }, { after: 31_000 })
    told.send({ type: 'code.submitted', person: EVA, agreement: PP3, code: CODE })
    told.reply('screening', { type: 'screening.resolved', outcome: 'approved', alternative: null })
    told.send({ type: 'person.submitted', person: EVA, agreement: null })
    for (const tried of [1, 2, 3, 4]) {
      const open = context(told).payments.at(-1)
      told.reply('payment', DECLINED)
      succeeds(open?.key)
      expect([checkout(told), context(told).payments.length]).toEqual(['paying', tried + 2])
    }
    told.reply('payment', DECLINED)
    expect([checkout(told), context(told).failure]).toEqual(['failed', 'payment'])
  })

  it('that cannot be opened ends the order', () => {
    const told = paying()
    told.reply('payment', { type: 'payment.unavailable' })
    expect([checkout(told), context(told).failure]).toEqual(['failed', 'payment'])
    expect(context(told).payments[0]).toMatchObject({
      state: 'void',
      voidedBy: `U:${told.order().revision}:void`,
    })
  })

  it('that succeeded is no longer due, and cannot be voided', () => {
    const told = paying()
    told.reply('payment', PAID)
    expect(checkout(told)).toBe('confirming')
    expect(context(told).payments).toMatchObject([{ state: 'succeeded', voidedBy: null, refundedBy: null }])
  })

  it('that was abandoned is refunded once if it succeeds, whether it was voided or declined', () => {
    const told = paying()
    const [first] = context(told).payments
    told.reply('payment', DECLINED)
    const second = context(told).payments[1]
    told.send({ type: 'person.changed', person: EVA, agreement: null })
    for (const key of [first?.key, second?.key]) {
      const success = { type: 'payment.succeeded', inReplyTo: String(key), card: null, keep: false } as const
      const { revision } = told.send(success).order
      const payment = context(told).payments.find((each) => each.key === key)
      expect(payment).toMatchObject({ state: 'unexpected', refundedBy: `U:${revision}:refund` })
      expect(told.send(success).effects).toEqual([])
      expect(context(told).payments.find((each) => each.key === key)).toEqual(payment)
    }
  })

  it('that confirmed the order is kept, even if its success is reported again', () => {
    const told = confirmWithMerchant(orderFixture(), PP3)
    const [payment] = context(told).payments
    told.send({ type: 'payment.succeeded', inReplyTo: String(payment?.key), card: null, keep: false })
    expect(context(told).payments).toEqual([payment])
  })

  it('is refunded if the order fails, unless it was declined', () => {
    const told = paying()
    told.reply('payment', DECLINED)
    told.reply('payment', PAID)
    told.reply('ipn', { type: 'ipn.conflicted' })
    expect(checkout(told)).toBe('conflicted')
    expect(context(told).payments.map(({ state, refundedBy }) => [state, refundedBy])).toEqual([
      ['failed', null],
      ['succeeded', `U:${told.order().revision}:refund`],
    ])
  })
})
