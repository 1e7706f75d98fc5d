// The vocabulary of the statechart: its guards (conditions), its assignments (changes of the
// context) and the names of its effects. The regions refer to them only by name; effects.ts turns
// effects into data.
import { assertEvent, assign, type ExtractEvent, raise, setup } from 'xstate'
import type { IdentificationActionName, WaitActionName } from '../../protocol/action.ts'
import { isOffered, planOf } from '../../protocol/credit-product.ts'
import type { SessionStatus } from '../../protocol/provider-answer.ts'
import type { RiskLevel } from '../../protocol/webhook-event.ts'
import { effectKey } from '../effects/effect.ts'
import { type EffectName, type EffectParams, effects } from '../effects/effects.ts'
import { agreementOrDefault, type OrderEvent } from '../order.ts'
import {
  type Alternative,
  type FailureReason,
  type OrderContext,
  type Payment,
  type Placed,
  requireValue,
  type ScreeningOutcome,
  sessionOf,
  successfulPaymentOf,
  wasDeclined,
} from '../order-context.ts'
import { applyCarts } from '../reduction.ts'
import { LIMITS, type Rules, type StepInput } from '../terms.ts'

/** The input of guards and assignments: the order, the rules, and the input of the step. */
export type MachineContext = OrderContext & {
  readonly placed: Placed
  readonly rules: Rules
  readonly stepInput: StepInput & { readonly revision: number }
}

/**
 * The events of the machine: the order's own, and `order.confirmed`, by which the checkout region
 * informs the others.
 */
export type MachineEvent = OrderEvent | { readonly type: 'order.confirmed' }

export type StateMeta = {
  /** A description of the state in plain words. */
  readonly caption: string
  /** The section of the interface or the contract that describes the state. */
  readonly section: string
  /** The answer of the wait endpoint. */
  readonly wait?: WaitActionName
  /** The answer of the identification endpoint, if it is another action. */
  readonly identification?: IdentificationActionName
  /** The name on the wire, if it is not the state's own name in snake_case. */
  readonly name?: string
}

const amountDueNow = ({ placed, agreement }: MachineContext): number =>
  planOf(agreementOrDefault(placed, agreement), placed).dueNow

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
  { placed }: MachineContext,
  { agreements, forcedIndex }: Alternative,
): Alternative => {
  const offered = agreements.filter((agreement) =>
    isOffered(placed.merchant.products, placed, agreement),
  )
  const forced = offered.findIndex((agreement) => agreement === agreements[forcedIndex ?? -1])
  return { agreements: offered, forcedIndex: forced < 0 ? null : forced }
}

const hasCode = ({ otp, stepInput }: MachineContext): boolean =>
  otp.code !== null && otp.wrong < LIMITS.wrongCodes && stepInput.at < otp.expiresAt

type EventType = MachineEvent['type']
type Scope<Type extends EventType> = {
  readonly context: MachineContext
  readonly event: ExtractEvent<MachineEvent, Type>
}

const isReplyTo = (event: MachineEvent, { key }: Payment): boolean =>
  'inReplyTo' in event && event.inReplyTo === key

const answersPayment = (
  { context, event }: Scope<EventType>,
  ...states: readonly Payment['state'][]
): boolean =>
  context.payments.some((payment) => isReplyTo(event, payment) && states.includes(payment.state))

/**
 * A guard for one type of event. On any other it throws, because only a wrong machine asks it
 * there.
 */
const guardOn =
  <Type extends EventType, Params = unknown>(
    type: Type,
    accepts: (scope: Scope<Type>, params: Params) => boolean,
  ) =>
  ({ context, event }: Scope<EventType>, params: Params): boolean => {
    assertEvent(event, type)
    return accepts({ context, event }, params)
  }

/**
 * An assignment for these types of events. On any other it throws, because only a wrong machine
 * runs it there.
 */
const assignOn = <Type extends EventType>(
  types: Type | readonly Type[],
  change: (scope: Scope<Type>) => Partial<MachineContext>,
) =>
  assign<MachineContext, MachineEvent, undefined, MachineEvent, never>(({ context, event }) => {
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

// The machine only names its effects; the step makes them. `fromEntries` does not know the names.
const effectActions = Object.fromEntries(
  Object.keys(effects).map((name) => [name, () => {}]),
) as unknown as {
  readonly [Name in EffectName]: (scope: unknown, params: EffectParams<Name>) => void
}

export const orderSetup = setup({
  types: {
    context: {} as MachineContext,
    input: {} as MachineContext,
    events: {} as MachineEvent,
    meta: {} as StateMeta,
  },
  guards: {
    codeWasJustSent: ({ context: { otp, stepInput } }) =>
      otp.issuedAt !== null && stepInput.at < otp.issuedAt + LIMITS.codePause,
    anotherCodeMayBeSent: ({ context }) => context.otp.issues < LIMITS.codeIssues,
    codeIsRight: guardOn(
      'code.submitted',
      ({ context, event }) =>
        hasCode(context) &&
        (event.code === context.otp.code || event.code === context.rules.masterCode),
    ),
    hasValidCode: ({ context }) => hasCode(context),
    isLastTry: ({ context }) => hasCode(context) && context.otp.wrong + 1 === LIMITS.wrongCodes,

    outcomeIs: ({ context }, outcome: { readonly of: ScreeningOutcome }) =>
      context.screening.outcome === outcome.of,
    hasAlternatives: ({ context }) =>
      context.screening.outcome === 'alternative' &&
      (context.alternative?.agreements.length ?? 0) > 0,
    mayBeScreenedAgain: ({ context }) =>
      context.screening.outcome === 'expired' && context.screening.rounds < LIMITS.screenings,
    alternativeIsChosen: guardOn(
      'person.submitted',
      ({ context: { alternative }, event: { agreement } }) =>
        requireValue(alternative, 'alternative').agreements.some(
          ({ product, instalmentCount }) =>
            product === agreement?.product && instalmentCount === agreement.instalmentCount,
        ),
    ),

    sessionStatusIs: guardOn(
      'session.reported',
      ({ event }, session: { readonly status: SessionStatus }) => event.status === session.status,
    ),
    anotherSessionMayOpen: ({ context }) => sessionOf(context).errors + 1 < LIMITS.sessionErrors,

    paymentIsDue: ({ context }) =>
      successfulPaymentOf(context) === undefined && amountDueNow(context) > 0,
    isTheOpenPayment: (scope) => answersPayment(scope, 'open'),
    anotherPaymentMayBeTried: (scope) =>
      answersPayment(scope, 'open') &&
      scope.context.payments.filter(wasDeclined).length + 1 < LIMITS.payments,
    isUnexpectedPayment: (scope) => answersPayment(scope, 'failed', 'void'),

    referenceIsTaken: ({ context }) => context.stepInput.referenceIsTaken,
    isUnderReview: ({ context }) => context.isUnderReview,
    wasNeverHeld: ({ context }) => context.heldAt === null,
    merchantConfirmed: ({ context }) => context.merchantConfirmed,
    merchantHasNotConfirmed: ({ context }) => !context.merchantConfirmed,
    hasNoIpnUrl: ({ context }) => context.placed.notifyUrl === null,

    paysByFp1: ({ context }) =>
      agreementOrDefault(context.placed, context.agreement).product === 'fp1',
    riskIs: guardOn(
      'risk.assessed',
      ({ event }, risk: { readonly level: RiskLevel }) => event.level === risk.level,
    ),

    isConfirmed: ({ context }) => context.confirmedAt !== null,
    adviceHasDelay: guardOn('cancellation.advised', ({ event }) => event.delay > 0),
    hasNoEventsWebhook: ({ context }) => context.placed.eventsWebhook === null,
  },
  actions: {
    storePerson: assignOn(['person.submitted', 'person.changed'], ({ event: { person } }) => ({
      person,
    })),
    fixAgreement: assignOn(
      'code.submitted',
      ({ context: { placed }, event: { person, agreement } }) => ({
        person,
        agreement: agreementOrDefault(placed, agreement),
      }),
    ),
    // No check of one person counts for another. The number of codes and the pause between them
    // count for the order.
    resetPerson: assign(({ context }) => ({
      agreement: null,
      otp: { ...context.otp, code: null },
      screening: { rounds: 0, deadlineAt: 0, outcome: null },
      alternative: null,
      outcomeAt: null,
      isUnderReview: false,
      session: null,
      cards: [],
    })),

    issueCode: assign(({ context: { otp, stepInput, rules } }) => ({
      otp: {
        issues: otp.issues + 1,
        issuedAt: stepInput.at,
        code: stepInput.random.code,
        expiresAt: stepInput.at + rules.otpLifetime,
        wrong: 0,
      },
    })),
    countWrongCode: assign(({ context: { otp } }) => ({ otp: { ...otp, wrong: otp.wrong + 1 } })),
    useUpCode: assign(({ context: { otp } }) => ({ otp: { ...otp, code: null } })),

    beginScreening: assign(({ context: { screening, stepInput, rules } }) => ({
      screening: {
        rounds: screening.rounds + 1,
        deadlineAt: stepInput.at + rules.screeningWindow,
        outcome: null,
      },
    })),
    recordOutcome: assignOn(
      'screening.resolved',
      ({ context, event: { outcome, alternative } }) => ({
        screening: { ...context.screening, outcome },
        isUnderReview: outcome === 'review',
        outcomeAt: context.stepInput.at,
        alternative: alternative && keepOfferable(context, alternative),
      }),
    ),
    recordExpiry: assign(({ context: { screening } }) => ({
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

    openSession: assign(({ context: { session, stepInput } }) => ({
      session: { token: stepInput.random.token, errors: session?.errors ?? 0, providerUrl: null },
    })),
    recordSession: assignOn('session.opened', ({ context, event: { url } }) => ({
      session: { ...sessionOf(context), providerUrl: url },
    })),
    countSessionError: assign(({ context }) => ({
      session: { ...sessionOf(context), errors: sessionOf(context).errors + 1 },
    })),
    recordVerification: assign(({ context: { stepInput } }) => ({ outcomeAt: stepInput.at })),

    openPayment: assign(({ context }) => ({
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
        },
      ],
    })),
    recordPaymentPage: assignToPayment('payment.opened', ({ event: { url } }) => ({
      providerUrl: url,
    })),
    recordChallenge: assignToPayment('payment.challenged', ({ event: { token, card, keep } }) => ({
      challenge: { token, card, keep },
    })),
    closePayment: assign(({ context }) =>
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
    markRefunded: assign(({ context }) =>
      withPayment(
        context,
        ({ state, refundedBy }) => state === 'succeeded' && refundedBy === null,
        {
          refundedBy: effectKeyFor(context, 'refund'),
        },
      ),
    ),

    clearMerchantConfirmation: assign({ merchantConfirmed: false }),
    rememberConfirmation: assign({ merchantConfirmed: true }),
    takeReferences: assignOn(
      'references.given',
      ({ context: { references }, event: { first, second } }) => ({
        references: { first: first ?? references.first, second: second ?? references.second },
      }),
    ),
    recordHold: assign(({ context: { stepInput } }) => ({ heldAt: stepInput.at })),
    recordApproval: assign(({ context: { stepInput } }) => ({
      isUnderReview: false,
      outcomeAt: stepInput.at,
    })),
    recordConfirmation: assign(({ context: { stepInput } }) => ({ confirmedAt: stepInput.at })),
    fail: assign((_, failure: { readonly reason: FailureReason }) => ({ failure: failure.reason })),

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

    announceConfirmation: raise({ type: 'order.confirmed' }),

    ...effectActions,
  },
  delays: {
    checkoutLifetime: ({ context }) => context.rules.checkoutLifetime,
    screeningWindow: ({ context }) => context.rules.screeningWindow,
    idResult: () => LIMITS.idResult,
    cancelDelay: ({ context }) => context.cancelDelay,
  },
})

// Guards and actions with parameters. They are typed: an unknown lane, outcome or status does not
// compile.
export const revoke = (lane: EffectParams<'revoke'>['lane']) =>
  ({ type: 'revoke', params: { lane } }) as const
export const tellMerchant = (event: EffectParams<'tellMerchant'>['event']) =>
  ({ type: 'tellMerchant', params: { event } }) as const
export const fail = (reason: FailureReason) => ({ type: 'fail', params: { reason } }) as const
export const outcomeIs = (of: ScreeningOutcome) => ({ type: 'outcomeIs', params: { of } }) as const
export const sessionStatusIs = (status: SessionStatus) =>
  ({ type: 'sessionStatusIs', params: { status } }) as const
export const riskIs = (level: RiskLevel) => ({ type: 'riskIs', params: { level } }) as const
