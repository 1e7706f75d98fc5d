// The server as `pnpm start` runs it, except that it kills itself with SIGKILL when it passes a named point for the n-th time.
// DIE_AT names the point, DIE_ON is n. Without them it keeps running.
import { readConfig, serve } from '@plazo/server'
import * as E from 'fp-ts/lib/Either.js'
import { type Death, isDeathPoint } from './death.ts'

const die = (): never => {
  process.kill(process.pid, 'SIGKILL')
  // The signal arrives at once. If it ever did not, this loop ensures that nothing more happens.
  for (;;);
}

const deathIn = ({ DIE_AT, DIE_ON }: NodeJS.ProcessEnv): Death | null => {
  if (DIE_AT === undefined) return null
  if (!isDeathPoint(DIE_AT)) throw new Error(`DIE_AT is ${DIE_AT}, which is no point of the server's.`)
  return { at: DIE_AT, on: Number(DIE_ON ?? 1) }
}

const death = deathIn(process.env)
let passed = 0

const passing = (at: Death['at']): boolean => {
  if (death?.at === at) passed += 1
  return death?.at === at && passed === death.on
}

let isSettling = false

const config = readConfig(process.env)
if (E.isLeft(config)) throw new Error(config.left.join('\n'))

const serving = await serve(config.right, undefined, {
  // As in a server that has been running for a while.
  threadAfterJobs: 0,
  onCommit: (moment) => {
    if (isSettling || passing(moment === 'before' ? 'before the commit' : 'after the commit')) die()
  },
  onMoment: (moment) => {
    if (moment === 'claimed') {
      if (passing('after a claim')) die()
      return
    }
    if (passing('carried out')) die()
    // The result is written in the very next commit. The process dies there.
    if (passing('settling')) isSettling = true
  },
})
process.stdout.write(`plazo is listening on ${serving.baseUrl}\n`)
process.on('SIGTERM', async () => {
  await serving.stop()
  process.exit(0)
})
