// `pnpm mutate [target…]`: changes the core a little at a time, and checks that its tests detect
// each change. It fails if too few are detected.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'

type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

const GOAL = 0.85

// No test may depend on the server's time zone.
process.env.TZ = 'America/St_Johns'

const FOLDERS = ['delivery', 'protocol', 'statechart', 'order']

const HELP = `pnpm mutate [target …]

  A target is one of ${FOLDERS.join(', ')} (default: all of them), or a file of one, or lines of a file:
  order/step.ts:80-95. What no test noticed is printed. CONCURRENCY=2 uses two processes.`

// Long enough that a process that merely stalled does not count as a detected mutant.
const PATIENCE = 240_000

const mutantsOf = (target: string): Promise<readonly MutantResult[]> => {
  process.env.MUTATED = target.replace(/\/.*/, '')
  return new Stryker({
    mutate: [
      `packages/core/src/${target}${FOLDERS.includes(target) ? '/**/*.ts' : ''}`,
      '!**/*.test.ts',
    ],
    testRunner: 'vitest',
    vitest: { configFile: 'test/tools/mutation/vitest.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner'],
    coverageAnalysis: 'perTest',
    concurrency: Number(process.env.CONCURRENCY ?? 1),
    timeoutMS: PATIENCE,
    ignorePatterns: ['/data', '/test/{end-to-end,pages,security,embedding}'],
    reporters: ['progress-append-only'],
    // Stryker would rewrite the file with a function that TypeScript 7 no longer has. Nothing needs
    // a rewrite.
    tsconfigFile: 'absent.json',
    tempDirName: '.stryker-tmp',
    cleanTempDir: 'always',
    allowConsoleColors: false,
  }).runMutationTest()
}

const lines = new Map<string, readonly string[]>()
const lineOf = ({ fileName, location }: MutantResult): string => {
  const text = lines.get(fileName) ?? readFileSync(fileName, 'utf8').split('\n')
  lines.set(fileName, text)
  return (text[location.start.line - 1] ?? '').trim()
}

const nameOf = ({ fileName }: MutantResult): string =>
  fileName.slice(fileName.indexOf('packages/core/src/') + 18)

const formatMutant = (mutant: MutantResult): string =>
  [
    `${nameOf(mutant)}:${mutant.location.start.line}:${mutant.location.start.column} ${mutant.status}`,
    `  - ${lineOf(mutant)}`,
    `  + ${mutant.replacement.replaceAll(/\s*\n\s*/g, ' ').slice(0, 160)}`,
  ].join('\n')

const percent = (part: number): string => `${(part * 100).toFixed(1)} %`

const scoreOf = async (target: string): Promise<boolean> => {
  const startedAt = Date.now()
  const mutants = await mutantsOf(target)
  const countMutants = (...statuses: readonly string[]) =>
    mutants.filter(({ status }) => statuses.includes(status))
  const killed = countMutants('Killed')
  const timeouts = countMutants('Timeout')
  const survived = countMutants('Survived', 'NoCoverage')
  const all = killed.length + timeouts.length + survived.length
  const score = (killed.length + timeouts.length) / all
  const minutes = Math.ceil((Date.now() - startedAt) / 60_000)
  const counts = [all, killed.length, timeouts.length, survived.length]
  console.log(survived.map(formatMutant).join('\n'))
  console.log(`| ${[target, ...counts, percent(score), `${minutes} min`].join(' | ')} |`)
  return score >= GOAL
}

const { values, positionals } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
if (values.help) console.log(HELP)
else
  for (const target of positionals.length > 0 ? positionals : FOLDERS)
    if (!(await scoreOf(target))) process.exitCode = 1
