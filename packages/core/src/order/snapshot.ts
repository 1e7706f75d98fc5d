// The stored form of an order: versioned, migrated on read. What never changes stands apart, so that a step writes
// only what moved.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import { decodeWith } from '../protocol/scalars.ts'
import type { Order } from './order.ts'
import { newContext, OrderContext, Placed } from './order-context.ts'
import { type OrderState, restingStates } from './order-state.ts'

/** Raise it with every change to OrderContext, Placed or a state's name, and add the migration from the one before. */
export const SNAPSHOT_VERSION = 1

export type StoredOrder = {
  /** `Placed`, as JSON; written once. */
  readonly placed: string
  readonly revision: number
  /** `{v, state, context}`, as JSON, of the context what differs from a new order's; written by every step. */
  readonly snapshot: string
}

type Migration = (snapshot: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>

/** `MIGRATIONS[n]` leads from version n to n + 1. */
const MIGRATIONS: { readonly [from: number]: Migration } = {}

const stateIn = (region: 'checkout' | 'risk' | 'cancellation'): t.Type<string> => {
  const names = new Set(restingStates(region))
  const is = (value: unknown): value is string => typeof value === 'string' && names.has(value)
  return new t.Type(
    `a state of ${region}`,
    is,
    (value, context) => (is(value) ? t.success(value) : t.failure(value, context)),
    t.identity,
  )
}

const Snapshot = t.type({
  state: t.type({ checkout: stateIn('checkout'), risk: stateIn('risk'), cancellation: stateIn('cancellation') }),
  context: OrderContext,
})

const parsed = (json: string): E.Either<readonly string[], unknown> =>
  E.tryCatch(
    () => JSON.parse(json) as unknown,
    () => ['The stored order is not JSON.'],
  )

const migrated = (snapshot: unknown): unknown => {
  let current = snapshot as Readonly<Record<string, unknown>>
  for (let version = Number(current.v); version < SNAPSHOT_VERSION; version++) {
    const migration = MIGRATIONS[version]
    if (migration === undefined) break
    current = migration(current)
  }
  return current
}

const known = (snapshot: unknown): E.Either<readonly string[], unknown> =>
  typeof snapshot === 'object' && snapshot !== null && 'v' in snapshot && Number(snapshot.v) <= SNAPSHOT_VERSION
    ? E.right(snapshot)
    : E.left([`The stored order is of a version this plazo does not know; it knows up to ${SNAPSHOT_VERSION}.`])

// What an order that was just placed remembers is left out of its stored form and filled in again on reading: most of
// what an order could remember, it does not.
const UNTOLD: Readonly<Record<string, unknown>> = newContext(0, { first: '', second: '' })
const untold = new Map(Object.entries(UNTOLD).map(([name, value]) => [name, JSON.stringify(value)]))

const told = (context: OrderContext): Readonly<Record<string, unknown>> => {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(context)) {
    // What an assignment never touched is still the very value it was made with, or a scalar that compares as such.
    if (value === UNTOLD[name] || (typeof value === 'object' && JSON.stringify(value) === untold.get(name))) continue
    kept[name] = value
  }
  return kept
}

const retold = (snapshot: unknown): unknown => {
  const { context, ...rest } = snapshot as Readonly<Record<string, unknown>>
  return typeof context === 'object' ? { ...rest, context: { ...UNTOLD, ...context } } : snapshot
}

export const encodePlaced = (placed: Placed): string => JSON.stringify(placed)

export const encodeSnapshot = ({ state, context }: Order): string =>
  JSON.stringify({ v: SNAPSHOT_VERSION, state, context: told(context) })

/** Left: a sentence for each thing that is not as it should be. */
export const decodePlaced = (placed: string): E.Either<readonly string[], Placed> =>
  pipe(parsed(placed), E.chain(decodeWith(Placed)))

/** Left: a sentence for each thing that is not as this version, or one it can migrate, has it. */
export const decodeSnapshot = (snapshot: string): E.Either<readonly string[], Pick<Order, 'state' | 'context'>> =>
  pipe(
    parsed(snapshot),
    E.chain(known),
    E.map(migrated),
    E.map(retold),
    E.chain(decodeWith(Snapshot)),
    E.map(({ state, context }) => ({ state: state as OrderState, context })),
  )

export const decodeStored = ({ placed, revision, snapshot }: StoredOrder): E.Either<readonly string[], Order> =>
  pipe(
    E.Do,
    E.bind('placed', () => decodePlaced(placed)),
    E.bind('moving', () => decodeSnapshot(snapshot)),
    E.map(({ placed: fixed, moving }) => ({ placed: fixed, revision, ...moving })),
  )
