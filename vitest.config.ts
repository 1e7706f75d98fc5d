import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/harness/postgres-for-all.ts'],
    setupFiles: ['test/harness/fixed-seed.ts'],
    // Most of them wait, for sockets, browsers and processes: three at a time on a small machine
    // too.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // Threads that a test starts read what is compiled already: a third of what starting one takes.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL('./node_modules/.cache/compiled', import.meta.url)),
    },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
