// @plazo/core/testing/vitest: runs contracts in vitest, which the caller installs.
//
// ```ts
// import { memoryMerchants } from '@plazo/adapters/memory' // yours
// import { merchantsContract } from '@plazo/core/testing/contracts'
// import { runner } from '@plazo/core/testing/vitest'
//
// merchantsContract(runner, 'my merchants', async () => ({
//   merchants: memoryMerchants(),
//   close: async () => {},
// }))
// ```
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Runner } from '../contracts/runner.ts'

/** The test functions of vitest. */
export const runner: Runner = { describe, it, beforeEach, afterEach, expect }
