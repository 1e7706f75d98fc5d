// @plazo/core/machine: the order's statechart, its picture, what it says about an order, and the pure
// halves of use cases. A host can change delays, states and products by a model of its own.
//
// ```ts
// import { graphOf, mermaidOf, orderModel, restingStates } from '@plazo/core/machine'
// import { createMachine } from 'xstate'
//
// // An order of this model waits ten seconds after an ID check. Give it to the terms and the store.
// const model = orderModel({ implementations: { delays: { idResult: () => 10_000 } } })
// console.log(restingStates('risk', model))
//
// const states = { off: { on: { pressed: 'on' } }, on: {} }
// console.log(mermaidOf(graphOf(createMachine({ id: 'lamp', initial: 'off', states }))))
// ```

// The statechart, its states and its changes.

export type { MachineContext, MachineEvent } from './order/machine/machine-context.ts'
export { orderMachine, regions } from './order/machine/order-machine.ts'
export { checkoutSetup } from './order/machine/order-setup.ts'
export type { CheckoutMeta, StateMeta } from './order/machine/state-meta.ts'
export {
  machineInput,
  machineValue,
  metaOf,
  type OrderMachine,
  type OrderModel,
  type RestingState,
  restingStates,
} from './order/model.ts'
export { REGIONS, type Region } from './order/order.ts'
export { nameOnWire } from './order/order-facts.ts'
export { type ModelParts, orderModel } from './order/order-model.ts'

// Its picture, and what it says about an order.

export { type Graph, graphOf, orderGraph } from './diagram/graph.ts'
export { mermaidOf } from './diagram/mermaid.ts'
export { type Explanation, type ExplanationFacts, explainWith } from './explanation/explanation.ts'

// The pure halves of use cases, for hosts that keep orders in their own way.

export { readSubmission, submissionStep } from './checkout/shopper/submit-identification.ts'
export { possibleAnswers, sampleEvents } from './checkout/worker/possible-answers.ts'
