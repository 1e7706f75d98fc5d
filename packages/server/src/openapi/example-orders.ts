// Orders for the examples, so that the same code builds the document's examples and real answers.
import { CATALOGUE, DEFAULT_RULES, NEW_CONTEXT, type Order, type OrderContext, type Terms } from '@plazo/core'
import { linksFrom } from '../links.ts'
import { AT, amount, ORDER_REF } from './examples.ts'
import { type Setting, shopOf } from './operation.ts'

const TOKEN = 'kK0VbFq3TzqY1xQ5mZr2Jw'

const NOON = Date.parse(AT)

/** An order in the given state of its checkout. `changes`: what differs from a new order's context. */
export const orderAt = (
  setting: Setting,
  checkout: Order['state']['checkout'],
  changes: Partial<OrderContext> = {},
): Order => ({
  placed: {
    orderRef: ORDER_REF,
    placedAt: NOON,
    merchant: {
      ref: 'demo',
      account: 'demo',
      country: null,
      products: CATALOGUE.map(({ code }) => code),
      optionalFields: [],
      sendsActionEvents: false,
    },
    notifyUrl: null,
    notificationParameters: {},
    returnUrl: `${shopOf(setting)}/return`,
    eventsWebhook: null,
    currency: 'EUR',
    total: amount.value,
    language: null,
    productCode: 'i1',
  },
  revision: 7,
  state: { checkout, risk: 'unassessed', cancellation: 'none' },
  context: { ...NEW_CONTEXT, updatedAt: NOON, ...changes },
})

export const payment: OrderContext['payments'][number] = {
  key: `${ORDER_REF}:6:payment`,
  token: TOKEN,
  amount: amount.value,
  state: 'open',
  providerUrl: null,
  challenge: null,
  voidedBy: null,
  refundedBy: null,
}

export const session: OrderContext['session'] = { token: TOKEN, errors: 0, providerUrl: null }

/** A screening whose window has the given number of seconds left. */
export const screeningFor = (seconds: number): OrderContext['screening'] => ({
  rounds: 1,
  deadlineAt: NOON + seconds * 1000,
  outcome: null,
})

export const termsOf = ({ baseUrl, names }: Setting): Terms => ({
  rules: DEFAULT_RULES,
  links: linksFrom(baseUrl),
  names,
})
