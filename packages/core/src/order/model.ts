// Everything that depends on which states an order has, prepared once. A host that changes the
// statechart or the products makes another model (order-model.ts), and gives it to its terms and its
// store. Nothing else in core knows the states by a table.
import type { AnyStateNode, StateValue } from 'xstate'
import { type Catalogue, PRODUCTS } from '../protocol/credit-product.ts'
import { snakeCase } from '../protocol/scalars.ts'
import { wordsOf } from '../protocol/state-words.ts'
import { type MachineRunner, runnerOf } from '../statechart/run-machine.ts'
import type { MachineContext, MachineEvent } from './machine/machine-context.ts'
import { orderMachine } from './machine/order-machine.ts'
import type { CheckoutMeta, StateMeta } from './machine/state-meta.ts'
import type { Order, OrderState, Region } from './order.ts'
import type { BaseTerms, StepInput } from './terms.ts'

/** The statechart as an XState machine, for actors and pictures. */
export type OrderChart = typeof orderMachine

/** The statechart as the step runs it. */
export type OrderMachine = MachineRunner<MachineContext, MachineEvent>

/** The meta of a state in any model. */
type MetaIn<R extends Region> = R extends 'checkout' ? CheckoutMeta : StateMeta

/** A state in which an order can rest. */
export type RestingState<R extends Region = Region> = {
  /** The path of names to the state in the machine, starting with its region. */
  readonly path: readonly string[]
  readonly meta: MetaIn<R>
  readonly node: AnyStateNode
  /** The name on the wire. */
  readonly onWire: string
  /** A description in plain words. */
  readonly caption: string
  /** See its meta. */
  readonly isOver: boolean
}

/** The rules, addresses and names of all orders of a host, and the model by which they run. */
export type Terms = BaseTerms & {
  /** The states and products. Default: `ORDER_MODEL`. A host's own model comes from `orderModel`. */
  readonly model?: OrderModel | undefined
}

/** A statechart with its products, prepared once. Make one with `orderModel`. Decision 0013. */
export type OrderModel = {
  readonly chart: OrderChart
  readonly machine: OrderMachine
  /** By region, the states in which an order can rest, by their names, in document order. */
  readonly states: { readonly [R in Region]: ReadonlyMap<string, RestingState<R>> }
  readonly products: Catalogue
}

/** A value for each region. */
export const forEachRegion = <A>(make: (region: Region) => A): { readonly [R in Region]: A } => ({
  checkout: make('checkout'),
  risk: make('risk'),
  cancellation: make('cancellation'),
})

const statesIn = (region: Region, chart: OrderChart): ReadonlyMap<string, RestingState> => {
  const found = restingStatesIn(chart.root.states[region] as AnyStateNode)
  const states = new Map(found)
  if (states.size < found.length)
    throw new Error(
      `The region ${region} has two states of one name (got ${found.map(([name]) => name).join(', ')}). An order keeps only the name: rename one.`,
    )
  return states
}

const restingStatesIn = (node: AnyStateNode): readonly (readonly [string, RestingState])[] => {
  const children: readonly AnyStateNode[] = Object.values(node.states)
  if (children.length > 0) return children.flatMap(restingStatesIn)
  const { path, key, type, always } = node
  const meta: StateMeta | undefined = node.meta
  if (meta === undefined) {
    // A state without meta is only passed through within a step. No order rests in it.
    if (always?.length) return []
    throw new Error(`An order would rest in the state ${path.join('.')}, which has no meta.`)
  }
  const {
    onWire = snakeCase(key),
    isOver = type === 'final',
    caption = wordsOf(path[0], onWire) ?? key,
  } = meta
  return [[key, { path, meta, node, onWire, isOver, caption }]]
}

/** Prepares the statechart and its states, once. */
export const prepareModel = (chart: OrderChart, products: Catalogue): OrderModel => ({
  chart,
  machine: runnerOf(chart),
  // The types of the regions' metas were checked where the states were written.
  states: forEachRegion((region) => statesIn(region, chart)) as OrderModel['states'],
  products,
})

/** The statechart and the products without changes of a host. */
export const ORDER_MODEL: OrderModel = prepareModel(orderMachine, PRODUCTS)

/** The model of terms, or of a step. */
export const modelOf = ({ model = ORDER_MODEL }: Pick<Terms, 'model'>): OrderModel => model

/**
 * Builds the machine's context from an order and a step's input. Both the step and XState's own
 * tools need exactly this value. Its revision is one above the order's.
 */
export const machineInput =
  (terms: Pick<Terms, 'rules' | 'model'>) =>
  ({ placed, context, revision }: Omit<Order, 'state'>, stepInput: StepInput): MachineContext => ({
    ...context,
    placed,
    rules: terms.rules,
    products: modelOf(terms).products,
    stepInput: { ...stepInput, revision: revision + 1 },
  })

/** Every state in which an order can rest. */
export const restingStates = (region: Region, model = ORDER_MODEL): readonly string[] => [
  ...model.states[region].keys(),
]

/** Throws if the model has no such state. */
export const restingStateOf = <R extends Region>(
  region: R,
  state: OrderState,
  model = ORDER_MODEL,
): RestingState<R> => {
  const found = model.states[region].get(state[region])
  if (found === undefined)
    throw new Error(
      `The model has no state ${state[region]} in its region ${region}. Give the store and the terms the model with which the order was stored.`,
    )
  return found
}

/**
 * What the statechart says about the state of this region. Throws if the model has no such state.
 */
export const metaOf = <R extends Region>(
  region: R,
  state: OrderState,
  model = ORDER_MODEL,
): MetaIn<R> => restingStateOf(region, state, model).meta

const nestedValue = (path: readonly string[]): StateValue =>
  path.slice(0, -1).reduceRight<StateValue>((inner, name) => ({ [name]: inner }), path.at(-1) ?? '')

/** XState's state value for an order's three names. */
export const machineValue = (state: OrderState, model = ORDER_MODEL): StateValue =>
  forEachRegion((region) => nestedValue(restingStateOf(region, state, model).path.slice(1)))
