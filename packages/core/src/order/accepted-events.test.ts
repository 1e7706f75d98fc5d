// Merchants repeat their requests, above all if an answer was lost. So the chart accepts again what an
// order has already reached, and changes nothing. Contract §3 and §5.
import { describe, expect, it } from 'vitest'
import {
  confirmWithMerchant,
  DECLINED,
  type OrderFixture,
  orderFixture,
  PP3,
  reachReview,
  revealOutcome,
  TERMS,
} from '../testing/harness/order-fixture.ts'
import type { OrderEvent, OrderState } from './order.ts'
import { accepts } from './step.ts'

const CONFIRMED = { type: 'merchant.confirmed' } as const
const HELD = { type: 'merchant.held' } as const

/** `new`: changes the order. `again`: accepted, and changes nothing. */
const reactionOf = (fixture: OrderFixture, event: OrderEvent): 'new' | 'again' | 'refused' => {
  const order = fixture.order()
  if (!accepts(TERMS)(order, event, order.context.updatedAt)) return 'refused'
  return fixture.send(event).journal.length > 0 ? 'new' : 'again'
}

const reachApproved = (): OrderFixture => {
  const fixture = reachReview(orderFixture())
  fixture.send({ type: 'review.approved' })
  return fixture
}

const reachFailed = (): OrderFixture => {
  const fixture = revealOutcome(orderFixture(), 'approved', PP3)
  for (let tries = 0; fixture.order().state.checkout === 'paying'; tries++) {
    if (tries > 10) throw new Error('The order takes any number of declined payments.')
    fixture.reply('payment', DECLINED)
  }
  return fixture
}

describe('what a merchant says', () => {
  it.each<[string, () => OrderFixture, confirmed: string, held: string]>([
    ['paying', () => revealOutcome(orderFixture(), 'approved', PP3), 'refused', 'refused'],
    ['confirming', () => revealOutcome(orderFixture()), 'new again', 'refused'],
    ['holding', () => revealOutcome(orderFixture(), 'review'), 'refused', 'new again'],
    ['on hold', () => reachReview(orderFixture()), 'refused', 'again'],
    ['confirming after the hold', reachApproved, 'new again', 'again'],
    ['confirmed', () => confirmWithMerchant(orderFixture()), 'again', 'refused'],
    ['failed', reachFailed, 'refused', 'refused'],
  ])('of an order that is %s', (_, reach, confirmed, held) => {
    const sayTwice = (event: OrderEvent): string => {
      const fixture = reach()
      const first = reactionOf(fixture, event)
      return first === 'new' ? `new ${reactionOf(fixture, event)}` : first
    }
    expect([sayTwice(CONFIRMED), sayTwice(HELD)]).toEqual([confirmed, held])
  })
})

describe('the carts of an update', () => {
  const updateOf = (shipped: number, unshipped: number) =>
    ({ type: 'order.updated', carts: { shipped, unshipped } }) as const

  it('are known only if both totals are the same', () => {
    const fixture = confirmWithMerchant(orderFixture())
    const reactions = [
      updateOf(100, 12_000),
      updateOf(100, 12_000),
      updateOf(12_100, 0),
      updateOf(12_100, 0),
      updateOf(0, 0),
      updateOf(0, 12_100),
      updateOf(1, 12_100),
    ].map((event) => reactionOf(fixture, event))
    expect(reactions).toEqual(['new', 'again', 'new', 'again', 'new', 'new', 'new'])
  })

  it('are refused before the confirmation, and after the cancellation', () => {
    expect(reactionOf(revealOutcome(orderFixture()), updateOf(1, 1))).toBe('refused')
    const fixture = confirmWithMerchant(orderFixture())
    fixture.send({ type: 'order.cancelled', by: 'operator' })
    expect(reactionOf(fixture, updateOf(1, 1))).toBe('refused')
  })
})

it('an order in a state that the model does not have accepts nothing', () => {
  const order = confirmWithMerchant(orderFixture()).order()
  const state: OrderState = { ...order.state, checkout: 'dreaming' }
  expect(accepts(TERMS)({ ...order, state }, CONFIRMED, 0)).toBe(false)
})
