// `pnpm mutate`: changes the core a little at a time, and checks that its tests detect each change.
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'

const FOLDERS = ['delivery', 'protocol', 'statechart', 'order']

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean', default: false } },
  allowPositionals: true,
})
if (values.help) {
  console.log(`pnpm mutate [target …]

A target is one of ${FOLDERS.join(', ')} (default: all of them), or a file of one, or lines of a file:
order/step.ts:80-95. Prints each change that no test detects, and the score. Fails if a score is below
the limit in stryker.config.json. CONCURRENCY=2 uses two processes. coverage/mutation.html has the last report.`)
  process.exit()
}

// No test may depend on the server's time zone.
process.env.TZ = 'America/St_Johns'
for (const target of positionals.length > 0 ? positionals : FOLDERS) {
  process.env.MUTATED = target.replace(/\/.*/, '')
  await new Stryker({
    configFile: 'test/tools/mutation/stryker.config.json',
    concurrency: Number(process.env.CONCURRENCY ?? 1),
    mutate: [
      `packages/core/src/${target}${FOLDERS.includes(target) ? '/**/*.ts' : ''}`,
      '!**/*.test.ts',
    ],
  }).runMutationTest()
}
