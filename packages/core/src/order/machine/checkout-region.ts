// The checkout, from the shopper's first submission to the merchant's confirmation. The checks that
// the shopper must pass in between are in shopper-verification.ts. Interface §4, contract §4 and
// §5.
import { and, not, stateIn } from 'xstate'
import { checkoutSetup, fail, revoke, tellMerchant } from './order-setup.ts'
import { proving } from './shopper-verification.ts'

// Merchants repeat their requests. A transition without a target and actions accepts one again, and
// does nothing.
const REPEATED = { guard: 'merchantConfirmed' } as const

const isNotCancelled = not(stateIn('#cancellationDone'))

const identifying = checkoutSetup.createStateConfig({
  meta: {
    section: 'Interface §4.1',
    wait: 'show_identification_form',
    awaits: ['shopper', 'person.submitted'],
  },
  on: { 'person.submitted': { target: 'proving.askingForCode', actions: 'storePerson' } },
})

const approved = checkoutSetup.createStateConfig({
  id: 'approved',
  always: [
    { guard: 'referenceIsTaken', target: '#conflicted' },
    { guard: 'paymentIsDue', target: 'proving.paying' },
    { guard: 'isUnderReview', target: 'asking.holding' },
    { target: 'asking.confirming' },
  ],
})

const confirming = checkoutSetup.createStateConfig({
  meta: {
    section: 'Contract §5',
    wait: 'wait_for_confirmation',
    awaits: ['merchant', 'merchant.confirmed'],
    holdsReference: true,
  },
  entry: ['clearMerchantConfirmation', 'sendIpn'],
  on: {
    'ipn.accepted': '#confirmed',
    'ipn.erred': { guard: 'merchantConfirmed', target: '#confirmed' },
    'ipn.exhausted': { guard: 'merchantConfirmed', target: '#confirmed' },
    'lifetime.ended': { guard: and(['merchantConfirmed', 'wasNeverHeld']), target: '#confirmed' },
    'merchant.confirmed': [
      { guard: 'hasNoIpnUrl', target: '#confirmed' },
      REPEATED,
      { actions: ['rememberConfirmation', 'expediteIpn'] },
    ],
  },
})

const holding = checkoutSetup.createStateConfig({
  meta: {
    section: 'Contract §5, Held orders',
    wait: 'wait_for_on_hold',
    identification: 'show_on_hold',
    awaits: ['merchant', 'merchant.held'],
    holdsReference: true,
  },
  entry: ['clearMerchantConfirmation', 'sendIpn'],
  on: {
    'ipn.accepted': '#reviewing',
    'ipn.erred': { guard: 'merchantConfirmed', target: '#reviewing' },
    'ipn.exhausted': { guard: 'merchantConfirmed', target: '#reviewing' },
    'lifetime.ended': { guard: 'merchantConfirmed', target: '#reviewing' },
    'merchant.held': [
      { guard: 'hasNoIpnUrl', target: '#reviewing' },
      REPEATED,
      { actions: ['rememberConfirmation', 'expediteIpn'] },
    ],
  },
})

const asking = checkoutSetup.createStateConfig({
  initial: 'confirming',
  exit: revoke('ipn'),
  on: {
    'ipn.conflicted': '#conflicted',
    'ipn.exhausted': { target: '#failed', actions: fail('confirmation') },
  },
  states: { confirming, holding },
})

const reviewing = checkoutSetup.createStateConfig({
  id: 'reviewing',
  meta: {
    section: 'Contract §5, Held orders',
    wait: 'show_on_hold',
    awaits: ['operator', 'review.approved'],
    task: 'review',
    holdsReference: true,
  },
  entry: 'recordHold',
  on: {
    'review.approved': { target: 'asking.confirming', actions: 'recordApproval' },
    'review.rejected': '#cancelled',
  },
})

const open = checkoutSetup.createStateConfig({
  id: 'open',
  initial: 'identifying',
  // If an attempt of the IPN is in flight, this timer waits for it: its answer decides first.
  // Contract §4.
  after: { checkoutLifetime: { actions: 'announceEndOfLifetime' } },
  on: { 'lifetime.ended': { guard: 'wasNeverHeld', target: 'unconfirmed.expired' } },
  states: { identifying, proving, approved, asking, reviewing },
})

const confirmed = checkoutSetup.createStateConfig({
  id: 'confirmed',
  meta: {
    section: 'Interface §4.1',
    wait: 'finish',
    isOver: true,
    holdsReference: true,
  },
  entry: ['recordConfirmation', 'announceConfirmation', 'monitorRisk'],
  on: {
    'merchant.confirmed': {},
    'order.updated': [
      { guard: and([isNotCancelled, 'cartsAreKnown']) },
      { guard: isNotCancelled, actions: ['recordCarts', 'noteUpdate'] },
    ],
    'order.reduced': { guard: isNotCancelled, actions: ['recordCarts', 'refundPayment'] },
  },
})

// These states are final for the checkout, but not for the order: a late payment is still refunded.
const unconfirmed = checkoutSetup.createStateConfig({
  initial: 'failed',
  entry: ['markRefunded', 'refundPayment'],
  states: {
    rejected: {
      id: 'rejected',
      type: 'final',
      meta: {
        section: 'Interface §7.4',
        wait: 'reject',
      },
      entry: tellMerchant('denied'),
    },
    cancelled: {
      id: 'cancelled',
      type: 'final',
      meta: {
        section: 'Interface §6.1, cancelled',
        wait: 'reject',
      },
      entry: tellMerchant('cancelled'),
    },
    conflicted: {
      id: 'conflicted',
      type: 'final',
      meta: {
        section: 'Interface §7.3',
        wait: 'show_conflict',
        identification: 'show_error',
        failure: 'conflicted',
      },
    },
    failed: {
      id: 'failed',
      type: 'final',
      meta: {
        section: 'Interface §7.2',
        wait: 'show_error',
      },
    },
    expired: {
      type: 'final',
      meta: {
        section: 'Contract §4',
        wait: 'show_error',
        failure: 'expired',
      },
    },
  },
})

export const checkoutRegion = checkoutSetup.createStateConfig({
  initial: 'open',
  on: {
    'payment.succeeded': {
      guard: 'isUnexpectedPayment',
      actions: ['markUnexpectedPayment', 'refundPayment'],
    },
    'references.given': { actions: 'takeReferences' },
    'merchant.held': { guard: 'wasHeld' },
  },
  states: { open, confirmed, unconfirmed },
})
