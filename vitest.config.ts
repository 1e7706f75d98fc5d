import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/postgres-for-all.ts'],
    setupFiles: ['test/support/fixed-seed.ts'],
    // Most of them wait, for sockets, browsers and processes: two at a time on a small machine too.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
