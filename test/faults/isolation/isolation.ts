// `pnpm isolation`: measures if merchants whose endpoints hang, drip, reset or answer late delay
// the others. The exit code is 1 if a limit is exceeded.
import { commandOptions } from '../../harness/command-options.ts'
import { clusterRun } from '../cluster/run.ts'
import { isolationPlan, quantile } from './isolation-plan.ts'

const HELP = `pnpm isolation [--on sqlite,postgres] [--merchants 200] [--bad 100] [--minutes 10] [--seed 1]

  --on         what to run on, one after the other
  --merchants  how many there are; each has an order every 12 s
  --bad        how many of them hang, drip, reset or answer after 29 s
  --minutes    how long orders are placed
  --p95        the limit in milliseconds for good merchants' IPNs; 50 up to 200 merchants, 200 beyond
  --seed       draws which merchants are bad
`

const values = commandOptions(HELP, {
  on: 'sqlite,postgres',
  merchants: '200',
  bad: '100',
  minutes: '10',
  p95: '',
  seed: '1',
})

const MINUTE = 60_000
const EVERY = 12_000
const LATEST = 1_000

const say = (line: string): void => void process.stderr.write(`${line}\n`)
const print = (line: string): void => void process.stdout.write(`${line}\n`)

const runOn = async (on: string) => {
  const plan = isolationPlan({
    store: on === 'postgres' ? 'postgres' : 'sqlite',
    merchants: Number(values.merchants),
    bad: Number(values.bad),
    lasts: Number(values.minutes) * MINUTE,
    patience: MINUTE,
    every: EVERY,
  })
  const { facts, violations } = await clusterRun({
    seed: Number(values.seed),
    shoppers: 0,
    plan,
    say,
  })
  for (const violation of violations.slice(0, 10)) say(violation)
  return { ...facts, violations }
}

const p95Limit = Number(values.p95 || (Number(values.merchants) <= 200 ? 50 : 200))
print('| on | merchants, bad | good IPNs | p50 | p95 | p99 | latest | undelivered |')
print('|---|---|---|---|---|---|---|---|')
for (const on of values.on.split(',')) {
  say(`On ${on}.`)
  const report = await runOn(on)
  const [p50, p95, p99, latest] = [0.5, 0.95, 0.99, 1].map((part) => quantile(report.delays, part))
  print(
    `| ${on} | ${values.merchants}, ${values.bad} | ${report.good} | ${p50} ms | ${p95} ms | ${p99} ms | ${latest} ms | ` +
      `${report.undelivered} |`,
  )
  say(`Violations: ${report.violations.length}.`)
  const holds =
    report.undelivered === 0 &&
    report.violations.length === 0 &&
    (p95 ?? 0) <= p95Limit &&
    (latest ?? 0) <= LATEST
  if (!holds) {
    process.exitCode = 1
    say(
      `A promise is broken, or a limit does not hold: p95 ${p95Limit} ms, none later than ${LATEST} ms.`,
    )
  }
}
