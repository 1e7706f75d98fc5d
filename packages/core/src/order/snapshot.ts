// The stored form of an order, with its version. Data that never changes is stored separately, so
// that a step writes only the rest.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import {
  type Decode,
  type Decoded,
  decodeWith,
  isJsonObject,
  type JsonObject,
} from '../protocol/scalars.ts'
import type { Order, OrderState } from './order.ts'
import { NEW_CONTEXT, type OrderContext, Placed, StoredContext } from './order-context.ts'

/**
 * Raise this with every change to OrderContext, Placed or a state's name, and add the migration
 * from the previous version.
 */
export const SNAPSHOT_VERSION = 1

/** An order as text in two parts: what never changes, and what every step writes. */
export type StoredOrder = {
  /** `Placed` as JSON. Written once. */
  readonly placed: string
  readonly revision: number
  /**
   * `{v, state, context}` as JSON. `context` has only the fields that differ from a new order.
   * Written by every step.
   */
  readonly snapshot: string
}

// Which states there are is the model's knowledge, and a list must show an order even in a state of
// another model. The step refuses a state that its model does not have.
const Snapshot = t.type({
  state: t.type({
    checkout: t.string,
    risk: t.string,
    cancellation: t.string,
  }),
  context: StoredContext,
})

const parseJson = (json: string): Decoded<unknown> =>
  E.tryCatch(
    () => JSON.parse(json) as unknown,
    () => ['The stored order is not JSON.'],
  )

// There has been one version so far. The next one adds the migration from it here.
const checkVersion: Decode<unknown> = (snapshot) =>
  isJsonObject(snapshot) && snapshot.v === SNAPSHOT_VERSION
    ? E.right(snapshot)
    : E.left([
        `The stored order has an unknown version. This plazo supports versions up to ${SNAPSHOT_VERSION}.`,
      ])

// Fields that still have their default are left out of the snapshot and restored on read. Restored
// values are the same objects as the defaults, so the encoder can compare with `===`.
const nonDefaultFields = (context: OrderContext): JsonObject => {
  const fields: Record<string, unknown> = {}
  for (const name of FIELD_NAMES)
    if (context[name] !== NEW_CONTEXT[name]) fields[name] = context[name]
  return fields
}

const FIELD_NAMES = Object.keys(NEW_CONTEXT) as readonly (keyof OrderContext)[]

/** The part of an order that never changes, as JSON. */
export const encodePlaced = (placed: Placed): string => JSON.stringify(placed)

/** The part of an order that steps change, as JSON, with the version of its form. */
export const encodeSnapshot = ({ state, context }: Order): string =>
  JSON.stringify({ v: SNAPSHOT_VERSION, state, context: nonDefaultFields(context) })

/** Reads the part of an order that never changes. Left: one sentence for each error found. */
export const decodePlaced = (placed: string): Decoded<Placed> =>
  pipe(parseJson(placed), E.chain(decodeWith(Placed)))

/**
 * Reads the part of an order that steps change, of this or any former version. Left: one sentence
 * for each error found.
 */
export const decodeSnapshot = (snapshot: string): Decoded<Pick<Order, 'state' | 'context'>> =>
  pipe(
    parseJson(snapshot),
    E.chain(checkVersion),
    E.chain(decodeWith(Snapshot)),
    E.map(({ state, context }) => ({
      state: state as OrderState,
      context: { ...NEW_CONTEXT, ...context },
    })),
  )

/** A state as one text, such as a column of the journal: three names, separated by spaces. */
export const encodeState = ({ checkout, risk, cancellation }: OrderState): string =>
  `${checkout} ${risk} ${cancellation}`

/** Reads the three names of states that `encodeState` has written. They are not checked. */
export const decodeState = (text: string): OrderState => {
  const [checkout, risk, cancellation] = text.split(' ')
  return { checkout, risk, cancellation } as OrderState
}
