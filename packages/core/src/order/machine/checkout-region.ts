// The checkout, from the shopper's first submission to the merchant's confirmation. The checks that
// the shopper must pass in between are in shopper-verification.ts. Interface §4, contract §4 and
// §5.
import { and, stateIn } from 'xstate'
import { fail, orderSetup, revoke, tellMerchant } from './order-setup.ts'
import { proving } from './shopper-verification.ts'

const identifying = orderSetup.createStateConfig({
  meta: {
    caption: 'the shopper has not identified yet',
    wait: 'show_identification_form',
    section: 'Interface §4.1',
  },
  on: { 'person.submitted': { target: 'proving.askingForCode', actions: 'storePerson' } },
})

const approved = orderSetup.createStateConfig({
  id: 'approved',
  always: [
    { guard: 'paymentIsDue', target: 'proving.paying' },
    { guard: 'referenceIsTaken', target: '#conflicted' },
    { guard: 'isUnderReview', target: 'asking.holding' },
    { target: 'asking.confirming' },
  ],
})

const confirming = orderSetup.createStateConfig({
  id: 'confirming',
  meta: {
    caption: 'the merchant is asked to confirm',
    wait: 'wait_for_confirmation',
    section: 'Contract §5',
  },
  entry: ['clearMerchantConfirmation', 'sendIpn'],
  on: {
    'ipn.accepted': '#confirmed',
    'ipn.erred': { guard: 'merchantConfirmed', target: '#confirmed' },
    'merchant.confirmed': [
      { guard: 'hasNoIpnUrl', target: '#confirmed' },
      { guard: 'merchantHasNotConfirmed', actions: ['rememberConfirmation', 'expediteIpn'] },
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
  entry: ['clearMerchantConfirmation', 'sendIpn'],
  on: {
    'ipn.accepted': '#reviewing',
    'ipn.erred': { guard: 'merchantConfirmed', target: '#reviewing' },
    'merchant.held': [
      { guard: 'hasNoIpnUrl', target: '#reviewing' },
      { guard: 'merchantHasNotConfirmed', actions: ['rememberConfirmation', 'expediteIpn'] },
    ],
  },
})

const asking = orderSetup.createStateConfig({
  initial: 'confirming',
  exit: revoke('ipn'),
  on: {
    'ipn.conflicted': '#conflicted',
    'ipn.exhausted': [
      { guard: and(['merchantConfirmed', stateIn('#confirming')]), target: '#confirmed' },
      { guard: and(['merchantConfirmed', stateIn('#holding')]), target: 'reviewing' },
      { target: '#failed', actions: fail('confirmation') },
    ],
  },
  states: { confirming, holding },
})

const reviewing = orderSetup.createStateConfig({
  id: 'reviewing',
  meta: {
    caption: 'an operator reviews the order',
    wait: 'show_on_hold',
    section: 'Contract §5, Held orders',
  },
  entry: 'recordHold',
  on: {
    'review.approved': { target: 'asking.confirming', actions: 'recordApproval' },
    'review.rejected': '#cancelled',
  },
})

const open = orderSetup.createStateConfig({
  id: 'open',
  initial: 'identifying',
  // If an attempt of the IPN is in flight, this timer waits for it: its answer decides first.
  // Contract §4.
  after: {
    checkoutLifetime: [
      {
        guard: and([stateIn('#confirming'), 'wasNeverHeld', 'merchantConfirmed']),
        target: 'confirmed',
      },
      { guard: and([stateIn('#holding'), 'merchantConfirmed']), target: '.reviewing' },
      { guard: 'wasNeverHeld', target: 'unconfirmed.expired' },
    ],
  },
  states: { identifying, proving, approved, asking, reviewing },
})

const confirmed = orderSetup.createStateConfig({
  id: 'confirmed',
  meta: { caption: 'the order is confirmed', wait: 'finish', section: 'Interface §4.1' },
  entry: ['recordConfirmation', 'announceConfirmation', 'monitorRisk'],
  on: {
    'order.updated': { actions: ['recordCarts', 'noteUpdate'] },
    'order.reduced': { actions: ['recordCarts', 'refundPayment'] },
  },
})

const unconfirmed = orderSetup.createStateConfig({
  initial: 'failed',
  entry: ['markRefunded', 'refundPayment'],
  states: {
    rejected: {
      id: 'rejected',
      meta: { caption: 'the shopper is denied', wait: 'reject', section: 'Interface §7.4' },
      entry: tellMerchant('denied'),
    },
    cancelled: {
      id: 'cancelled',
      meta: {
        caption: 'the order on hold is rejected',
        wait: 'reject',
        section: 'Interface §6.1, cancelled',
      },
      entry: tellMerchant('cancelled'),
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
      meta: {
        caption: 'the order was not confirmed in time',
        wait: 'show_error',
        section: 'Contract §4',
      },
    },
  },
})

export const checkoutRegion = orderSetup.createStateConfig({
  initial: 'open',
  on: {
    'payment.succeeded': {
      guard: 'isUnexpectedPayment',
      actions: ['markUnexpectedPayment', 'refundPayment'],
    },
    'references.given': { actions: 'takeReferences' },
  },
  states: { open, confirmed, unconfirmed },
})
