// A host in JavaScript is told by nobody but orderModel what is wrong with its statechart, and a host in
// TypeScript not of names in texts.
import { describe, expect, it } from 'vitest'
import { CATALOGUE } from '../protocol/credit-product.ts'
import { regions } from './machine/order-machine.ts'
import { checkoutSetup } from './machine/order-setup.ts'
import { metaOf } from './model.ts'
import { orderModel } from './order-model.ts'

const { createStateConfig } = checkoutSetup

const meta = {
  caption: 'the shopper is asked to call',
  section: 'Handbook, Calls',
  wait: 'wait_for_on_hold',
  identification: 'show_on_hold',
} as const
const calling = createStateConfig({ meta, on: { 'review.approved': 'approved' } })

/** With the state `calling`, changed so. */
const modelWith = (change: object, path = 'checkout.open.calling') =>
  orderModel({ states: { [path]: { ...calling, ...change } } } as never)

describe('a model of a host', () => {
  it('has states by their paths, among ours and in place of ours', () => {
    const { approved } = regions.checkout.states.open.states
    const { chart, states } = orderModel({
      states: {
        'checkout.open.calling': calling,
        'checkout.open.approved': { ...approved, always: [{ target: 'calling' }] },
      },
    })
    expect(states.checkout.get('calling')?.onWire).toBe('calling')
    expect(JSON.stringify(chart.config.states?.checkout?.states?.open)).toContain(
      '"always":[{"target":"calling"}]',
    )
    expect(
      metaOf('checkout', { checkout: 'calling', risk: '', cancellation: '' }, modelWith({})),
    ).toEqual(meta)
  })

  it('has other delays by their names', () => {
    const delays = { idResult: () => 10_000 }
    expect(orderModel({ implementations: { delays } }).chart.implementations.delays.idResult).toBe(
      delays.idResult,
    )
  })

  it.each<[fault: string, () => unknown, sentence: string]>([
    [
      'an event',
      () => modelWith({ on: { 'review.aproved': 'approved' } }),
      'no order has the event review.aproved.',
    ],
    [
      'an action',
      () => modelWith({ entry: 'recordAproval' }),
      'the action "recordAproval", which has no implementation',
    ],
    [
      'a guard without a name',
      () => modelWith({ on: { 'review.approved': { guard: () => true } } }),
      'uses a guard without a name',
    ],
    [
      'no meta',
      () => modelWith({ meta: undefined }),
      'the state checkout.open.calling, which has no meta',
    ],
    [
      'an answer',
      () => modelWith({ meta: { ...meta, wait: 'call_us' } }),
      'the state checkout.open.calling answers call_us, which is no action',
    ],
    [
      'whom it awaits',
      () => modelWith({ meta: { ...meta, awaits: ['operator', 'review.rejected'] } }),
      'the state checkout.open.calling awaits review.rejected, and nothing there handles it',
    ],
    [
      'its path',
      () => modelWith({}, 'checkout.opened.late.calling'),
      'no state opened has states inside, such as late.calling',
    ],
    [
      'its name',
      () => modelWith({ on: {} }, 'checkout.failed'),
      'expired, failed). An order keeps only the name: rename one.',
    ],
    ['no products', () => orderModel({ products: [] }), 'products must be at least one'],
    [
      'products of one code',
      () => orderModel({ products: [...CATALOGUE, ...CATALOGUE] }),
      'each with a code of its own',
    ],
  ])('is refused with a sentence: %s', (_, make, sentence) => {
    expect(make).toThrow(sentence)
  })
})
