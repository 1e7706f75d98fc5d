// A final state ends the checkout, and not the order. So wherever a checkout ends, money that arrives
// late goes back once, and after a confirmation the merchant's updates and questions still count.
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { PLACED, TERMS } from '../../testing/harness/order-fixture.ts'
import { alongShortestPaths } from '../../testing/machine-paths.ts'
import { ORDER_MODEL } from '../model.ts'
import type { Order, OrderEvent } from '../order.ts'
import type { Payment } from '../order-context.ts'
import { type Step, step } from '../step.ts'

const ends = [...ORDER_MODEL.states.checkout].filter(([, { node }]) => node.type === 'final')

/** The orders on the shortest paths, once for each combination of states and payments. */
const distinctOrders = (): readonly Order[] => {
  const found = new Map<string, Order>()
  alongShortestPaths(PLACED, TERMS, ({ result: { order } }) => {
    const { state, context } = order
    found.set(JSON.stringify([state, context.payments.map((payment) => payment.state)]), order)
  })
  return [...found.values()]
}
const orders = distinctOrders()

const send = (order: Order, event: OrderEvent): Step => {
  const stepInput = {
    at: order.context.updatedAt + 1_000,
    random: { code: '12345', token: 't' },
    referenceIsTaken: false,
  }
  const stepped = step(TERMS)(order, event, stepInput)
  if (E.isLeft(stepped)) throw new Error(stepped.left.message)
  return stepped.right
}

const refundsIn = ({ effects }: Step) =>
  effects.filter((effect) => effect.type === 'do' && effect.payload.kind === 'refund')

const VOID_PAYMENT: Payment = {
  key: 'U:2:payment',
  token: 't',
  amount: 12_100,
  state: 'void',
  providerUrl: null,
  challenge: null,
  voidedBy: 'U:3:void',
  refundedBy: null,
  refunds: [],
}
const LATE_SUCCESS = {
  type: 'payment.succeeded',
  inReplyTo: VOID_PAYMENT.key,
  card: null,
  keep: false,
} as const

describe('a checkout that has ended', () => {
  it('is rejected, cancelled, conflicted, failed or expired, and not confirmed', () => {
    expect(ends.map(([name]) => name)).toEqual([
      'rejected',
      'cancelled',
      'conflicted',
      'failed',
      'expired',
    ])
  })

  it.each(ends.map(([name]) => name))('refunds each late payment once: %s', (name) => {
    const ended = orders.filter(({ state }) => state.checkout === name)
    expect(ended.length).toBeGreaterThan(0)
    for (const { context, ...order } of ended) {
      const payments = [...context.payments, VOID_PAYMENT]
      const refunded = send({ ...order, context: { ...context, payments } }, LATE_SUCCESS)
      expect(refundsIn(refunded)).toHaveLength(1)
      expect(refunded.order.state).toEqual(order.state)
      expect(refundsIn(send(refunded.order, LATE_SUCCESS))).toEqual([])
    }
  })
})

describe('a confirmed order', () => {
  const confirmed = orders.filter(({ state }) => state.checkout === 'confirmed')

  it('takes updates and reductions until it is cancelled, whatever its risk', () => {
    const updated = { type: 'order.updated', carts: { shipped: 1, unshipped: 12_099 } } as const
    const reduced = {
      type: 'order.reduced',
      carts: { shipped: 1, unshipped: 0 },
      from: 12_100,
    } as const
    const cancelled = confirmed.filter(({ state }) => state.cancellation === 'cancelled')
    expect(cancelled.length).toBeGreaterThan(0)
    for (const order of confirmed)
      for (const event of [updated, reduced])
        expect(send(order, event).journal).toHaveLength(cancelled.includes(order) ? 0 : 1)
  })

  it('asks its merchant to cancel it, whatever its risk', () => {
    const open = confirmed.filter(({ state }) => state.cancellation === 'none')
    expect(new Set(open.map(({ state }) => state.risk)).size).toBe(5)
    for (const order of open)
      expect(send(order, { type: 'cancellation.requested' }).order.state.cancellation).toBe(
        'asking',
      )
  })
})
