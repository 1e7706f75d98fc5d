// @plazo/core/testing/bun: runs contracts by `bun test`, with nothing else installed.
//
// ```ts
// import { memoryMerchants } from '@plazo/adapters/memory' // yours
// import { merchantsContract } from '@plazo/core/testing/contracts'
// import { runner } from '@plazo/core/testing/bun'
//
// merchantsContract(runner, 'my merchants', async () => ({
//   merchants: memoryMerchants(),
//   close: async () => {},
// }))
// ```
// @ts-expect-error Bun's types would change the global ones of Node.
import { afterEach, beforeEach, describe, expect, it } from 'bun:test'
import type { Runner } from '../contracts/runner.ts'

/** The test functions of `bun:test`. */
export const runner: Runner = { describe, it, beforeEach, afterEach, expect }
