// An order as an immutable value. The core steps it, hosts store it, and projections show it.
import type { StateValue } from 'xstate'
import type { StateOnWire } from '../protocol/order-view.ts'
import { orderMachine } from './machine/order-machine.ts'
import type { StateMeta } from './machine/order-setup.ts'
import type { OrderContext, Placed } from './order-context.ts'

// An order's state as three names, one for each region. They are stored, shown and used as keys, so renaming one requires
// a migration. Contract §3, States.

export const REGIONS = ['checkout', 'risk', 'cancellation'] as const
export type Region = (typeof REGIONS)[number]

/** The innermost states of each region, by their names in the machine. A test compares these lists with the machine. */
export const STATE_NAMES = {
  checkout: [
    'identifying',
    'verifyingPhone',
    'screening',
    'screened',
    'started',
    'verified',
    'unverified',
    'errored',
    'choosingAlternative',
    'paying',
    'confirming',
    'holding',
    'reviewing',
    'confirmed',
    'rejected',
    'cancelled',
    'conflicted',
    'failed',
    'expired',
  ],
  risk: ['unassessed', 'assessing', 'lowRisk', 'highRisk', 'underEvaluation'],
  cancellation: ['none', 'scheduled', 'asking', 'waiting', 'cancelled', 'tooLate', 'unsupported', 'unanswered'],
} as const

export type OrderState = { readonly [R in Region]: (typeof STATE_NAMES)[R][number] }

type RestingState = { readonly path: readonly string[]; readonly meta: StateMeta }
type StateNode = (typeof orderMachine)['root']

const restingStatesIn = (node: StateNode): readonly (readonly [string, RestingState])[] => {
  const children = Object.values(node.states) as readonly StateNode[]
  const [, ...path] = node.path
  // A state without meta is only passed through within a step. No order rests in it.
  if (children.length === 0) return node.meta === undefined ? [] : [[node.key, { path, meta: node.meta as StateMeta }]]
  return children.flatMap(restingStatesIn)
}

const restingStatesByRegion: { readonly [R in Region]: ReadonlyMap<string, RestingState> } = {
  checkout: new Map(restingStatesIn(orderMachine.root.states.checkout as StateNode)),
  risk: new Map(restingStatesIn(orderMachine.root.states.risk as StateNode)),
  cancellation: new Map(restingStatesIn(orderMachine.root.states.cancellation as StateNode)),
}

/** Every state in which an order can rest, read from the machine. */
export const restingStates = (region: Region): readonly string[] => [...restingStatesByRegion[region].keys()]

const restingStateOf = (region: Region, name: string): RestingState => {
  const restingState = restingStatesByRegion[region].get(name)
  if (restingState === undefined) throw new Error(`The machine has no state ${name} in its region ${region}.`)
  return restingState
}

/** The path of names to the state in the machine, starting with its region. */
export const pathOf = (region: Region, state: OrderState): readonly string[] => [
  region,
  ...restingStateOf(region, state[region]).path,
]

export const metaOf = (region: Region, state: OrderState): StateMeta => restingStateOf(region, state[region]).meta

const nestedValue = (path: readonly string[]): StateValue => {
  const [first = '', ...rest] = path
  return rest.length === 0 ? first : { [first]: nestedValue(rest) }
}

/** XState's state value for an order's three names. */
export const machineValue = (state: OrderState): StateValue => ({
  checkout: nestedValue(restingStateOf('checkout', state.checkout).path),
  risk: nestedValue(restingStateOf('risk', state.risk).path),
  cancellation: nestedValue(restingStateOf('cancellation', state.cancellation).path),
})

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const nameOnWire = (region: Region, state: OrderState): string =>
  metaOf(region, state).name ?? snakeCase(state[region])

/** The state as `GET /orders/<uuid>` and the history show it. A test compares the names with those of the codec. */
export const stateOnWire = (state: OrderState): StateOnWire =>
  ({
    checkout: nameOnWire('checkout', state),
    risk: nameOnWire('risk', state),
    cancellation: nameOnWire('cancellation', state),
  }) as StateOnWire

export type Order = {
  readonly placed: Placed
  /** The number of journal lines written so far. */
  readonly revision: number
  readonly state: OrderState
  readonly context: OrderContext
}

// An order holds its reference from the moment the merchant is asked, until it ends unconfirmed or is cancelled.
const HOLDING_REFERENCE = new Set<OrderState['checkout']>(['confirming', 'holding', 'reviewing', 'confirmed'])

/** The `order_ref_1` that this order holds, so that no other order of the merchant may use it; null if none. Contract §3. */
export const heldReference = ({ state, context }: Order): string | null =>
  context.references.first !== '' && HOLDING_REFERENCE.has(state.checkout) && state.cancellation !== 'cancelled'
    ? context.references.first
    : null

const ENDED = new Set<OrderState['checkout']>(['confirmed', 'rejected', 'cancelled', 'conflicted', 'failed', 'expired'])
const BEING_ASSESSED = new Set<OrderState['risk']>(['assessing', 'underEvaluation'])
const CANCELLATION_OVER = new Set<OrderState['cancellation']>(['none', 'cancelled', 'tooLate'])

export const hasCheckoutEnded = ({ checkout }: OrderState): boolean => ENDED.has(checkout)

/** The order's risk is not final yet: another assessment is expected. */
export const isBeingAssessed = ({ risk }: OrderState): boolean => BEING_ASSESSED.has(risk)

/** The order will not change by itself, and it waits for nobody's decision. */
export const isOver = (state: OrderState): boolean =>
  hasCheckoutEnded(state) && !isBeingAssessed(state) && CANCELLATION_OVER.has(state.cancellation)

// Operators need a list of orders that wait for a decision. Some decisions only they take; others they may take for the
// merchant.

const OPERATOR_TASKS = ['review', 'unanswered', 'unsupported', 'asked'] as const

/**
 * `review`: the order is on hold. `asked`: the merchant was asked to cancel and has not decided. `unanswered`: the merchant
 * never answered. `unsupported`: they do not support `cancel`, or cannot be asked.
 */
export type OperatorTask = (typeof OPERATOR_TASKS)[number]

/** Null if the order does not wait for an operator. */
export const operatorTaskOf = ({ checkout, cancellation }: OrderState): OperatorTask | null => {
  if (checkout === 'reviewing') return 'review'
  if (cancellation === 'asking' || cancellation === 'waiting') return 'asked'
  return cancellation === 'unanswered' || cancellation === 'unsupported' ? cancellation : null
}
