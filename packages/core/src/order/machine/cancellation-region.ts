// The cancel request, negotiated with the merchant. Each question may take up to a week. Interface
// §6.1, contract §6.
import { stateIn } from 'xstate'
import { orderSetup, revoke } from './order-setup.ts'

const isConfirmed = stateIn('#confirmed')

const negotiation = orderSetup.createStateConfig({
  initial: 'asking',
  states: {
    scheduled: {
      id: 'scheduled',
      meta: {
        section: 'Interface §6.1, rule 3',
        awaits: ['merchant', 'order.cancelled'],
      },
      on: { 'cancellation.requested': 'asking' },
      after: { cancelDelay: 'asking' },
    },
    asking: {
      id: 'askingToCancel',
      meta: {
        section: 'Interface §6.1, cancel',
        task: 'asked',
      },
      entry: 'askToCancel',
      exit: revoke('cancel'),
      always: { guard: 'hasNoEventsWebhook', target: '#unsupported' },
      on: {
        'cancel.agreed': '#cancellationDone',
        'cancel.refused': { target: '#tooLate', actions: 'recordLateness' },
        'cancel.deferred': { target: 'waiting', actions: 'planNextQuestion' },
        'cancel.unsupported': '#unsupported',
        'cancel.exhausted': '#unanswered',
      },
    },
    waiting: {
      id: 'waiting',
      meta: {
        section: 'Interface §6.1, retry',
        awaits: ['merchant', 'order.cancelled'],
        task: 'asked',
      },
      after: { cancelDelay: 'asking' },
    },
  },
})

const refused = orderSetup.createStateConfig({
  initial: 'tooLate',
  states: {
    tooLate: {
      id: 'tooLate',
      meta: {
        section: 'Interface §6.1, toolate',
        isOver: true,
      },
    },
    unsupported: {
      id: 'unsupported',
      meta: {
        section: 'Contract §6, cancel answers',
        awaits: ['operator', 'order.cancelled'],
        task: 'unsupported',
        isOver: true,
      },
      on: { 'cancellation.requested': '#askingToCancel' },
    },
    unanswered: {
      id: 'unanswered',
      meta: {
        section: 'Contract §6, cancel answers',
        awaits: ['operator', 'order.cancelled'],
        task: 'unanswered',
        isOver: true,
      },
      on: { 'cancellation.requested': '#askingToCancel' },
    },
  },
})

export const cancellationRegion = orderSetup.createStateConfig({
  initial: 'none',
  on: { 'order.cancelled': { guard: isConfirmed, target: '.cancelled' } },
  states: {
    none: {
      meta: {
        section: 'Interface §6.1',
        isOver: true,
      },
      // The risk service watches the order for a reason to cancel it. Only this state reacts to
      // such a reason.
      exit: revoke('watch'),
      on: {
        'cancellation.requested': { guard: isConfirmed, target: 'wanted.asking' },
        // Needs no guard: only a confirmed order is watched.
        'cancellation.advised': [
          { guard: 'adviceHasDelay', target: 'wanted.scheduled', actions: 'planQuestion' },
          { target: 'wanted.asking' },
        ],
      },
    },
    wanted: negotiation,
    refused,
    cancelled: {
      id: 'cancellationDone',
      meta: {
        section: 'Interface §6.1, cancelled',
        isOver: true,
        releasesReference: true,
      },
      entry: ['markRefunded', 'refundPayment'],
      // This state is final: later answers change nothing.
      on: { 'order.cancelled': {} },
    },
  },
})
