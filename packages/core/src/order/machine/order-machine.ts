// The order as a statechart: the only place that decides what may happen next. Three regions, one
// file each. These files only name effects; the host runs them. Nothing here waits, writes or reads
// a clock.
//
// A target is a path from its state or from a sibling. `#id` names a state of another file or
// branch. A state with `after` also needs an id that never changes: the name of its timer contains
// it and is stored.

import type { StateValue } from 'xstate'
import type { StateOnWire } from '../../protocol/order-view.ts'
import type { OrderState, Region } from '../order.ts'
import { cancellationRegion } from './cancellation-region.ts'
import { checkoutRegion } from './checkout-region.ts'
import type { StateMeta } from './machine-context.ts'
import { orderSetup } from './order-setup.ts'
import { riskRegion } from './risk-region.ts'

export const orderMachine = orderSetup.createMachine({
  id: 'order',
  type: 'parallel',
  context: ({ input }) => input,
  states: { checkout: checkoutRegion, risk: riskRegion, cancellation: cancellationRegion },
  options: { maxIterations: 100 },
})

// An order keeps only three names of states. Everything else about a state is read from the machine
// by its name: its path, its meta, and its name on the wire.
type RestingState = { readonly path: readonly string[]; readonly meta: StateMeta }
type StateNode = (typeof orderMachine)['root']

const restingStatesIn = (node: StateNode): readonly (readonly [string, RestingState])[] => {
  const children = Object.values(node.states) as readonly StateNode[]
  const [, ...path] = node.path
  // A state without meta is only passed through within a step. No order rests in it.
  if (children.length === 0)
    return node.meta === undefined ? [] : [[node.key, { path, meta: node.meta as StateMeta }]]
  return children.flatMap(restingStatesIn)
}

const forEachRegion = <A>(make: (region: Region) => A): { readonly [R in Region]: A } => ({
  checkout: make('checkout'),
  risk: make('risk'),
  cancellation: make('cancellation'),
})

const restingStatesByRegion = forEachRegion(
  (region): ReadonlyMap<string, RestingState> =>
    new Map(restingStatesIn(orderMachine.root.states[region] as StateNode)),
)

/**
 * Every state in which an order can rest, read from the machine. A test compares these names with
 * their type.
 */
export const restingStates = <R extends Region>(region: R): readonly OrderState[R][] =>
  [...restingStatesByRegion[region].keys()] as OrderState[R][]

const restingStateOf = (region: Region, name: string): RestingState => {
  const restingState = restingStatesByRegion[region].get(name)
  if (restingState === undefined)
    throw new Error(`The machine has no state ${name} in its region ${region}.`)
  return restingState
}

/** The path of names to the state in the machine, starting with its region. */
export const pathOf = (region: Region, state: OrderState): readonly string[] => [
  region,
  ...restingStateOf(region, state[region]).path,
]

export const metaOf = (region: Region, state: OrderState): StateMeta =>
  restingStateOf(region, state[region]).meta

const nestedValue = (path: readonly string[]): StateValue =>
  path.slice(0, -1).reduceRight<StateValue>((inner, name) => ({ [name]: inner }), path.at(-1) ?? '')

/** XState's state value for an order's three names. */
export const machineValue = (state: OrderState): StateValue =>
  forEachRegion((region) => nestedValue(restingStateOf(region, state[region]).path))

export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const nameOnWire = (region: Region, state: OrderState): string =>
  metaOf(region, state).name ?? snakeCase(state[region])

/**
 * The state as `GET /orders/<uuid>` and the history show it. A test compares the names with those
 * of the codec.
 */
export const stateOnWire = (state: OrderState): StateOnWire =>
  forEachRegion((region) => nameOnWire(region, state)) as StateOnWire
