// `pnpm isolation`: measures if merchants whose endpoints hang, drip, reset or answer late delay
// the others. The exit code is 1 if a limit is exceeded.
import { parseArgs } from 'node:util'
import { clusterRun } from '../cluster/run.ts'
import { isolationPlan, quantile } from './isolation-plan.ts'

const HELP = `pnpm isolation [--on sqlite,postgres,postgres:3] [--merchants 200] [--bad 100] [--minutes 10] [--calm 2] [--seed 1]
               [--accounts 20] [--restart]

  --on         what to run on, one after the other: SQLite, PostgreSQL, or PostgreSQL with so many nodes
  --merchants  how many there are; each has an order every 12 s
  --bad        how many of them hang, drip, reset or answer after 29 s
  --minutes    how long orders are placed
  --calm       minutes of a run before without bad merchants, whose memory is compared with; 0: none
  --p95        the limit in milliseconds for good merchants' IPNs; 50 up to 200 merchants, 200 beyond
  --seed       draws which merchants are bad
  --accounts   the merchants share so many accounts; one to eight of each hang
  --restart    kills and starts the servers after half of the time; the report begins there
`

const { values } = parseArgs({
  options: {
    on: { type: 'string', default: 'sqlite,postgres,postgres:3' },
    merchants: { type: 'string', default: '200' },
    bad: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '10' },
    calm: { type: 'string', default: '2' },
    p95: { type: 'string' },
    seed: { type: 'string', default: '1' },
    accounts: { type: 'string' },
    restart: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const MINUTE = 60_000
const EVERY = 12_000
const LATEST = 1_000
const MEMORY = 300 * 1024 * 1024

const say = (line: string): void => void process.stderr.write(`${line}\n`)
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const mib = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`

const runOn = async (on: string, bad: number, minutes: number) => {
  const [store = 'sqlite', nodes = '1'] = on.split(':')
  const plan = isolationPlan({
    store: store === 'postgres' ? 'postgres' : 'sqlite',
    nodes: Number(nodes),
    merchants: Number(values.merchants),
    bad,
    accounts: values.accounts === undefined || bad === 0 ? null : Number(values.accounts),
    restarts: values.restart,
    lasts: minutes * MINUTE,
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

const main = async (): Promise<void> => {
  const p95Limit = Number(values.p95 ?? (Number(values.merchants) <= 200 ? 50 : 200))
  print(
    '| on | merchants, bad | good IPNs | p50 | p95 | p99 | latest | undelivered | memory, calm |',
  )
  print('|---|---|---|---|---|---|---|---|---|')
  for (const on of values.on.split(',')) {
    say(`On ${on}.`)
    const calm = Number(values.calm) > 0 ? await runOn(on, 0, Number(values.calm)) : null
    const report = await runOn(on, Number(values.bad), Number(values.minutes))
    const [p50, p95, p99, latest] = [0.5, 0.95, 0.99, 1].map((part) =>
      quantile(report.delays, part),
    )
    const grown = calm === null ? 0 : report.residentBytes - calm.residentBytes
    print(
      `| ${on} | ${values.merchants}, ${values.accounts === undefined ? values.bad : `1 to 8 of each of ${values.accounts} accounts`} | ${report.good} | ${p50} ms | ${p95} ms | ${p99} ms | ${latest} ms | ` +
        `${report.undelivered} | ${mib(report.residentBytes)}, ${calm ? mib(calm.residentBytes) : '-'} |`,
    )
    say(
      `Requests at the receivers: ${JSON.stringify(report.requests)}. Violations: ${report.violations.length}.`,
    )
    const holds =
      report.undelivered === 0 &&
      report.violations.length === 0 &&
      (p95 ?? 0) <= p95Limit &&
      (latest ?? 0) <= LATEST &&
      grown <= MEMORY
    if (!holds) {
      process.exitCode = 1
      say(
        `A promise is broken, or a limit does not hold: p95 ${p95Limit} ms, none later than ${LATEST} ms, memory ${mib(MEMORY)} above calm.`,
      )
    }
  }
}

if (values.help) print(HELP)
else await main()
