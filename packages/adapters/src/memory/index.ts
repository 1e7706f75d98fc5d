// @plazo/adapters/memory: stores that lose their data when the process ends, for tests and embedding.
//
// ```ts
// import { memoryMerchants, memoryStore } from '@plazo/adapters/memory'
//
// const store = memoryStore()
// const merchants = memoryMerchants()
// console.log(await store.nextDueAt()()) // Right: null, because no job waits
// console.log(await merchants.list()()) // Right: []
// ```

export { memoryMerchants } from './merchants.ts'
export { memoryRecords } from './records.ts'
export { memoryStore } from './store.ts'
