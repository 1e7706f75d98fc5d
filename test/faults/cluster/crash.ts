// `pnpm crash`: kills the real process under load, at random moments and at each named point, and
// checks that nothing was lost. The exit code is 1 if something was.
import { parseArgs } from 'node:util'
import { ALL_KILL_POINTS, crashPlan } from './crash-plan.ts'
import { clusterRun, reportRun, reportViolations, say } from './run.ts'

const HELP = `pnpm crash [--kills 200] [--each 20] [--at point] [--shoppers 32] [--seed N]

  --kills     how often the server is killed at a random moment
  --each      how often at each named point
  --at        one of these points alone, and may be given again: ${ALL_KILL_POINTS.join(', ')}
  --shoppers  how many orders are under way at a time
  --seed      determines the paths and the kills; the machine's timing stays its own
`

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    each: { type: 'string', default: '20' },
    at: { type: 'string', multiple: true, default: [] },
    shoppers: { type: 'string', default: '32' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean', default: false },
  },
})

const start = async (): Promise<void> => {
  const { seed, kills, each, at, shoppers } = values
  const points =
    at.length === 0 ? ALL_KILL_POINTS : ALL_KILL_POINTS.filter((point) => at.includes(point))
  if (points.length === 0) throw new Error(`--at is one of ${ALL_KILL_POINTS.join(', ')}.`)
  const named = at.map((point) => ` --at "${point}"`).join('')
  const command = `pnpm crash --kills ${kills} --each ${each}${named} --shoppers ${shoppers} --seed ${seed}`
  say(command)
  const plan = crashPlan({ kills: Number(kills), each: Number(each), points })
  const report = await clusterRun({ seed: Number(seed), shoppers: Number(shoppers), plan, say })
  const { folder } = report.facts
  reportRun(report)
  if (folder !== null) say(`The database is kept in ${folder}.`)
  reportViolations(report.violations, 'Nothing was lost.', command)
}

if (values.help) say(HELP)
else await start()
