// @plazo/core/testing: the properties that plazo's own tests check, for tests of a host, a store or a
// server of another project. The caller provides fast-check. docs/testing.md shows each part.
//
// ```ts
// import { memoryStore } from '@plazo/adapters/memory'
// import { act, examine, INVARIANTS, openHarness, performAct } from '@plazo/core/testing'
// import fc from 'fast-check'
//
// const property = fc.asyncProperty(fc.array(act), async (acts) => {
//   const harness = await openHarness(memoryStore())
//   for (const each of acts) await performAct(harness, each)
//   return examine(harness.trace(), INVARIANTS).violations.length === 0
// })
// console.log(await fc.check(property, { numRuns: 3 }))
// ```

// Arbitraries: values of any codec, of the form, and of an order.

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

// An order on a store, with providers and a merchant that follow a script, and the acts that
// anybody may perform on it.

export { type Act, act } from './harness/actions.ts'
export { SHOPPER } from './harness/order-fixture.ts'
export {
  type HarnessOptions,
  type HarnessWrappers,
  type OrderHarness,
  openHarness,
  PERSON,
} from './harness/order-harness.ts'
export { performAct } from './harness/perform-act.ts'
export * from './harness/provider-script.ts'

// The trace of an order, and the invariants that it must satisfy.

export { IDENTIFICATION_TABLE, WAIT_TABLE } from './invariants/action-tables.ts'
export { INVARIANTS } from './invariants/index.ts'
export {
  type Clause,
  type Examination,
  examine,
  type Finding,
  findingAt,
  firstOf,
  formatViolation,
  type Invariant,
  type UncheckedClause,
  type Violation,
  violationOf,
} from './invariants/invariant.ts'
export * from './trace/recording-ports.ts'
export * from './trace/recording-store.ts'
export * from './trace/trace.ts'
export * from './trace/trace-recorder.ts'

// The same over HTTP.

export { type Conformance, type ConformanceViolation, conform } from './http/conformance.ts'
export { JOURNEYS, type Journey } from './http/journeys.ts'
export type { MerchantSide, ReceivedRequest, Subject } from './http/subject.ts'

// The coverage of the machine.

export * from './machine-coverage.ts'
export { alongShortestPaths, type VisitedStep } from './machine-paths.ts'
