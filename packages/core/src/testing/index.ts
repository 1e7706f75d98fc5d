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

export { nearMissesOf, valuesOf } from './codec-values.ts'
export {
  formRules,
  invalidIdentification,
  validIdentification,
} from './identification-arbitraries.ts'
export { validOrder } from './order-arbitraries.ts'

// An order on a store, with providers and a merchant that follow a script, and the acts that
// anybody may perform on it.

export { act } from './harness/actions.ts'
export {
  type HarnessOptions,
  type OrderHarness,
  openHarness,
  PERSON,
} from './harness/order-harness.ts'
export { performAct } from './harness/perform-act.ts'
export { HAPPY_PATH, scriptedGateway, scriptedProviders } from './harness/provider-script.ts'

// The trace of an order, and the invariants that it must satisfy.

export { INVARIANTS } from './invariants/index.ts'
export {
  examine,
  findingAt,
  firstOf,
  formatViolation,
  type Invariant,
} from './invariants/invariant.ts'
export { recordingGateway, recordingProviders } from './trace/recording-ports.ts'
export { recordingStore } from './trace/recording-store.ts'
export { entriesOf, type Trace, type TraceEntry } from './trace/trace.ts'
export { HOST_OBSERVES, traceOf, traceRecorder } from './trace/trace-recorder.ts'

// The same over HTTP.

export { conform } from './http/conformance.ts'
export type { Subject } from './http/subject.ts'

// The coverage of the machine.

export { machineCoverage } from './machine-coverage.ts'
export { alongShortestPaths } from './machine-paths.ts'
