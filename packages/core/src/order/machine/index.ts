// @plazo/core/machine: the order's statechart, the names of its states, and the compiler that runs it.
// The compiler runs any XState machine of a stated subset faster than XState, so a host can change the
// order's statechart, or run machines of its own.
//
// ```ts
// import { compile, type OrderMachine, orderMachine, restingStates } from '@plazo/core/machine'
//
// // An order of this machine waits ten seconds after an ID check. Pass it to `step`.
// const delays = { idResult: () => 10_000 }
// const machine: OrderMachine = compile(orderMachine.provide({ delays }))
// console.log(machine.nodeAt(['checkout', 'open', 'identifying']).key) // identifying
// console.log(restingStates('risk'))
// ```

export * from '../../statechart/compile.ts'
export { REGIONS, type Region } from '../order.ts'
export { machineInput, type OrderMachine } from '../step.ts'
export type { MachineContext, MachineEvent, StateMeta } from './machine-context.ts'
export {
  machineValue,
  metaOf,
  nameOnWire,
  orderMachine,
  restingStates,
  stateOnWire,
} from './order-machine.ts'
