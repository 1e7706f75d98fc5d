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

export { erasureAndResendsContract, erasureContract } from './erasure.contract.ts'
export { gatewayContract, type MerchantAnswer, type RequestReceived } from './gateway.contract.ts'
export { merchantsContract } from './merchants.contract.ts'
export { providersContract } from './providers.contract.ts'
export { recordsContract } from './records.contract.ts'
export type { Runner } from './runner.ts'
export {
  baseContract,
  capabilityContract,
  fullStoreContract,
  storeContract,
} from './store.contract.ts'
