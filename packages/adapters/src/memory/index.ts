// @plazo/adapters/memory: stores that end with the process, for tests and embeddings.
export { memoryMerchants } from './merchants.ts'
export { memorySandboxShelf } from './sandbox-shelf.ts'
export { type MemoryStoreOptions, memoryStore } from './store.ts'
