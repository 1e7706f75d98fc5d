// The server as `pnpm start` runs it, except that it kills itself with SIGKILL when it passes a
// point of the fault table for the n-th time: KILL_AT names the point, KILL_ON is n.
import { serve } from '@plazo/server'
import { composeInMode, configFrom } from './config.ts'
import { atKillPoints, isKillPoint, type KillPoint } from './faults.ts'

const { KILL_AT, KILL_ON = '1' } = process.env
if (KILL_AT !== undefined && !isKillPoint(KILL_AT))
  throw new Error(`KILL_AT must be a kill point (got "${KILL_AT}").`)

const killSelf = (): never => {
  process.kill(process.pid, 'SIGKILL')
  // The signal arrives at once. If it ever did not, this loop ensures that nothing more happens.
  for (;;);
}

let passCount = 0
let isKilledAtCommit = false

const isKillDue = (point: KillPoint): boolean => {
  if (KILL_AT === point) passCount += 1
  return KILL_AT === point && passCount === Number(KILL_ON)
}

const config = configFrom(process.env)

const serving = await serve(config, undefined, {
  compose: composeInMode,
  ...atKillPoints((point) => {
    if (isKilledAtCommit || isKillDue(point)) killSelf()
    // The result is written in the very next commit. The process dies there.
    if (point === 'carried out' && isKillDue('settling')) isKilledAtCommit = true
  }),
})
process.stdout.write(`plazo is listening on ${serving.baseUrl}\n`)
for (const signal of ['SIGTERM', 'SIGINT'])
  process.on(signal, async () => {
    await serving.stop()
    process.exit(0)
  })
