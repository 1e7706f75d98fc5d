// @plazo/core/machine: the order's statechart, the names of its states, and the compiler that runs
// it, and any XState machine of a stated subset, faster than XState. For an order with a changed
// statechart, and for machines of a program's own.

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
