// What an order's states mean for lists and reservations, and the facts by which lists find it.
// Stores keep these facts in plain columns next to the encrypted order, because no index can search
// what is encrypted. None of them is personal data: references are the merchant's.

import type { StateOnWire } from '../protocol/order-view.ts'
import { forEachRegion, ORDER_MODEL, type OrderModel, type RestingState } from './model.ts'
import { type OperatorTask, type Order, type OrderState, REGIONS, type Region } from './order.ts'
import type { Step } from './step.ts'

/** States are names on the wire. Instants are domain time, epoch milliseconds. */
export type OrderFacts = {
  readonly checkout: string
  /**
   * The checkout's state if orders may stay in it for long; null while the order passes through. So
   * that an index of it is written once or twice in an order's life.
   */
  readonly lasting: string | null
  /** Null: `unassessed`. */
  readonly risk: string | null
  /** Null: `none`. */
  readonly cancellation: string | null
  readonly placedAt: number
  readonly changedAt: number
  /** The beginnings of both references, as `searchedText` folds them; null if there is none. */
  readonly search1: string | null
  readonly search2: string | null
}

/** What is absent matches everything. `…To` is exclusive. */
export type OrderFilter = {
  readonly text?: OrderText | undefined
  readonly merchantRef?: string | undefined
  /** A state of any region, by its name on the wire. */
  readonly state?: string | undefined
  readonly checkout?: string | undefined
  readonly risk?: string | undefined
  readonly cancellation?: string | undefined
  readonly placedFrom?: number | undefined
  readonly placedTo?: number | undefined
  readonly changedFrom?: number | undefined
  /**
   * Only orders with a delivery that fails: one that is tried again after a failed attempt, is
   * exhausted, or is an IPN that was stopped after failed attempts.
   */
  readonly isFailing?: boolean | undefined
  /** The keyed hash of a `personKey`. */
  readonly person?: string | undefined
}

/**
 * A text by which orders are found. `isWhole`: an order's uuid or either reference is the value.
 * Otherwise one of them begins with it, or, among orders of all merchants, it is the merchant's ref.
 * Case does not count, except for the merchant's.
 */
export type OrderText = { readonly value: string; readonly isWhole: boolean }

/** The states that facts leave out, because most orders are in them. */
export const DEFAULT_STATES = { risk: 'unassessed', cancellation: 'none' } as const

/** The names on the wire of the checkout's states in which orders may stay for long. */
export const lastingStates = (model = ORDER_MODEL): ReadonlySet<string> => {
  const lasting = [...model.states.checkout.values()].filter(isLasting)
  return new Set(lasting.map(({ onWire }) => onWire))
}

const isLasting = ({ isOver, meta }: RestingState): boolean => isOver || meta.task !== undefined

/**
 * By region, the names that the Order API, the console and the history use for states. Several
 * states may share one. Contract §3.
 */
export const STATES_ON_WIRE = forEachRegion((region): readonly string[] => [
  ...new Set([...ORDER_MODEL.states[region].values()].map(({ onWire }) => onWire)),
])

// The end of a word must not fold differently from its middle, or its beginning would not be found.
const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

// An index accepts no entry of any length.
const SEARCHED_MAX = 100

/** As much of a text as stores search by, in one case. Any database can hold it. */
export const searchedText = (text: string): string =>
  fold(text).slice(0, SEARCHED_MAX).toWellFormed().replaceAll('\0', '\ufffd')

const searchedOrNull = (text: string): string | null => (text === '' ? null : searchedText(text))

const unlessDefault = (name: string, standard: string): string | null =>
  name === standard ? null : name

/** The name of a state on the wire. A state that the model does not have keeps its own name. */
export const nameOnWire = (region: Region, state: OrderState, model = ORDER_MODEL): string =>
  model.states[region].get(state[region])?.onWire ?? state[region]

/** The state as `GET /orders/<uuid>` and the history show it. */
export const stateOnWire = (state: OrderState, model = ORDER_MODEL): StateOnWire =>
  // The type has our states only. A host's own states have the names that their metas give.
  forEachRegion((region) => nameOnWire(region, state, model)) as StateOnWire

/** The plain columns by which lists find an order. A store writes them with each step. */
export const orderFacts = (order: Order, model = ORDER_MODEL): OrderFacts => {
  const { placed, state, context } = order
  const { checkout, risk, cancellation } = stateOnWire(state, model)
  const checkoutState = model.states.checkout.get(state.checkout)
  return {
    checkout,
    lasting: checkoutState !== undefined && isLasting(checkoutState) ? checkout : null,
    risk: unlessDefault(risk, DEFAULT_STATES.risk),
    cancellation: unlessDefault(cancellation, DEFAULT_STATES.cancellation),
    placedAt: placed.placedAt,
    changedAt: context.updatedAt,
    search1: searchedOrNull(context.references.first),
    search2: searchedOrNull(context.references.second),
  }
}

/**
 * True if two states of one order surely have the same person, and differ in no facts but
 * `checkout`, `lasting` and `changedAt`, as in most steps.
 */
export const hasSameDetails = (one: Order, other: Order): boolean =>
  one.state.risk === other.state.risk &&
  one.state.cancellation === other.state.cancellation &&
  one.context.person === other.context.person &&
  one.context.references === other.context.references

// Lists must show an order even if another version of the host has stored it in a state that this
// model does not have.
const restingStatesOf = (
  state: OrderState,
  model: OrderModel,
): readonly (RestingState | undefined)[] =>
  REGIONS.map((region) => model.states[region].get(state[region]))

/** Null if the order does not wait for an operator. */
export const operatorTaskOf = (state: OrderState, model = ORDER_MODEL): OperatorTask | null =>
  restingStatesOf(state, model).find((found) => found?.meta.task)?.meta.task ?? null

/** True if nothing more happens to the order unless somebody asks for it. */
export const isOver = (state: OrderState, model = ORDER_MODEL): boolean =>
  restingStatesOf(state, model).every((found) => found?.isOver && found.meta.task === undefined)

const UUID_PARTS = /(.{8})(.{1,4})?(.{1,4})?(.{1,4})?(.{1,12})?/

/**
 * The beginning of a uuid that a text can be, with its hyphens; null if it cannot be one. It has at
 * least four hex digits.
 */
export const uuidBeginning = (text: string): string | null => {
  const digits = text.toLowerCase().replaceAll('-', '')
  if (!/^[0-9a-f]{4,32}$/.test(digits)) return null
  const [, ...parts] = UUID_PARTS.exec(digits) ?? ['', digits]
  return parts.filter((part) => part !== undefined).join('-')
}

const matchesText = (
  { placed, context }: Order,
  { value, isWhole }: OrderText,
  ofMerchant: boolean,
): boolean => {
  const uuid = uuidBeginning(value)
  const { first, second } = context.references
  const matches = (text: string, sought: string): boolean =>
    sought !== '' && (isWhole ? text === sought : text.startsWith(sought))
  return (
    [first, second].some((reference) => matches(fold(reference), fold(value))) ||
    (uuid !== null && matches(placed.orderRef, uuid)) ||
    (!isWhole && !ofMerchant && placed.merchant.ref === value)
  )
}

/**
 * True if an order that a list has found still matches. Its merchant and the instant of its placing
 * never change, and only the store knows which deliveries fail.
 */
export const stillMatches = (
  order: Order,
  { text, state, changedFrom, merchantRef, ...filter }: OrderFilter,
  model = ORDER_MODEL,
): boolean => {
  const states = stateOnWire(order.state, model)
  return (
    (text === undefined || matchesText(order, text, merchantRef !== undefined)) &&
    (state === undefined || REGIONS.some((region) => states[region] === state)) &&
    REGIONS.every((region) => (filter[region] ?? states[region]) === states[region]) &&
    order.context.updatedAt >= (changedFrom ?? 0)
  )
}

/**
 * A step writes to the list of waiting orders only if it changes why its order waits. Null: it
 * changes nothing about that.
 */
export const operatorTaskChange = ({
  journal: [first],
  order: { state, context },
  model,
}: Step): { readonly why: OperatorTask | null; readonly since: number } | null => {
  const why = operatorTaskOf(state, model)
  return first === undefined || why === operatorTaskOf(first.from, model)
    ? null
    : { why, since: context.updatedAt }
}
