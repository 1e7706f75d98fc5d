// Events do not say who causes them. The steps to a state are therefore written in words that a
// reader can follow in the sandbox.
import { SANDBOX_CODE } from '@plazo/adapters/internal/sandbox'
import type { OrderEvent } from '@plazo/core'
import type { GuideStep } from '../../../packages/server/src/api/machine/machine-data.ts'
import { splitCamelCase } from './transition-words.ts'

/** The wrong code that the search of guides.ts submits. */
const WRONG_CODE = '00000'

const WORDS: { readonly [type: string]: string } = {
  'person.submitted': 'Submit the form.',
  'person.changed': 'Submit the form with another person.',
  'session.opened': 'The ID session opens.',
  'session.unavailable': 'The ID session is not available.',
  'payment.opened': 'The card form opens.',
  'payment.challenged': 'The bank asks for 3-D Secure.',
  'payment.failed': 'Pay with a card that is declined.',
  'payment.succeeded': 'Pay by card.',
  'payment.unavailable': 'The card form is not available.',
  'ipn.accepted': 'The shop accepts the IPN.',
  'ipn.conflicted': 'The shop answers the IPN with 409.',
  'ipn.erred': 'The shop answers the IPN with an error.',
  'ipn.exhausted': 'The shop does not answer the IPN until plazo gives up.',
  'merchant.confirmed': 'The shop confirms the order by PUT.',
  'merchant.held': 'The shop puts the order on hold by PUT.',
  'review.approved': 'The operator approves the order.',
  'review.rejected': 'The operator rejects the order.',
  'cancellation.requested': 'The operator asks the shop to cancel.',
  'cancel.agreed': 'The shop agrees to cancel.',
  'cancel.refused': 'The shop answers that it is too late.',
  'cancel.deferred': 'The shop answers that it will know later.',
  'cancel.unsupported': 'The shop answers that it does not support cancel.',
  'cancel.exhausted': 'The shop does not answer for a week.',
  'order.cancelled': 'The operator cancels the order.',
}

export const stepOf = (event: OrderEvent): GuideStep => {
  const step = (words: string, value: string | null = null): GuideStep => ({
    words,
    event: event.type,
    value,
  })
  switch (event.type) {
    case 'code.submitted': {
      if (event.code === WRONG_CODE) return step('Enter a wrong code.', 'wrong')
      return event.agreement?.product === 'fp1'
        ? step(`Enter the code ${SANDBOX_CODE}, and choose fp1.`, 'fp1')
        : step(`Enter the code ${SANDBOX_CODE}.`)
    }
    case 'screening.resolved':
      return step(`The screening answers: ${event.outcome}.`)
    case 'session.reported':
      return step(`The ID session ends: ${event.status}.`, event.status)
    case 'risk.assessed':
      return step(`The risk is assessed: ${event.level}.`)
    case 'cancellation.advised':
      return event.delay > 0
        ? step(
            'The risk service advises to cancel in 5 minutes, if the day of birth is 31.',
            'later',
          )
        : step('The risk service advises to cancel at once, if the day of birth is 01.', 'now')
    case 'timer.fired': {
      const timer = event.timer.split('.')[0] ?? ''
      return step(`Move the clock until this timer fires: ${splitCamelCase(timer)}.`, timer)
    }
    default:
      return step(WORDS[event.type] ?? event.type)
  }
}

/**
 * By lane: the last step to a state in which the shop is asked. The order stays there while no
 * answer counts.
 */
export const UNANSWERED: { readonly [lane: string]: GuideStep } = {
  ipn: {
    words: 'The shop answers the IPN with an error, and is asked again.',
    event: 'ipn.erred',
    value: null,
  },
  cancel: {
    words: 'The shop answers with an error, and is asked again.',
    event: null,
    value: null,
  },
}
