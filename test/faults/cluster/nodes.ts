// `pnpm nodes`: three servers on one PostgreSQL under load, killed, frozen and cut off from the
// database. The exit code is 1 if a check fails.
import { parseArgs } from 'node:util'
import { nodesPlan } from './nodes-plan.ts'
import { clusterRun, reportRun, reportViolations, say } from './run.ts'

const HELP = `pnpm nodes [--orders 1000] [--shoppers 32] [--rounds 10] [--seed N]

  --orders    how many orders are placed, at least, in each of two runs: one whose database is restarted, one whose
              database is killed
  --shoppers  how many orders are under way at a time
  --rounds    how often, in each, a server is killed, another frozen until a third takes over, and the database is away
  --seed      draws who walks where and what happens when; the machine's timing stays its own
`

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000' },
    shoppers: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean', default: false },
  },
})

const seed = Number(values.seed)
const wrong: string[] = []

const runs = async (): Promise<void> => {
  const [orders, shoppers, rounds] = [
    Number(values.orders),
    Number(values.shoppers),
    Number(values.rounds),
  ]
  for (const database of ['restart', 'kill'] as const) {
    say(`Three servers; in each round the database: ${database}.`)
    const report = await clusterRun({
      seed,
      shoppers,
      plan: nodesPlan({ orders, rounds, database }),
      say,
    })
    reportRun(report)
    wrong.push(...report.violations)
  }
}

const start = async (): Promise<void> => {
  const { orders, shoppers, rounds } = values
  const command = `pnpm nodes --orders ${orders} --shoppers ${shoppers} --rounds ${rounds} --seed ${seed}`
  say(command)
  await runs()
  reportViolations(wrong, 'Nothing was lost, and nothing done twice.', command)
}

if (values.help) say(HELP)
else await start()
