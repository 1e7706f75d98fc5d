// The risk of an order paid in full. It is assessed when the order is confirmed, and reported to
// the merchant. Interface §6.1.
import { orderSetup, revoke, riskIs, tellMerchant } from './order-setup.ts'

const ASSESSED = [
  { guard: riskIs('low_risk'), target: 'lowRisk', actions: 'recordRisk' },
  { guard: riskIs('high_risk'), target: 'highRisk', actions: 'recordRisk' },
] as const

export const riskRegion = orderSetup.createStateConfig({
  initial: 'unassessed',
  states: {
    unassessed: {
      meta: {
        section: 'Interface §3',
        isOver: true,
      },
      on: { 'order.confirmed': { guard: 'paysByFp1', target: 'assessing' } },
    },
    assessing: {
      meta: {
        section: 'Interface §6.1',
      },
      entry: 'assessRisk',
      // A callback answers while the request may still be repeated.
      exit: revoke('risk'),
      on: {
        'risk.assessed': [...ASSESSED, { target: 'underEvaluation', actions: 'recordRisk' }],
      },
    },
    underEvaluation: {
      meta: {
        section: 'Interface §6.1',
      },
      entry: [tellMerchant('risk_assessment'), 'assessRisk'],
      exit: revoke('risk'),
      on: {
        'risk.assessed': ASSESSED,
      },
    },
    lowRisk: {
      meta: {
        section: 'Interface §6.1',
        isOver: true,
      },
      entry: tellMerchant('risk_assessment'),
    },
    highRisk: {
      meta: {
        section: 'Interface §6.1',
        isOver: true,
      },
      entry: tellMerchant('risk_assessment'),
    },
  },
})
