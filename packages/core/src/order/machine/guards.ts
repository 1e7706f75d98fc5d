// The conditions of the statechart. The regions name them only, so that a picture can show them.
import { assertEvent } from 'xstate'
import { ValidationCode } from '../../protocol/identification-form.ts'
import type { SessionStatus } from '../../protocol/provider-answer.ts'
import type { RiskLevel } from '../../protocol/webhook-event.ts'
import { productCodeOf } from '../order.ts'
import {
  type Payment,
  requireValue,
  type ScreeningOutcome,
  sessionOf,
  successfulPaymentOf,
  wasDeclined,
} from '../order-context.ts'
import { LIMITS } from '../terms.ts'
import {
  amountDueNow,
  type EventType,
  isReplyTo,
  type MachineContext,
  type Scope,
} from './machine-context.ts'

const hasCode = ({ otp, stepInput }: MachineContext): boolean =>
  otp.code !== null && otp.wrong < LIMITS.wrongCodes && stepInput.at < otp.expiresAt

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
  ({ context, event }: Scope<EventType>, params: NoInfer<Params>): boolean => {
    assertEvent(event, type)
    return accepts({ context, event }, params)
  }

export const guards = {
  codeWasJustSent: ({ context: { otp, stepInput } }) =>
    otp.issuedAt !== null && stepInput.at < otp.issuedAt + LIMITS.codePause,
  anotherCodeMayBeSent: ({ context }) => context.otp.issues < LIMITS.codeIssues,
  codeIsMalformed: guardOn('code.submitted', ({ event }) => !ValidationCode.is(event.code)),
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
  wasHeld: ({ context }) => context.heldAt !== null,
  wasNeverHeld: ({ context }) => context.heldAt === null,
  merchantConfirmed: ({ context }) => context.merchantConfirmed,
  hasNoIpnUrl: ({ context }) => context.placed.notifyUrl === null,

  cartsAreKnown: guardOn(
    'order.updated',
    ({ context, event: { carts } }) =>
      carts !== undefined &&
      context.carts?.shipped === carts.shipped &&
      context.carts.unshipped === carts.unshipped,
  ),

  paysByFp1: ({ context }) => productCodeOf({ placed: context.placed, context }) === 'fp1',
  riskIs: guardOn(
    'risk.assessed',
    ({ event }, risk: { readonly level: RiskLevel }) => event.level === risk.level,
  ),

  adviceHasDelay: guardOn('cancellation.advised', ({ event }) => event.delay > 0),
  hasNoEventsWebhook: ({ context }) => context.placed.eventsWebhook === null,
} satisfies { readonly [name: string]: (scope: Scope<EventType>, params: never) => boolean }
