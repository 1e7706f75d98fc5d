// The tests that judge a mutant of one folder of the core. They run in one process, without sockets
// and files, and run each property only a few times, because they run for every mutant.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const JUDGES: { readonly [folder: string]: readonly string[] } = {
  delivery: ['packages/core/src/delivery/*.test.ts'],
  protocol: ['packages/core/src/protocol/*.test.ts', 'test/end-to-end/openapi/wire-shapes.test.ts'],
  statechart: ['packages/core/src/statechart/*.test.ts'],
  order: [
    'packages/core/src/order/**/*.test.ts',
    'packages/core/src/diagram/graph.test.ts',
    'test/tools/machine/machine-files.test.ts',
    'test/faults/properties/{invariants,stored-orders}.test.ts',
    'test/faults/properties/histories.test.ts',
  ],
}

// This one needs many runs: it compares with a validator.
const EXHAUSTIVE = ['packages/core/src/protocol/json-schema.test.ts']

const RUNS = 5

// The quick tests first: the first failure ends the run.
const QUICK_FIRST = ['/packages/core/src/', '/test/tools/machine/', '/test/faults/properties/']

class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number =>
      QUICK_FIRST.findIndex((part) => moduleId.includes(part))
    return files.toSorted((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1))
  }
}

const doorsOf = (name: string) => {
  const { exports } = JSON.parse(readFileSync(`${root}packages/${name}/package.json`, 'utf8')) as {
    readonly exports: Readonly<Record<string, string>>
  }
  return Object.entries(exports).map(([door, file]) => ({
    find: new RegExp(`^@plazo/${name}${door.slice(1)}$`),
    replacement: `${root}packages/${name}/${file.slice(2)}`,
  }))
}

export default defineConfig({
  // The packages of the mutated copy, and not those that node_modules links to.
  resolve: {
    alias: [...doorsOf('core'), ...doorsOf('adapters')],
  },
  plugins: [
    {
      name: 'few-runs',
      enforce: 'pre',
      // Setting up the alphabet of all code points takes a second for every mutant.
      transform: (code, id) =>
        id.endsWith('.test.ts')
          ? code
              .replaceAll(/numRuns: \d+/g, `numRuns: ${RUNS}`)
              .replaceAll("unit: 'binary'", "unit: 'binary-ascii'")
          : null,
    },
  ],
  test: {
    root,
    include: [...(JUDGES[process.env.MUTATED ?? ''] ?? Object.values(JUDGES).flat())],
    exclude: EXHAUSTIVE,
    setupFiles: ['test/harness/fixed-seed.ts', 'test/tools/mutation/few-runs.ts'],
    isolate: false,
    testTimeout: 240_000,
    sequence: { sequencer: QuickFirst },
    env: { RUNS: String(RUNS) },
  },
})
