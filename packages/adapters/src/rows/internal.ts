// @plazo/adapters/internal/rows: what plazo's own programs use besides the public names of
// @plazo/adapters/rows. It may change with each version.

export type { JobRow } from '../store/base.ts'
export type { Running } from '../store/queue.ts'
export * from './durable-object-rows.ts'
export * from './in-value.ts'
export * from './index.ts'
export * from './map-rows.ts'
export * from './rows.ts'
export * from './rows-cipher.ts'
export * from './sqlite-rows.ts'
export * from './store-over.ts'
