// @plazo/core/testing/node: runs contracts by `node --test`. The caller installs only the package
// `expect`, because `node:assert` cannot compare a part of an object.
//
// ```ts
// import { memoryMerchants } from '@plazo/adapters/memory' // yours
// import { merchantsContract } from '@plazo/core/testing/contracts'
// import { runner } from '@plazo/core/testing/node'
//
// merchantsContract(runner, 'my merchants', async () => ({
//   merchants: memoryMerchants(),
//   close: async () => {},
// }))
// ```
import { afterEach, beforeEach, describe, it } from 'node:test'
import { expect } from 'expect'
import type { Runner } from '../contracts/runner.ts'

/** The test functions of `node:test`, with Jest's `expect`. */
export const runner: Runner = { describe, it, beforeEach, afterEach, expect }
