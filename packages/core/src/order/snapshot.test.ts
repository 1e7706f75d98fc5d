import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { PLACED } from '../testing/harness/order-fixture.ts'
import type { Order } from './order.ts'
import { newContext } from './order-context.ts'
import { decodeSnapshot, decodeStored, encodePlaced, encodeSnapshot, SNAPSHOT_VERSION } from './snapshot.ts'

const order: Order = {
  placed: PLACED,
  revision: 3,
  state: { checkout: 'reviewing', risk: 'unassessed', cancellation: 'none' },
  context: { ...newContext(1, { first: 'R1', second: '' }), heldAt: 5, isUnderReview: true, awaited: { ipn: 'k' } },
}

const stored = { placed: encodePlaced(PLACED), revision: 3, snapshot: encodeSnapshot(order) }
const changeSnapshot = (change: object): string => JSON.stringify({ ...JSON.parse(stored.snapshot), ...change })

describe('a stored order', () => {
  it('is read exactly as it was written', () => {
    expect(decodeStored(stored)).toEqual(E.right(order))
  })

  it('contains only what differs from a new order', () => {
    expect(Object.keys(JSON.parse(stored.snapshot).context)).toEqual([
      'updatedAt',
      'references',
      'isUnderReview',
      'heldAt',
      'awaited',
    ])
  })

  it('of a later version is rejected with a message that names the version', () => {
    expect(decodeSnapshot(changeSnapshot({ v: SNAPSHOT_VERSION + 1 }))).toEqual(
      E.left([expect.stringContaining('has an unknown version')]),
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
    ['a member named as what every object has', { context: { toString: 1 } }],
    ['a member named as an object’s prototype', { context: JSON.parse('{"__proto__":1}') }],
    ['no version', { v: undefined }],
    ['a version that is null', { v: null }],
    ['a version that is a text', { v: '1' }],
    ['a version that is an empty text', { v: '' }],
    ['a version that is a list', { v: [] }],
    ['a version that is an object', { v: { toString: 1, valueOf: 1 } }],
    ['a version before the first', { v: 0 }],
    ['a version below 0', { v: -5 }],
    ['a version between two', { v: 0.5 }],
  ])('with %s is rejected', (_, change) => {
    expect(E.isLeft(decodeSnapshot(changeSnapshot(change)))).toBe(true)
  })

  it('made of arbitrary JSON is read or rejected, and never throws', () => {
    const name = fc.constantFrom(
      'v',
      'state',
      'context',
      'awaited',
      'person',
      'payments',
      'toString',
      '__proto__',
      'key',
    )
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, 0, 1, -1, '', 'R1'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
      ),
    })).value
    fc.assert(
      fc.property(json, fc.boolean(), (value, isWhole) => {
        const snapshot = isWhole ? JSON.stringify(value) : changeSnapshot({ context: value })
        expect(['Left', 'Right']).toContain(decodeSnapshot(snapshot)._tag)
      }),
    )
  })

  it('with a deeply nested version is rejected', () => {
    const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    expect(E.isLeft(decodeSnapshot(stored.snapshot.replace('"v":1', `"v":${nested}`)))).toBe(true)
  })

  it.each(['', 'null', '[]', '{"v":'])('with the text %j is rejected', (snapshot) => {
    expect(E.isLeft(decodeSnapshot(snapshot))).toBe(true)
  })
})
