// What tests of the core and of its hosts are made from. fast-check is the caller's own.
export * from './arbitraries.ts'
export * from './invariant.ts'
export { INVARIANTS } from './invariants/index.ts'
export * from './recording.ts'
export * from './trace.ts'
export * from './world.ts'
