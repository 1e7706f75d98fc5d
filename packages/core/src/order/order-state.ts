// An order's state as three names, one for each region: what is stored, shown and looked up. Renaming one is a
// migration. Contract §3, States.
import type { StateValue } from 'xstate'
import type { StateOnWire } from '../protocol/order-view.ts'
import { orderMachine } from './order-machine.ts'
import type { StateMeta } from './order-setup.ts'

export const REGIONS = ['checkout', 'risk', 'cancellation'] as const
export type Region = (typeof REGIONS)[number]

/** The innermost state of each region, by its name in the machine; a test holds the lists to the machine. */
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

type Place = { readonly path: readonly string[]; readonly meta: StateMeta }
type StateNode = (typeof orderMachine)['root']

const placesIn = (node: StateNode): readonly (readonly [string, Place])[] => {
  const children = Object.values(node.states) as readonly StateNode[]
  const [, ...path] = node.path
  // A state without meta is passed through within a step: nothing ever rests in it.
  if (children.length === 0) return node.meta === undefined ? [] : [[node.key, { path, meta: node.meta as StateMeta }]]
  return children.flatMap(placesIn)
}

const places: { readonly [R in Region]: ReadonlyMap<string, Place> } = {
  checkout: new Map(placesIn(orderMachine.root.states.checkout as StateNode)),
  risk: new Map(placesIn(orderMachine.root.states.risk as StateNode)),
  cancellation: new Map(placesIn(orderMachine.root.states.cancellation as StateNode)),
}

/** Every state an order can rest in, as the machine itself has them. */
export const restingStates = (region: Region): readonly string[] => [...places[region].keys()]

const placeOf = (region: Region, name: string): Place => {
  const place = places[region].get(name)
  if (place === undefined) throw new Error(`The machine has no state ${name} in its region ${region}.`)
  return place
}

/** The names that lead to the state in the machine, its region's first. */
export const pathOf = (region: Region, state: OrderState): readonly string[] => [
  region,
  ...placeOf(region, state[region]).path,
]

export const metaOf = (region: Region, state: OrderState): StateMeta => placeOf(region, state[region]).meta

const nested = (path: readonly string[]): StateValue => {
  const [first = '', ...rest] = path
  return rest.length === 0 ? first : { [first]: nested(rest) }
}

/** The machine's own value for three names. */
export const machineValue = (state: OrderState): StateValue => ({
  checkout: nested(placeOf('checkout', state.checkout).path),
  risk: nested(placeOf('risk', state.risk).path),
  cancellation: nested(placeOf('cancellation', state.cancellation).path),
})

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const nameOnWire = (region: Region, state: OrderState): string =>
  metaOf(region, state).name ?? snakeCase(state[region])

/** As `GET /orders/<uuid>` and the history show it; a test holds the names to the codec's. */
export const stateOnWire = (state: OrderState): StateOnWire =>
  ({
    checkout: nameOnWire('checkout', state),
    risk: nameOnWire('risk', state),
    cancellation: nameOnWire('cancellation', state),
  }) as StateOnWire
