// A host changes delays, products and states by one value, which its terms and its store carry.
// Types check a state where it is written. Names in texts, and hosts in JavaScript, are checked here.
import { CATALOGUE, type CreditProduct, catalogueOf } from '../protocol/credit-product.ts'
import { pathFrom } from '../statechart/prepared-states.ts'
import { AFTER } from './effects/effects.ts'
import { createChart, orderMachine, regions } from './machine/order-machine.ts'
import type { CheckoutMeta } from './machine/state-meta.ts'
import { type OrderChart, type OrderModel, prepareModel } from './model.ts'
import { isAction } from './next-action.ts'
import { REGIONS, type Region } from './order.ts'

/** What a host changes. Absent parts stay as they are. */
export type ModelParts = {
  /** Other guards, delays and assignments of our names, and new guards and assignments. */
  readonly implementations?: Parameters<OrderChart['provide']>[0]
  /** The products that merchants may have. The first is the default of a merchant without any. */
  readonly products?: readonly CreditProduct[]
  /**
   * States by their paths, such as `checkout.open.calling`: new ones, and others in place of ours. They
   * are made with `orderSetup`, and with `checkoutSetup` in the checkout.
   */
  readonly states?: { readonly [path: `${Region}.${string}`]: object }
}

const refuse = (what: string): never => {
  throw new Error(`orderModel: ${what}`)
}

type AnyState = { readonly states?: { readonly [name: string]: AnyState } }

const withState = (
  outer: AnyState,
  [name = '', ...inside]: readonly string[],
  state: AnyState,
): AnyState => {
  const around = outer.states?.[name] ?? {}
  if (inside.length > 0 && around.states === undefined)
    refuse(`no state ${name} has states inside, such as ${inside.join('.')}.`)
  const changed = inside.length > 0 ? withState(around, inside, state) : state
  return { ...outer, states: { ...outer.states, [name]: changed } }
}

const checkStates = ({ chart, states }: OrderModel): void => {
  const ours: readonly string[] = orderMachine.events
  for (const event of chart.events)
    if (!ours.includes(event) && !event.startsWith(AFTER))
      refuse(`no order has the event ${event}.`)
  for (const { path, node, meta } of REGIONS.flatMap((region) => [...states[region].values()])) {
    const { wait, identification, awaits }: Partial<CheckoutMeta> = meta
    for (const name of [wait, identification])
      if (typeof name === 'string' && !isAction(name))
        refuse(`the state ${path.join('.')} answers ${name}, which is no action.`)
    if (awaits !== undefined && !pathFrom(node).some((each) => each.transitions.has(awaits[1])))
      refuse(`the state ${path.join('.')} awaits ${awaits[1]}, and nothing there handles it.`)
  }
}

/** Throws an Error that names the state and what is wrong with it if orders cannot run by the model. */
export const orderModel = ({
  implementations = {},
  products = CATALOGUE,
  states = {},
}: ModelParts): OrderModel => {
  const catalogue = catalogueOf(products)
  if (catalogue.size < Math.max(products.length, 1))
    refuse('products must be at least one, each with a code of its own.')
  const changed = Object.entries(states).reduce<AnyState>(
    (tree, [path, state]) => withState(tree, path.split('.'), state),
    { states: regions as AnyState['states'] & object },
  )
  // The chart's type names only our states.
  const chart = createChart(changed.states as typeof regions).provide(implementations)
  const model = prepareModel(chart, catalogue)
  checkStates(model)
  return model
}
