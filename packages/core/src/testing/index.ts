// What tests of the core and of its hosts are made from. fast-check is the caller's own. docs/testing.md shows each.

// Values: of any codec, of the form, of an order.

export * from './codec-values.ts'
export {
  formRules,
  invalidIdentification,
  type JsonObject,
  moment,
  validIdentification,
  type WrongIdentification,
} from './identification-arbitraries.ts'
export { validOrder } from './order-arbitraries.ts'

// An order on a store, between deciders and a merchant that say what a script says; and what anybody may do to it.

export { type Act, act } from './act.ts'
export * from './commands.ts'
export type { OrderModel } from './order-model.ts'
export * from './script.ts'
export { openWorld, PERSON, type Setting, type World, type Wrapping } from './world.ts'

// What was seen of an order, and the laws that it is held to.

export * from './invariant.ts'
export { IDENTIFICATION_TABLE, WAIT_TABLE } from './invariants/action-tables.ts'
export { INVARIANTS } from './invariants/index.ts'
export * from './notebook.ts'
export * from './recording-ports.ts'
export * from './recording-store.ts'
export * from './trace.ts'

// The same over HTTP.

export { type Conformance, conform } from './http/conformance.ts'
export { JOURNEYS, type Journey } from './http/journeys.ts'
export { type WalkedTrigger, walkTriggers } from './http/sandbox-paths.ts'
export type { MerchantSide, ReceivedRequest, Subject } from './http/subject.ts'

// How much of the machine was reached.

export * from './machine-coverage.ts'
export { alongShortestPaths, type ToldStep } from './machine-paths.ts'
