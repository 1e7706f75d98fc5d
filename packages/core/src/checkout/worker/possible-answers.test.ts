// Explores orders with the pure halves alone, as a page without a store does: forms, effects, and the
// events that may answer them.
import { expect, it } from 'vitest'
import { orderMachine } from '../../order/machine/order-machine.ts'
import { sampleEvents } from './possible-answers.ts'

it('the sample events are one or more of every type that the machine handles by a client’s or a provider’s act', () => {
  const raised = ['order.confirmed', 'lifetime.ended']
  const sampled = new Set<string>(sampleEvents.map(({ type }) => type))
  expect(orderMachine.events.filter((type) => !sampled.has(type)).sort()).toEqual(raised.sort())
})
