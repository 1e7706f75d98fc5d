// `pnpm nodes`: three servers on one PostgreSQL under load, killed, frozen and cut off from the
// database, and nodes that race for the same orders. The exit code is 1 if a check fails.
import { parseArgs } from 'node:util'
import { newKeyring } from '@plazo/adapters/encryption'
import { openPostgres } from '@plazo/adapters/postgres'
import { startOwnPostgres } from '../../harness/postgres.ts'
import { nodesPlan } from './nodes-plan.ts'
import { clusterRun, reportRun, reportViolations, say, table } from './run.ts'
import { storeRace } from './store-race.ts'

const HELP = `pnpm nodes [--orders 1000] [--shoppers 32] [--rounds 10] [--races 20] [--seed N]

  --orders    how many orders are placed, at least, in each of two runs: one whose database is restarted, one whose
              database is killed
  --shoppers  how many orders are under way at a time
  --rounds    how often, in each, a server is killed, another frozen past its leases, and the database is away
  --races     how many times three nodes race for the same orders, each with a seed of its own
  --seed      draws who walks where and what happens when; the machine's timing stays its own
`

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000' },
    shoppers: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '10' },
    races: { type: 'string', default: '20' },
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
  if (rounds === 0) return
  for (const database of ['restart', 'kill'] as const) {
    say(`Three servers; in each round the database: ${database}.`)
    const report = await clusterRun({
      seed,
      shoppers,
      plan: nodesPlan({ orders, rounds, database }),
      say,
    })
    const { requestCounts, refused, lostLeases, laneChecks } = report.facts
    reportRun(report)
    say(
      table('servers', [
        ['requests that each got', requestCounts.join(' / ')],
        ['requests answered 503', refused],
        ['leases lost', lostLeases],
        ['checks of all lanes', laneChecks],
      ]),
    )
    wrong.push(...report.violations)
  }
}

const races = async (url: () => Promise<string>): Promise<void> => {
  const did: Record<string, number> = {}
  let [steps, effects, looks] = [0, 0, 0]
  for (let race = 0; race < Number(values.races); race++) {
    const own = await url()
    const keyring = newKeyring()
    const homes = [
      await openPostgres(own, { keyring }),
      await openPostgres(own, { keyring }),
      await openPostgres(own, { keyring }),
    ]
    const stores = homes.map(({ store }) => store)
    const report = await storeRace({ url: own, stores, seed: seed + race, hands: 6, turns: 150 })
    for (const home of homes) await home.close()
    wrong.push(...report.faults.map((fault) => `race ${seed + race}: ${fault}`))
    for (const [what, count] of Object.entries(report.did)) did[what] = (did[what] ?? 0) + count
    steps += report.steps
    effects += report.effects
    looks += report.looks
    say(`Race ${race + 1}: ${report.steps} steps, ${report.faults.length} faults.`)
  }
  if (Number(values.races) > 0)
    say(
      table('races', [
        ...Object.entries(did),
        ['steps committed', steps],
        ['effects', effects],
        ['checks of all lanes', looks],
      ]),
    )
}

const start = async (): Promise<void> => {
  const { orders, shoppers, rounds, races: many } = values
  const command = `pnpm nodes --orders ${orders} --shoppers ${shoppers} --rounds ${rounds} --races ${many} --seed ${seed}`
  say(command)
  await runs()
  const postgres = await startOwnPostgres()
  try {
    await races(postgres.database)
  } finally {
    await postgres.close()
  }
  reportViolations(wrong, 'Nothing was lost, and nothing done twice.', command)
}

if (values.help) say(HELP)
else await start()
