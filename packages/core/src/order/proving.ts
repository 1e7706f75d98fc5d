// What a shopper must prove before the merchant is asked: phone, creditworthiness, identity, payment. Another person
// submitting starts over here, wherever the first one stood. Contract §4.
import { orderSetup } from './order-setup.ts'

const askingForCode = orderSetup.createStateConfig({
  id: 'askingForCode',
  always: [
    { guard: 'codeWasJustSent', target: 'verifyingPhone' },
    {
      guard: 'anotherCodeMayBeSent',
      target: 'verifyingPhone',
      actions: [{ type: 'withdraw', params: { lane: 'sms' } }, 'issueCode', 'sendCode'],
    },
    { target: '#failed', actions: { type: 'fail', params: { reason: 'codes' } } },
  ],
})

const verifyingPhone = orderSetup.createStateConfig({
  meta: { caption: 'a code sent by SMS is awaited', wait: 'require_validate_otp', section: 'Contract §4, OTP' },
  on: {
    'person.submitted': [{ guard: 'codeWasJustSent' }, { target: 'askingForCode', actions: 'takePerson' }],
    'code.submitted': [
      {
        guard: 'codeIsRight',
        target: 'screening',
        actions: [{ type: 'withdraw', params: { lane: 'sms' } }, 'useUpCode', 'bindAgreement'],
      },
      { guard: 'codeStands', actions: 'countWrongCode' },
    ],
  },
})

const screening = orderSetup.createStateConfig({
  id: 'screening',
  meta: { caption: 'the shopper is being screened', wait: 'wait_for_screening', section: 'Contract §4, Screening' },
  entry: ['beginScreening', 'screen', 'askForCards'],
  exit: { type: 'withdraw', params: { lane: 'screening' } },
  on: { 'screening.resolved': { target: 'screened', actions: 'recordOutcome' } },
  after: { screeningWindow: { target: 'screened', actions: 'recordExpiry' } },
})

const screened = orderSetup.createStateConfig({
  meta: {
    caption: 'the outcome waits for the next submission',
    wait: 'resume_after_screening',
    section: 'Interface §4.2',
  },
  on: { 'person.submitted': 'revealing' },
})

const revealing = orderSetup.createStateConfig({
  always: [
    { guard: { type: 'outcomeIs', params: { of: 'approved' } }, target: '#approved' },
    { guard: { type: 'outcomeIs', params: { of: 'review' } }, target: '#approved' },
    { guard: 'somethingIsOffered', target: 'choosingAlternative' },
    { guard: { type: 'outcomeIs', params: { of: 'alternative' } }, target: '#rejected' },
    { guard: { type: 'outcomeIs', params: { of: 'identity' } }, target: 'verifyingIdentity' },
    { guard: { type: 'outcomeIs', params: { of: 'denied' } }, target: '#rejected' },
    { guard: 'mayBeScreenedAgain', target: 'screening' },
    {
      guard: 'screeningHasExpired',
      target: '#failed',
      actions: { type: 'fail', params: { reason: 'screening_expired' } },
    },
    { target: '#failed', actions: { type: 'fail', params: { reason: 'screening_error' } } },
  ],
})

const verifyingIdentity = orderSetup.createStateConfig({
  initial: 'started',
  on: { 'session.unavailable': { target: '#failed', actions: { type: 'fail', params: { reason: 'identity' } } } },
  states: {
    started: {
      meta: {
        caption: 'an ID session is open',
        wait: 'wait_for_id_verification',
        section: 'Contract §4, ID verification',
        name: 'verifying_identity',
      },
      entry: ['openSession', 'startSession'],
      // Else a session that broke would hold up the next one in their lane.
      exit: { type: 'withdraw', params: { lane: 'session' } },
      on: {
        'session.opened': { actions: 'recordSession' },
        'session.reported': [
          {
            guard: { type: 'reports', params: { status: 'VERIFIED' } },
            target: 'verified',
            actions: 'recordVerification',
          },
          { guard: { type: 'reports', params: { status: 'FAILED' } }, target: 'unverified' },
          { guard: 'anotherSessionMayOpen', target: 'errored', actions: 'countSessionError' },
          { target: '#failed', actions: ['countSessionError', { type: 'fail', params: { reason: 'identity' } }] },
        ],
      },
    },
    verified: {
      id: 'verified',
      meta: {
        caption: 'the ID is verified',
        wait: 'wait_for_id_verification',
        section: 'Contract §4, ID verification',
        name: 'verifying_identity',
      },
      on: { 'person.submitted': '#approved' },
      after: { idResult: '#approved' },
    },
    unverified: {
      id: 'unverified',
      meta: {
        caption: 'the ID check has failed',
        wait: 'wait_for_id_verification',
        section: 'Contract §4, ID verification',
        name: 'verifying_identity',
      },
      on: { 'person.submitted': '#rejected' },
      after: { idResult: '#rejected' },
    },
    errored: {
      meta: {
        caption: 'the ID session broke; a submission opens another',
        wait: 'wait_for_id_verification',
        section: 'Contract §4, ID verification',
        name: 'verifying_identity',
      },
      on: { 'person.submitted': 'started' },
    },
  },
})

const choosingAlternative = orderSetup.createStateConfig({
  meta: { caption: 'another agreement is offered', wait: 'alt_payment', section: 'Contract §4, Replies; §8' },
  on: { 'person.submitted': { guard: 'alternativeIsChosen', target: '#approved', actions: 'takeAlternative' } },
})

const paying = orderSetup.createStateConfig({
  id: 'paying',
  meta: { caption: 'the first amount is due by card', wait: 'require_payment', section: 'Contract §4, Payment' },
  entry: ['openPayment', 'startPayment'],
  exit: ['closePayment', { type: 'withdraw', params: { lane: 'payment' } }, 'voidPayment'],
  on: {
    'payment.opened': { guard: 'isTheOpenPayment', actions: 'recordPaymentPage' },
    'payment.challenged': { guard: 'isTheOpenPayment', actions: 'recordChallenge' },
    'payment.succeeded': { guard: 'isTheOpenPayment', target: '#approved', actions: ['recordSuccess', 'keepCard'] },
    'payment.failed': [
      { guard: 'anotherPaymentMayBeTried', target: 'paying', reenter: true, actions: 'recordDecline' },
      {
        guard: 'isTheOpenPayment',
        target: '#failed',
        actions: ['recordDecline', { type: 'fail', params: { reason: 'payment' } }],
      },
    ],
    'payment.unavailable': {
      guard: 'isTheOpenPayment',
      target: '#failed',
      actions: { type: 'fail', params: { reason: 'payment' } },
    },
  },
})

export const proving = orderSetup.createStateConfig({
  initial: 'verifyingPhone',
  on: {
    'person.changed': {
      target: '#askingForCode',
      actions: [
        { type: 'withdraw', params: { lane: 'sms' } },
        { type: 'withdraw', params: { lane: 'cards' } },
        'forgetPerson',
        'takePerson',
      ],
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
