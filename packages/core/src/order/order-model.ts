// A host changes states, answers and products by one value, which its terms and its store carry. The
// types of its parts lead to everything that a new state needs.
import * as t from 'io-ts'
import { IdentificationAction, WaitAction } from '../protocol/action.ts'
import { CATALOGUE, type CreditProduct, catalogueOf } from '../protocol/credit-product.ts'
import { exactObject, oneOf } from '../protocol/scalars.ts'
import { createChart, regions as ourRegions } from './machine/order-machine.ts'
import type { CheckoutMeta, StateMeta } from './machine/state-meta.ts'
import { type OrderChart, type OrderModel, prepareModel, type Terms } from './model.ts'
import type { Order } from './order.ts'
import { statesOnWire } from './order-facts.ts'

/** A state with states inside, one in which an order can rest, or one that it only passes through. */
type StateTree<Meta> =
  | { readonly states: { readonly [name: string]: StateTree<Meta> } }
  | { readonly meta: Meta; readonly states?: undefined }
  | { readonly always: unknown; readonly meta?: undefined; readonly states?: undefined }

/** The three regions, made with `orderSetup`, and with `checkoutSetupWith` for the checkout. */
type Regions<Own extends string> = {
  readonly checkout: StateTree<CheckoutMeta<Own>>
  readonly risk: StateTree<StateMeta>
  readonly cancellation: StateTree<StateMeta>
}

/** The codecs of an action's attributes by its name. */
type Attributes = { readonly [action: string]: t.Props }

/** An action of the host. Both endpoints answer it, with the attributes that `answer` builds. */
type OwnAction<Props extends t.Props> = {
  readonly attributes: Props
  /** `at`: epoch milliseconds. Pure: a replay calls it again. */
  readonly answer: (order: Order, terms: Terms, at: number) => t.TypeOfProps<Props>
}

/** What a host changes. Absent parts stay as they are. */
export type ModelParts<Own extends Attributes> = {
  readonly regions?: Regions<keyof NoInfer<Own> & string>
  readonly actions?: { readonly [Name in keyof Own]: OwnAction<Own[Name]> }
  /** The products that merchants may have. The first is the default of a merchant without any. */
  readonly products?: readonly CreditProduct[]
  /** Other guards, delays and assignments of our names, or those of new names. */
  readonly implementations?: Parameters<OrderChart['provide']>[0]
}

/** Throws an Error that names the state if the statechart cannot run. */
export const orderModel = <Own extends Attributes = Record<never, never>>({
  regions = ourRegions,
  actions,
  products = CATALOGUE,
  implementations = {},
}: ModelParts<Own>): OrderModel => {
  // `Regions` has checked the metas, and the setups the rest. The chart's type names only our states.
  const chart = createChart(regions as typeof ourRegions)
  return prepareModel(
    chart.provide(implementations) as OrderChart,
    catalogueOf(products),
    actions ?? {},
  )
}

/** What a frontend, a merchant or a page receives of orders of this model. */
export const codecsOf = (model: OrderModel) => {
  const states = statesOnWire(model)
  const own = Object.entries(model.actions).map(([action, { attributes }]) =>
    exactObject({ action: t.literal(action), ...attributes }),
  )
  const withOwn = (codec: t.Mixed): t.Mixed =>
    own.reduce<t.Mixed>((union, each) => t.union([union, each]), codec)
  return {
    wait: withOwn(WaitAction),
    identification: withOwn(IdentificationAction),
    state: exactObject({
      checkout: oneOf(...states.checkout),
      risk: oneOf(...states.risk),
      cancellation: oneOf(...states.cancellation),
    }),
  }
}
