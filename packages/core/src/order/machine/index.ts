// @plazo/core/machine: the order's statechart and the names of its states. A host can change states,
// answers and products by a model of its own.
//
// ```ts
// import { orderModel, restingStates } from '@plazo/core/machine'
//
// // An order of this model waits ten seconds after an ID check. Give it to the terms and the store.
// const model = orderModel({ implementations: { delays: { idResult: () => 10_000 } } })
// console.log(restingStates('risk', model))
// ```

export type {
  Configuration,
  MachineAction,
  MachineRunner,
  TransitionResult,
} from '../../statechart/run-machine.ts'
export {
  machineInput,
  machineValue,
  metaOf,
  nameOnWire,
  ORDER_MODEL,
  type OrderChart,
  type OrderMachine,
  type OrderModel,
  type RestingState,
  restingStates,
  stateOnWire,
} from '../model.ts'
export { type BundledState, REGIONS, type Region } from '../order.ts'
export { codecsOf, type ModelParts, orderModel } from '../order-model.ts'
export type { MachineContext, MachineEvent } from './machine-context.ts'
export { orderMachine, regions } from './order-machine.ts'
export { checkoutSetupWith } from './order-setup.ts'
export type { CheckoutMeta, StateMeta } from './state-meta.ts'
