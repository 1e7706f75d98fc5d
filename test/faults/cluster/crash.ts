// `pnpm crash`: kills the real process under load, at random moments and at each named point, and
// checks that nothing was lost. The exit code is 1 if something was.
import { anySeed, commandOptions } from '../../harness/command-options.ts'
import { crashPlan } from './crash-plan.ts'
import { clusterRun, reportRun, reportViolations, say } from './run.ts'

const HELP = `pnpm crash [--kills 200] [--each 20] [--shoppers 32] [--seed N]

  --kills     how often the server is killed at a random moment
  --each      how often at each named point
  --shoppers  how many orders are under way at a time
  --seed      determines the paths and the kills; the machine's timing stays its own
`

const { kills, each, shoppers, seed } = commandOptions(HELP, {
  kills: '200',
  each: '20',
  shoppers: '32',
  seed: anySeed(),
})
const command = `pnpm crash --kills ${kills} --each ${each} --shoppers ${shoppers} --seed ${seed}`
say(command)
const plan = crashPlan({ kills: Number(kills), each: Number(each) })
const report = await clusterRun({ seed: Number(seed), shoppers: Number(shoppers), plan, say })
const { folder } = report.facts
reportRun(report)
if (folder !== null) say(`The database is kept in ${folder}.`)
reportViolations(report.violations, 'Nothing was lost.', command)
