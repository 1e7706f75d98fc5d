import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// These replace modules, record which modules are loaded, judge a whole process, or take so long that
// they begin first: of the others, small files come last.
const ALONE = [
  'packages/server/src/http/access.test.ts',
  'test/end-to-end/contract/stores.test.ts',
  'test/faults/!(properties)/**/*.test.ts',
  'test/pages/matrix.test.ts',
]

const common = {
  setupFiles: ['test/harness/fixed-seed.ts'],
  // Threads that a test starts read what is compiled already: a third of what starting one takes.
  env: {
    NODE_COMPILE_CACHE: fileURLToPath(new URL('./node_modules/.cache/compiled', import.meta.url)),
  },
  testTimeout: 120_000,
  hookTimeout: 120_000,
}

export default defineConfig({
  test: {
    globalSetup: ['test/harness/postgres-for-all.ts'],
    // Most of them wait, for sockets, browsers and processes: three at a time on a small machine
    // too.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects: [
      { test: { ...common, name: 'alone', include: ALONE } },
      // Loading modules takes more CPU time than most test files, so these share what a worker has
      // loaded.
      {
        test: {
          ...common,
          name: 'shared',
          isolate: false,
          include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...ALONE],
        },
      },
    ],
  },
})
