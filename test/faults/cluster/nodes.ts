// `pnpm nodes`: three servers on one PostgreSQL under load, killed, frozen and cut off from the
// database. The exit code is 1 if a check fails.
import { anySeed, commandOptions } from '../../harness/command-options.ts'
import { nodesPlan } from './nodes-plan.ts'
import { clusterRun, reportRun, reportViolations, say } from './run.ts'

const HELP = `pnpm nodes [--orders 1000] [--shoppers 32] [--rounds 10] [--seed N]

  --orders    how many orders are placed, at least, in each of two runs: one whose database is restarted, one whose
              database is killed
  --shoppers  how many orders are under way at a time
  --rounds    how often, in each, a server is killed, another frozen until a third takes over, and the database is away
  --seed      draws who walks where and what happens when; the machine's timing stays its own
`

const { orders, shoppers, rounds, seed } = commandOptions(HELP, {
  orders: '1000',
  shoppers: '32',
  rounds: '10',
  seed: anySeed(),
})
const command = `pnpm nodes --orders ${orders} --shoppers ${shoppers} --rounds ${rounds} --seed ${seed}`
say(command)
const violations: string[] = []
for (const database of ['restart', 'kill'] as const) {
  say(`Three servers; in each round the database: ${database}.`)
  const plan = nodesPlan({ orders: Number(orders), rounds: Number(rounds), database })
  const report = await clusterRun({ seed: Number(seed), shoppers: Number(shoppers), plan, say })
  reportRun(report)
  violations.push(...report.violations)
}
reportViolations(violations, 'Nothing was lost, and nothing done twice.', command)
