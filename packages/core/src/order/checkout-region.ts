// The checkout: from the shopper's first submission to the merchant's confirmation. Interface §4, contract §4 and §5.
import { and, stateIn } from 'xstate'
import { orderSetup } from './order-setup.ts'

const identifying = orderSetup.createStateConfig({
  meta: { caption: 'the shopper has not identified yet', wait: 'show_identification_form', section: 'Interface §4.1' },
  on: { 'person.submitted': { target: '#askingForCode', actions: 'takePerson' } },
})

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
  exit: { type: 'withdraw', params: { lane: 'session' } },
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

const proving = orderSetup.createStateConfig({
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

const approved = orderSetup.createStateConfig({
  id: 'approved',
  always: [
    { guard: 'paymentIsDue', target: '#paying' },
    { guard: 'referenceIsTaken', target: '#conflicted' },
    { guard: 'isUnderReview', target: '#holding' },
    { target: '#confirming' },
  ],
})

const confirming = orderSetup.createStateConfig({
  id: 'confirming',
  meta: { caption: 'the merchant is asked to confirm', wait: 'wait_for_confirmation', section: 'Contract §5' },
  entry: ['askMerchant', 'sendIpn'],
  on: {
    'ipn.accepted': '#confirmed',
    'ipn.erred': { guard: 'merchantHasSpoken', target: '#confirmed' },
    'merchant.confirmed': [
      { guard: 'merchantTakesNoIpn', target: '#confirmed' },
      { guard: 'merchantHasNotSpoken', actions: ['rememberConfirmation', 'hastenIpn'] },
    ],
  },
})

const holding = orderSetup.createStateConfig({
  id: 'holding',
  meta: {
    caption: 'the merchant is asked to hold the order',
    wait: 'wait_for_on_hold',
    identification: 'show_on_hold',
    section: 'Contract §5, Held orders',
  },
  entry: ['askMerchant', 'sendIpn'],
  on: {
    'ipn.accepted': '#reviewing',
    'ipn.erred': { guard: 'merchantHasSpoken', target: '#reviewing' },
    'merchant.held': [
      { guard: 'merchantTakesNoIpn', target: '#reviewing' },
      { guard: 'merchantHasNotSpoken', actions: ['rememberConfirmation', 'hastenIpn'] },
    ],
  },
})

const asking = orderSetup.createStateConfig({
  initial: 'confirming',
  exit: { type: 'withdraw', params: { lane: 'ipn' } },
  on: {
    'ipn.conflicted': '#conflicted',
    'ipn.exhausted': [
      { guard: and(['merchantHasSpoken', stateIn('#confirming')]), target: '#confirmed' },
      { guard: and(['merchantHasSpoken', stateIn('#holding')]), target: '#reviewing' },
      { target: '#failed', actions: { type: 'fail', params: { reason: 'confirmation' } } },
    ],
  },
  states: { confirming, holding },
})

const reviewing = orderSetup.createStateConfig({
  id: 'reviewing',
  meta: { caption: 'an operator reviews the order', wait: 'show_on_hold', section: 'Contract §5, Held orders' },
  entry: 'recordHold',
  on: {
    'review.approved': { target: '#confirming', actions: 'recordApproval' },
    'review.rejected': '#cancelled',
  },
})

const open = orderSetup.createStateConfig({
  id: 'open',
  initial: 'identifying',
  // Behind an attempt of the IPN in flight: its answer decides first. Contract §4.
  after: {
    checkoutLifetime: [
      { guard: and([stateIn('#confirming'), 'wasNeverHeld', 'merchantHasSpoken']), target: '#confirmed' },
      { guard: and([stateIn('#holding'), 'merchantHasSpoken']), target: '#reviewing' },
      { guard: 'wasNeverHeld', target: '#expired' },
    ],
  },
  states: { identifying, proving, approved, asking, reviewing },
})

const confirmed = orderSetup.createStateConfig({
  id: 'confirmed',
  meta: { caption: 'the order is confirmed', wait: 'finish', section: 'Interface §4.1' },
  entry: ['recordConfirmation', 'announceConfirmation', 'watchRisk'],
  on: { 'order.updated': { actions: 'noteUpdate' } },
})

const unconfirmed = orderSetup.createStateConfig({
  initial: 'failed',
  entry: ['giveBack', 'refundPayment'],
  states: {
    rejected: {
      id: 'rejected',
      meta: { caption: 'the solicitation is denied', wait: 'reject', section: 'Interface §7.4' },
      entry: { type: 'tellMerchant', params: { event: 'denied' } },
    },
    cancelled: {
      id: 'cancelled',
      meta: { caption: 'the order on hold is rejected', wait: 'reject', section: 'Interface §6.1, cancelled' },
      entry: { type: 'tellMerchant', params: { event: 'cancelled' } },
    },
    conflicted: {
      id: 'conflicted',
      meta: {
        caption: 'the merchant refused the order',
        wait: 'show_conflict',
        identification: 'show_error',
        section: 'Interface §7.3',
      },
    },
    failed: {
      id: 'failed',
      meta: { caption: 'the checkout failed', wait: 'show_error', section: 'Interface §7.2' },
    },
    expired: {
      id: 'expired',
      meta: { caption: 'the order was not confirmed in time', wait: 'show_error', section: 'Contract §4' },
    },
  },
})

export const checkoutRegion = orderSetup.createStateConfig({
  initial: 'open',
  on: {
    'payment.succeeded': { guard: 'isStrayPayment', actions: ['recordStray', 'refundPayment'] },
    'references.given': { actions: 'takeReferences' },
  },
  states: { open, confirmed, unconfirmed },
})
