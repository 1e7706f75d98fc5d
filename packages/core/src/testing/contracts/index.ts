// @plazo/core/testing/contracts: one suite for each port, shared by all its adapters. An adapter's own
// test calls the suite of its port, with the test runner that runs it. The suites import the core by
// its public names, as adapters do, and no runner.
//
// ```ts
// import { memoryMerchants } from '@plazo/adapters/memory' // yours
// import { merchantsContract } from '@plazo/core/testing/contracts'
// import { runner } from '@plazo/core/testing/vitest' // or /node
//
// merchantsContract(runner, 'my merchants', async () => ({
//   merchants: memoryMerchants(),
//   close: async () => {},
// }))
// ```

export { type BreakableDatabase, expectCompletionWhole } from './durability.contract.ts'
export {
  erasureAndResendsContract,
  erasureContract,
  type OpenedErasure,
} from './erasure.contract.ts'
export {
  type GatewayPromise,
  gatewayContract,
  type MerchantAnswer,
  type OpenedGateway,
  type RequestReceived,
} from './gateway.contract.ts'
export { merchantsContract, type OpenedMerchants } from './merchants.contract.ts'
export { type OpenedProviders, providersContract } from './providers.contract.ts'
export { aRecord, type OpenedRecords, recordsContract } from './records.contract.ts'
export type { Expect, Matchers, Runner } from './runner.ts'
export * from './shop.ts'
export {
  baseContract,
  capabilityContract,
  type DurabilityOptions,
  fullStoreContract,
  storeContract,
} from './store.contract.ts'
export type { OpenedStore } from './store-fixtures.ts'
