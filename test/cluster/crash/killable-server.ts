// The server as `pnpm start` runs it, except that it kills itself with SIGKILL when it passes a named point for the n-th time.
// DIE_AT names the point, DIE_ON is n. Without them it keeps running.
import { readConfig, serve } from '@plazo/server'
import * as E from 'fp-ts/lib/Either.js'
import { isKillPoint, type PlannedKill } from './kill-points.ts'

const killSelf = (): never => {
  process.kill(process.pid, 'SIGKILL')
  // The signal arrives at once. If it ever did not, this loop ensures that nothing more happens.
  for (;;);
}

const plannedKillIn = ({ DIE_AT, DIE_ON }: NodeJS.ProcessEnv): PlannedKill | null => {
  if (DIE_AT === undefined) return null
  if (!isKillPoint(DIE_AT)) throw new Error(`DIE_AT is ${DIE_AT}, which is no point of the server's.`)
  return { at: DIE_AT, on: Number(DIE_ON ?? 1) }
}

const plannedKill = plannedKillIn(process.env)
let passCount = 0

const isKillDue = (at: PlannedKill['at']): boolean => {
  if (plannedKill?.at === at) passCount += 1
  return plannedKill?.at === at && passCount === plannedKill.on
}

let isKilledAtCommit = false

const config = readConfig(process.env)
if (E.isLeft(config)) throw new Error(config.left.join('\n'))

const serving = await serve(config.right, undefined, {
  // As in a server that has been running for a while.
  threadAfterJobs: 0,
  onCommit: (moment) => {
    if (isKilledAtCommit || isKillDue(moment === 'before' ? 'before the commit' : 'after the commit')) killSelf()
  },
  onMoment: (moment) => {
    if (moment === 'claimed') {
      if (isKillDue('after a claim')) killSelf()
      return
    }
    if (isKillDue('carried out')) killSelf()
    // The result is written in the very next commit. The process dies there.
    if (isKillDue('settling')) isKilledAtCommit = true
  },
})
process.stdout.write(`plazo is listening on ${serving.baseUrl}\n`)
process.on('SIGTERM', async () => {
  await serving.stop()
  process.exit(0)
})
