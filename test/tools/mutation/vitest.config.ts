// The tests that judge a mutant of one folder of the core. They run in one process, without sockets
// and files, and run each property only a few times, because they run for every mutant.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const JUDGES: { readonly [folder: string]: readonly string[] } = {
  delivery: ['packages/core/src/delivery/*.test.ts'],
  protocol: ['packages/core/src/protocol/*.test.ts', 'test/end-to-end/openapi/wire-shapes.test.ts'],
  statechart: ['packages/core/src/statechart/*.test.ts'],
  order: [
    'packages/core/src/order/**/*.test.ts',
    'packages/core/src/diagram/graph.test.ts',
    'test/tools/machine/machine-files.test.ts',
    'test/faults/properties/{invariants,stored-orders,histories}.test.ts',
  ],
}

const entriesOf = (name: string) => {
  const { exports }: { readonly exports: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(`${root}packages/${name}/package.json`, 'utf8'),
  )
  return Object.entries(exports).map(([entry, file]) => ({
    find: new RegExp(`^@plazo/${name}${entry.slice(1)}$`),
    replacement: `${root}packages/${name}/${file.slice(2)}`,
  }))
}

export default defineConfig({
  // The packages of the mutated copy, and not those that node_modules links to.
  resolve: { alias: [...entriesOf('core'), ...entriesOf('adapters')] },
  plugins: [
    {
      name: 'few-runs',
      enforce: 'pre',
      // Setting up the alphabet of all code points takes a second for every mutant.
      transform: (code, id) =>
        id.endsWith('.test.ts')
          ? code.replaceAll(/numRuns: \d+/g, 'numRuns: 5').replaceAll("'binary'", "'binary-ascii'")
          : null,
    },
  ],
  test: {
    root,
    include: [...(JUDGES[process.env.MUTATED ?? ''] ?? Object.values(JUDGES).flat())],
    setupFiles: ['test/harness/fixed-seed.ts'],
    isolate: false,
    testTimeout: 240_000,
    env: { RUNS: '5' },
  },
})
