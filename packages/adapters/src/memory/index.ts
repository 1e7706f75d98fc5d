// @plazo/adapters/memory: stores that lose their data when the process ends, for tests and embedding.
export { memoryMerchants } from './merchants.ts'
export { memoryRecords } from './records.ts'
export { type MemoryStoreOptions, memoryStore } from './store.ts'
