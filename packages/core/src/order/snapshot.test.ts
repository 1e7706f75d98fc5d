import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { ANA, CODE, PLACED, PP3, VISA } from '../testing/harness/order-fixture.ts'
import type { Order } from './order.ts'
import {
  FailureReason,
  NEW_CONTEXT,
  type OrderContext,
  Payment,
  ScreeningOutcome,
} from './order-context.ts'
import { isReduced } from './reduction.ts'
import {
  decodePlaced,
  decodeSnapshot,
  decodeState,
  encodePlaced,
  encodeSnapshot,
  encodeState,
  SNAPSHOT_VERSION,
} from './snapshot.ts'

const order: Order = {
  placed: PLACED,
  revision: 3,
  state: { checkout: 'reviewing', risk: 'unassessed', cancellation: 'none' },
  context: {
    ...NEW_CONTEXT,
    updatedAt: 1,
    references: { first: 'R1', second: '' },
    heldAt: 5,
    isUnderReview: true,
    pending: { ipn: 'k' },
  },
}

const isReducedOrder = (context: Partial<OrderContext>): boolean =>
  isReduced({ placed: PLACED, context: { ...NEW_CONTEXT, ...context } })

it('an order is reduced once its carts cost less than was placed', () => {
  expect(isReducedOrder({ agreement: PP3 })).toBe(false)
  expect(isReducedOrder({ carts: { shipped: 100, unshipped: 0 } })).toBe(true)
})

const stored = { placed: encodePlaced(PLACED), revision: 3, snapshot: encodeSnapshot(order) }
const changeSnapshot = (change: object): string =>
  JSON.stringify({ ...JSON.parse(stored.snapshot), ...change })

/** A context in which nothing is missing. */
const FULL: OrderContext = {
  updatedAt: 1,
  references: { first: 'R1', second: 'R2' },
  person: ANA,
  agreement: PP3,
  carts: { shipped: 6_050, unshipped: 0 },
  otp: { issues: 1, issuedAt: 2, code: CODE, expiresAt: 3, wrong: 1 },
  screening: { rounds: 1, deadlineAt: 4, outcome: 'alternative' },
  alternative: { agreements: [PP3], forcedIndex: 0 },
  outcomeAt: 5,
  isUnderReview: true,
  session: { token: 't', errors: 1, providerUrl: 'http://id.test' },
  payments: [
    {
      key: 'U:5:payment',
      token: 't',
      amount: 4_284,
      state: 'open',
      providerUrl: 'http://pay.test',
      challenge: { token: 't', card: VISA, keep: true },
      voidedBy: 'U:6:void',
      refundedBy: 'U:7:refund',
      refunds: [{ by: 'U:6:refund', amount: 50 }],
    },
  ],
  cards: [VISA],
  merchantConfirmed: true,
  heldAt: 6,
  confirmedAt: 7,
  failure: 'payment',
  riskLevel: 'low_risk',
  cancelDelay: 8,
  lateByMinutes: 9,
  pending: { ipn: 'U:8:ipn' },
}

type Path = readonly string[]

const isBranch = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** The paths of all texts, numbers and booleans in the value. */
const leavesOf = (value: unknown, path: Path = []): readonly Path[] =>
  isBranch(value)
    ? Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]))
    : [path]

/** The value with an object in place of the leaf. */
const breakLeaf = (value: unknown, [name, ...rest]: Path): unknown => {
  if (name === undefined || !isBranch(value)) return {}
  const changed = { ...value, [name]: breakLeaf(value[name], rest) }
  return Array.isArray(value) ? Object.values(changed) : changed
}

const placed: typeof PLACED = { ...PLACED, bodyHash: 'h' }

describe('a stored order', () => {
  it('is checked in each of its members', () => {
    const full = changeSnapshot({ context: FULL })
    expect(decodeSnapshot(full)).toEqual(E.right({ state: order.state, context: FULL }))
    const isAccepted = (path: Path) =>
      E.isRight(decodeSnapshot(changeSnapshot({ context: breakLeaf(FULL, path) })))
    expect(leavesOf(FULL).filter(isAccepted)).toEqual([])
    const isAcceptedInPlaced = (path: Path) =>
      E.isRight(decodePlaced(JSON.stringify(breakLeaf(placed, path))))
    expect(leavesOf(placed).filter(isAcceptedInPlaced)).toEqual([])
  })

  it('leaves out what a new order has as well, and has its states as one text', () => {
    expect(Object.keys(JSON.parse(stored.snapshot).context)).toEqual(
      'updatedAt references isUnderReview heldAt pending'.split(' '),
    )
    expect(decodeState(encodeState(order.state))).toEqual(order.state)
  })

  // Orders that are stored today have these words.
  it.each([
    [ScreeningOutcome, 'approved review alternative identity denied error expired'],
    [FailureReason, 'codes screening_error screening_expired identity payment confirmation'],
    [Payment.type.type.props.state, 'open failed void succeeded unexpected'],
  ])('has each of its words: %j', ({ keys }, words) => {
    expect(Object.keys(keys).join(' ')).toBe(words)
  })

  it.each([
    ['{"v":', 'The stored order is not JSON.'],
    [
      changeSnapshot({ v: SNAPSHOT_VERSION + 1 }),
      'The stored order has an unknown version. This plazo supports versions up to 1.',
    ],
    [
      changeSnapshot({ context: null }),
      'Invalid data: context is null, but must be the context of an order.',
    ],
    [
      changeSnapshot({ context: { heldAt: 'x' } }),
      'Invalid data: context.heldAt is "x", but must be number, or null.',
    ],
    [
      changeSnapshot({ context: { unknown: 1 } }),
      'Invalid data: context.unknown is 1, but must be never.',
    ],
    [
      changeSnapshot({ state: { ...order.state, risk: 7 } }),
      'Invalid data: state.risk is 7, but must be string.',
    ],
  ])('with an error is rejected with a sentence about it: %s', (snapshot, sentence) => {
    expect(decodeSnapshot(snapshot)).toEqual(E.left([sentence]))
  })

  it('is read even in a state that no model has, so that lists can show it', () => {
    const state = { ...order.state, checkout: 'dreaming' }
    expect(decodeSnapshot(changeSnapshot({ state }))).toMatchObject(E.right({ state }))
  })

  it.each([
    { context: { toString: 1 } },
    { context: JSON.parse('{"__proto__":1}') },
    ...[undefined, '1', { toString: 1, valueOf: 1 }, 0, 0.5].map((v) => ({ v })),
  ])('with the member %j is rejected', (change) => {
    expect(E.isLeft(decodeSnapshot(changeSnapshot(change)))).toBe(true)
  })
})
