// A shopper must pass these checks before the merchant is asked: phone, creditworthiness, identity,
// payment. If another person submits the form, the checks start again from the first one, in any of
// these states. Contract §4.
import type { IdVerificationStatus } from '../../protocol/action.ts'
import { checkoutSetup, fail, outcomeIs, revoke, sessionStatusIs } from './order-setup.ts'

const askingForCode = checkoutSetup.createStateConfig({
  always: [
    { guard: 'codeWasJustSent', target: 'verifyingPhone' },
    { guard: 'anotherCodeMayBeSent', target: 'verifyingPhone', actions: ['issueCode', 'sendCode'] },
    { target: '#failed', actions: fail('codes') },
  ],
})

const verifyingPhone = checkoutSetup.createStateConfig({
  meta: {
    section: 'Contract §4, OTP',
    wait: 'require_validate_otp',
    awaits: ['shopper', 'code.submitted'],
  },
  // A code that is no longer valid must not be sent.
  exit: revoke('sms'),
  on: {
    'person.submitted': [
      { guard: 'codeWasJustSent' },
      { target: 'askingForCode', actions: 'storePerson' },
    ],
    'code.submitted': [
      { guard: 'codeIsMalformed' },
      { guard: 'codeIsRight', target: 'screening', actions: ['useUpCode', 'fixAgreement'] },
      { guard: 'isLastTry', actions: ['countWrongCode', revoke('sms')] },
      { guard: 'hasValidCode', actions: 'countWrongCode' },
      // No code is valid any more, so this one is wrong, and no other state takes it for a form.
      {},
    ],
  },
})

const screening = checkoutSetup.createStateConfig({
  id: 'screening',
  meta: {
    section: 'Contract §4, Screening',
    wait: 'wait_for_screening',
  },
  entry: ['beginScreening', 'screen', 'askForCards'],
  exit: revoke('screening'),
  on: { 'screening.resolved': { target: 'screened', actions: 'recordOutcome' } },
  after: { screeningWindow: { target: 'screened', actions: 'recordExpiry' } },
})

const screened = checkoutSetup.createStateConfig({
  meta: {
    section: 'Interface §4.2',
    wait: 'resume_after_screening',
    identification: null,
    awaits: ['shopper', 'person.submitted'],
  },
  on: { 'person.submitted': 'revealing' },
})

const revealing = checkoutSetup.createStateConfig({
  always: [
    { guard: outcomeIs('approved'), target: '#approved' },
    { guard: outcomeIs('review'), target: '#approved' },
    { guard: 'hasAlternatives', target: 'choosingAlternative' },
    { guard: outcomeIs('alternative'), target: '#rejected' },
    { guard: outcomeIs('identity'), target: 'verifyingIdentity' },
    { guard: outcomeIs('denied'), target: '#rejected' },
    { guard: 'mayBeScreenedAgain', target: 'screening' },
    { guard: outcomeIs('expired'), target: '#failed', actions: fail('screening_expired') },
    { target: '#failed', actions: fail('screening_error') },
  ],
})

// On the wire these states have one name; the action's `status` tells them apart.
const idCheck = (caption: string, idStatus: IdVerificationStatus) =>
  ({
    caption,
    onWire: 'verifying_identity',
    awaits: ['shopper', idStatus === 'STARTED' ? 'session.reported' : 'person.submitted'],
    wait: 'wait_for_id_verification',
    idStatus,
    section: 'Contract §4, ID verification',
  }) as const

const verifyingIdentity = checkoutSetup.createStateConfig({
  initial: 'started',
  on: { 'session.unavailable': { target: '#failed', actions: fail('identity') } },
  states: {
    started: {
      meta: idCheck('ID check', 'STARTED'),
      entry: ['openSession', 'startSession'],
      // Otherwise a broken session would block the next one in their lane.
      exit: revoke('session'),
      on: {
        'session.opened': { actions: 'recordSession' },
        'session.reported': [
          { guard: sessionStatusIs('VERIFIED'), target: 'verified', actions: 'recordVerification' },
          { guard: sessionStatusIs('FAILED'), target: 'unverified' },
          { guard: 'anotherSessionMayOpen', target: 'errored', actions: 'countSessionError' },
          { target: '#failed', actions: ['countSessionError', fail('identity')] },
        ],
      },
    },
    verified: {
      id: 'verified',
      meta: idCheck('ID verified', 'VERIFIED'),
      on: { 'person.submitted': '#approved' },
      after: { idResult: '#approved' },
    },
    unverified: {
      id: 'unverified',
      meta: idCheck('ID not verified', 'FAILED'),
      on: { 'person.submitted': '#rejected' },
      after: { idResult: '#rejected' },
    },
    errored: {
      meta: idCheck('ID check broken off', 'ERROR'),
      on: { 'person.submitted': 'started' },
    },
  },
})

const choosingAlternative = checkoutSetup.createStateConfig({
  meta: {
    section: 'Contract §4, Replies',
    wait: 'alt_payment',
    awaits: ['shopper', 'person.submitted'],
  },
  on: {
    'person.submitted': {
      guard: 'alternativeIsChosen',
      target: '#approved',
      actions: 'takeAlternative',
    },
  },
})

const paying = checkoutSetup.createStateConfig({
  meta: {
    section: 'Contract §4, Payment',
    wait: 'require_payment',
    awaits: ['shopper', 'payment.succeeded'],
  },
  entry: ['openPayment', 'startPayment'],
  exit: ['closePayment', revoke('payment'), 'voidPayment'],
  on: {
    'payment.opened': { guard: 'isTheOpenPayment', actions: 'recordPaymentPage' },
    'payment.challenged': { guard: 'isTheOpenPayment', actions: 'recordChallenge' },
    'payment.succeeded': {
      guard: 'isTheOpenPayment',
      target: '#approved',
      actions: ['recordSuccess', 'keepCard'],
    },
    'payment.failed': [
      { guard: 'anotherPaymentMayBeTried', target: '#approved', actions: 'recordDecline' },
      { guard: 'isTheOpenPayment', target: '#failed', actions: ['recordDecline', fail('payment')] },
    ],
    'payment.unavailable': {
      guard: 'isTheOpenPayment',
      target: '#failed',
      actions: fail('payment'),
    },
  },
})

export const proving = checkoutSetup.createStateConfig({
  initial: 'verifyingPhone',
  on: {
    'person.changed': {
      target: '.askingForCode',
      actions: [revoke('cards'), 'resetPerson', 'storePerson'],
    },
    'cards.recalled': { actions: 'recallCards' },
  },
  states: {
    askingForCode,
    verifyingPhone,
    screening,
    screened,
    revealing,
    verifyingIdentity,
    choosingAlternative,
    paying,
  },
})
