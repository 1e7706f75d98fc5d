// The changes that the statechart makes to an order. The regions name them only.
import { assertEvent, assign } from 'xstate'
import { isOffered } from '../../protocol/credit-product.ts'
import { effectKey } from '../effects/effect.ts'
import { agreementOrDefault } from '../order.ts'
import {
  type Alternative,
  type FailureReason,
  type OrderContext,
  type Payment,
  sessionOf,
} from '../order-context.ts'
import { applyCarts } from '../reduction.ts'
import {
  amountDueNow,
  type EventType,
  isReplyTo,
  type MachineContext,
  type MachineEvent,
  type Scope,
} from './machine-context.ts'

const effectKeyFor = ({ placed, stepInput }: MachineContext, lane: string): string =>
  effectKey(placed.orderRef, stepInput.revision, lane)

const withPayment = (
  { payments }: MachineContext,
  matches: (payment: Payment) => boolean,
  change: Partial<Payment>,
): Pick<OrderContext, 'payments'> => ({
  payments: payments.map((payment) => (matches(payment) ? { ...payment, ...change } : payment)),
})

/**
 * Keeps the offered agreements that the merchant has and that fit the total. A forced agreement
 * keeps its mark.
 */
const keepOfferable = (
  { placed, products }: MachineContext,
  { agreements, forcedIndex }: Alternative,
): Alternative => {
  const offered = agreements.filter((agreement) =>
    isOffered(placed.merchant.products, placed, agreement, products),
  )
  const forced = offered.findIndex((agreement) => agreement === agreements[forcedIndex ?? -1])
  return { agreements: offered, forcedIndex: forced < 0 ? null : forced }
}

/** `params`: those with which the statechart names the assignment. */
const assignment = <Params = undefined>(
  change: (scope: Scope<EventType>, params: Params) => Partial<MachineContext>,
) => assign<MachineContext, MachineEvent, Params, MachineEvent, never>(change)

/**
 * An assignment for these types of events. On any other it throws, because only a wrong machine
 * runs it there.
 */
const assignOn = <Type extends EventType>(
  types: Type | readonly Type[],
  change: (scope: Scope<Type>) => Partial<MachineContext>,
) =>
  assignment(({ context, event }) => {
    assertEvent(event, types)
    return change({ context, event })
  })

/** An assignment that changes the payment whose effect the event answers. */
const assignToPayment = <Type extends EventType>(
  type: Type,
  change: (scope: Scope<Type>) => Partial<Payment>,
) =>
  assignOn(type, (scope) =>
    withPayment(scope.context, (payment) => isReplyTo(scope.event, payment), change(scope)),
  )

export const assignments = {
  storePerson: assignOn(['person.submitted', 'person.changed'], ({ event: { person } }) => ({
    person,
  })),
  fixAgreement: assignOn(
    'code.submitted',
    ({ context: { placed, products }, event: { person, agreement } }) => ({
      person,
      agreement: agreementOrDefault(placed, agreement, products),
    }),
  ),
  // No check of one person counts for another. The number of codes and the pause between them
  // count for the order.
  resetPerson: assignment(({ context }) => ({
    agreement: null,
    otp: { ...context.otp, code: null },
    screening: { rounds: 0, deadlineAt: 0, outcome: null },
    alternative: null,
    outcomeAt: null,
    isUnderReview: false,
    session: null,
    cards: [],
  })),

  issueCode: assignment(({ context: { otp, stepInput, rules } }) => ({
    otp: {
      issues: otp.issues + 1,
      issuedAt: stepInput.at,
      code: stepInput.random.code,
      expiresAt: stepInput.at + rules.otpLifetime,
      wrong: 0,
    },
  })),
  countWrongCode: assignment(({ context: { otp } }) => ({ otp: { ...otp, wrong: otp.wrong + 1 } })),
  useUpCode: assignment(({ context: { otp } }) => ({ otp: { ...otp, code: null } })),

  beginScreening: assignment(({ context: { screening, stepInput, rules } }) => ({
    screening: {
      rounds: screening.rounds + 1,
      deadlineAt: stepInput.at + rules.screeningWindow,
      outcome: null,
    },
  })),
  recordOutcome: assignOn('screening.resolved', ({ context, event: { outcome, alternative } }) => ({
    screening: { ...context.screening, outcome },
    isUnderReview: outcome === 'review',
    outcomeAt: context.stepInput.at,
    alternative: alternative && keepOfferable(context, alternative),
  })),
  recordExpiry: assignment(({ context: { screening } }) => ({
    screening: { ...screening, outcome: 'expired' as const },
  })),
  recallCards: assignOn('cards.recalled', ({ event: { cards } }) => ({ cards })),
  takeAlternative: assignOn(
    'person.submitted',
    ({ context: { stepInput }, event: { agreement } }) => ({
      agreement,
      outcomeAt: stepInput.at,
    }),
  ),

  openSession: assignment(({ context: { session, stepInput } }) => ({
    session: { token: stepInput.random.token, errors: session?.errors ?? 0, providerUrl: null },
  })),
  recordSession: assignOn('session.opened', ({ context, event: { url } }) => ({
    session: { ...sessionOf(context), providerUrl: url },
  })),
  countSessionError: assignment(({ context }) => ({
    session: { ...sessionOf(context), errors: sessionOf(context).errors + 1 },
  })),
  recordVerification: assignment(({ context: { stepInput } }) => ({ outcomeAt: stepInput.at })),

  openPayment: assignment(({ context }) => ({
    payments: [
      ...context.payments,
      {
        key: effectKeyFor(context, 'payment'),
        token: context.stepInput.random.token,
        amount: amountDueNow(context),
        state: 'open' as const,
        providerUrl: null,
        challenge: null,
        voidedBy: null,
        refundedBy: null,
        refunds: [],
      },
    ],
  })),
  recordPaymentPage: assignToPayment('payment.opened', ({ event: { url } }) => ({
    providerUrl: url,
  })),
  recordChallenge: assignToPayment('payment.challenged', ({ event: { token, card, keep } }) => ({
    challenge: { token, card, keep },
  })),
  closePayment: assignment(({ context }) =>
    withPayment(context, ({ state }) => state === 'open', {
      state: 'void',
      voidedBy: effectKeyFor(context, 'void'),
    }),
  ),
  recordSuccess: assignToPayment('payment.succeeded', () => ({
    state: 'succeeded',
    voidedBy: null,
  })),
  recordDecline: assignToPayment('payment.failed', () => ({ state: 'failed', voidedBy: null })),
  markUnexpectedPayment: assignToPayment('payment.succeeded', ({ context }) => ({
    state: 'unexpected',
    refundedBy: effectKeyFor(context, 'refund'),
  })),
  recordCarts: assignOn(['order.updated', 'order.reduced'], ({ context, event: { carts } }) =>
    carts === undefined ? {} : applyCarts(context, carts, effectKeyFor(context, 'refund')),
  ),
  markRefunded: assignment(({ context }) =>
    withPayment(context, ({ state, refundedBy }) => state === 'succeeded' && refundedBy === null, {
      refundedBy: effectKeyFor(context, 'refund'),
    }),
  ),

  clearMerchantConfirmation: assignment(() => ({ merchantConfirmed: false })),
  rememberConfirmation: assignment(() => ({ merchantConfirmed: true })),
  takeReferences: assignOn(
    'references.given',
    ({ context: { references }, event: { first, second } }) => ({
      references: { first: first ?? references.first, second: second ?? references.second },
    }),
  ),
  recordHold: assignment(({ context: { stepInput } }) => ({ heldAt: stepInput.at })),
  recordApproval: assignment(({ context: { stepInput } }) => ({
    isUnderReview: false,
    outcomeAt: stepInput.at,
  })),
  recordConfirmation: assignment(({ context: { stepInput } }) => ({ confirmedAt: stepInput.at })),
  fail: assignment((_, failure: { readonly reason: FailureReason }) => ({
    failure: failure.reason,
  })),

  recordRisk: assignOn('risk.assessed', ({ event: { level } }) => ({ riskLevel: level })),

  planQuestion: assignOn('cancellation.advised', ({ event: { delay } }) => ({
    cancelDelay: delay,
  })),
  planNextQuestion: assignOn('cancel.deferred', ({ event }) => ({
    cancelDelay: event.retryInMinutes * 60_000,
  })),
  recordLateness: assignOn('cancel.refused', ({ event: { lateByMinutes } }) => ({
    lateByMinutes,
  })),
}
