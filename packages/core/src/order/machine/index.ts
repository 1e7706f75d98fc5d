// @plazo/core/machine: the order's statechart, the names of its states, and the compiler that runs it.
// The compiler runs any XState machine of a stated subset faster than XState, so a host can change the
// order's statechart, or run machines of its own.
//
// ```ts
// import { orderModel, restingStates } from '@plazo/core/machine'
//
// // An order of this model waits ten seconds after an ID check. Give it to the terms and the store.
// const model = orderModel({ implementations: { delays: { idResult: () => 10_000 } } })
// console.log(model.machine.nodeAt(['checkout', 'open', 'identifying']).key) // identifying
// console.log(restingStates('risk', model))
// ```

export * from '../../statechart/compile.ts'
export {
  machineInput,
  machineValue,
  metaOf,
  nameOnWire,
  ORDER_MODEL,
  type OrderChart,
  type OrderMachine,
  type OrderModel,
  restingStates,
  stateOnWire,
} from '../model.ts'
export { type BundledState, REGIONS, type Region } from '../order.ts'
export { codecsOf, type ModelParts, orderModel } from '../order-model.ts'
export type { MachineContext, MachineEvent } from './machine-context.ts'
export { orderMachine, regions } from './order-machine.ts'
export { checkoutSetupWith } from './order-setup.ts'
export type { CheckoutMeta, StateMeta } from './state-meta.ts'
