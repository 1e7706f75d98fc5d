import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import type { Order } from './order.ts'
import { newContext, type Placed } from './order-context.ts'
import { decodeSnapshot, decodeStored, encodePlaced, encodeSnapshot, SNAPSHOT_VERSION } from './snapshot.ts'

const placed: Placed = {
  orderRef: 'c6a7ed8e-3c7a-4a7e-9f54-93c1a7c4f5d1',
  placedAt: 1,
  merchant: { ref: 'm', account: 'm', country: null, products: ['i1'], optionalFields: [], sendsActionEvents: false },
  notifyUrl: null,
  notificationParameters: {},
  returnUrl: 'http://r',
  eventsWebhook: null,
  currency: 'EUR',
  total: 100,
  language: null,
  productCode: null,
}

const order: Order = {
  placed,
  revision: 3,
  state: { checkout: 'reviewing', risk: 'unassessed', cancellation: 'none' },
  context: { ...newContext(1, { first: 'R1', second: '' }), heldAt: 5, isUnderReview: true, awaited: { ipn: 'k' } },
}

const stored = { placed: encodePlaced(placed), revision: 3, snapshot: encodeSnapshot(order) }
const changed = (change: object): string => JSON.stringify({ ...JSON.parse(stored.snapshot), ...change })

describe('a stored order', () => {
  it('is read as it was written', () => {
    expect(decodeStored(stored)).toEqual(E.right(order))
  })

  it('tells only what differs from a new order', () => {
    expect(Object.keys(JSON.parse(stored.snapshot).context)).toEqual([
      'updatedAt',
      'references',
      'isUnderReview',
      'heldAt',
      'awaited',
    ])
  })

  it('of a later version is refused, and says so', () => {
    expect(decodeSnapshot(changed({ v: SNAPSHOT_VERSION + 1 }))).toEqual(
      E.left([expect.stringContaining('of a version this plazo does not know')]),
    )
  })

  it.each([
    [
      'a state the machine does not have',
      { state: { checkout: 'dreaming', risk: 'unassessed', cancellation: 'none' } },
    ],
    ['a member nobody knows', { context: { unheardOf: 1 } }],
    ['a member of another type', { context: { heldAt: 'yesterday' } }],
    ['no context', { context: null }],
  ])('with %s is refused', (_, change) => {
    expect(E.isLeft(decodeSnapshot(changed(change)))).toBe(true)
  })

  it.each(['', 'null', '[]', '{"v":'])('that is %j is refused', (snapshot) => {
    expect(E.isLeft(decodeSnapshot(snapshot))).toBe(true)
  })
})
