// The risk of an order paid in full. It is assessed when the order is confirmed, and reported to
// the merchant. Interface §6.1.
import { orderSetup, riskIs, tellMerchant } from './order-setup.ts'

export const riskRegion = orderSetup.createStateConfig({
  initial: 'unassessed',
  states: {
    unassessed: {
      meta: {
        caption: 'no risk to assess',
        section: 'Interface §3',
        isOver: true,
      },
      on: { 'order.confirmed': { guard: 'paysByFp1', target: 'assessing' } },
    },
    assessing: {
      meta: {
        caption: 'the risk is being assessed',
        section: 'Interface §6.1',
      },
      entry: 'assessRisk',
      on: {
        'risk.assessed': [
          { guard: riskIs('low_risk'), target: 'lowRisk', actions: 'recordRisk' },
          { guard: riskIs('high_risk'), target: 'highRisk', actions: 'recordRisk' },
          { target: 'underEvaluation', actions: 'recordRisk' },
        ],
      },
    },
    underEvaluation: {
      meta: {
        caption: 'the evaluation goes on',
        section: 'Interface §6.1',
      },
      entry: [tellMerchant('risk_assessment'), 'assessRisk'],
      on: {
        'risk.assessed': [
          { guard: riskIs('low_risk'), target: 'lowRisk', actions: 'recordRisk' },
          { guard: riskIs('high_risk'), target: 'highRisk', actions: 'recordRisk' },
        ],
      },
    },
    lowRisk: {
      meta: {
        caption: 'the service covers the risk',
        section: 'Interface §6.1',
        isOver: true,
      },
      entry: tellMerchant('risk_assessment'),
    },
    highRisk: {
      meta: {
        caption: 'the service does not cover the risk',
        section: 'Interface §6.1',
        isOver: true,
      },
      entry: tellMerchant('risk_assessment'),
    },
  },
})
