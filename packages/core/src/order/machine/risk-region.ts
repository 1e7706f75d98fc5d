// The risk of an order paid in full. It is assessed when the order is confirmed, and reported to
// the merchant. Interface §6.1.
import { orderSetup, riskIs, tellMerchant } from './order-setup.ts'
import { STATE_WORDS } from './state-words.ts'

const { risk: words } = STATE_WORDS

const ASSESSED = [
  { guard: riskIs('low_risk'), target: 'lowRisk', actions: 'recordRisk' },
  { guard: riskIs('high_risk'), target: 'highRisk', actions: 'recordRisk' },
] as const

export const riskRegion = orderSetup.createStateConfig({
  initial: 'unassessed',
  states: {
    unassessed: {
      meta: {
        caption: words.unassessed,
        section: 'Interface §3',
        isOver: true,
      },
      on: { 'order.confirmed': { guard: 'paysByFp1', target: 'assessing' } },
    },
    assessing: {
      meta: {
        caption: words.assessing,
        section: 'Interface §6.1',
      },
      entry: 'assessRisk',
      on: {
        'risk.assessed': [...ASSESSED, { target: 'underEvaluation', actions: 'recordRisk' }],
      },
    },
    underEvaluation: {
      meta: {
        caption: words.underEvaluation,
        section: 'Interface §6.1',
      },
      entry: [tellMerchant('risk_assessment'), 'assessRisk'],
      on: {
        'risk.assessed': ASSESSED,
      },
    },
    lowRisk: {
      meta: {
        caption: words.lowRisk,
        section: 'Interface §6.1',
        isOver: true,
      },
      entry: tellMerchant('risk_assessment'),
    },
    highRisk: {
      meta: {
        caption: words.highRisk,
        section: 'Interface §6.1',
        isOver: true,
      },
      entry: tellMerchant('risk_assessment'),
    },
  },
})
