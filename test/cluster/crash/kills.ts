// Plans the kills, and performs one: starts the server, lets it work, and kills it where the plan says.
import { setTimeout as pause } from 'node:timers/promises'
import type { MerchantsOnSockets } from '../../harness/merchants.ts'
import type { SeededRandom } from '../../harness/seeded-random.ts'
import { KILL_POINTS, type KillPoint } from './kill-points.ts'
import { type ServerLocation, type ServerProcess, startServerProcess } from './server-process.ts'

/** Where a kill can happen: at any moment, during the start, at a point of the server, or while the receiver has a request. */
export type KillAt = 'a random moment' | 'the start' | KillPoint | 'the receiver'

export const ALL_KILL_POINTS: readonly KillAt[] = [...KILL_POINTS, 'the receiver']

type KillParts = {
  readonly home: ServerLocation
  readonly merchants: MerchantsOnSockets
  readonly plan: SeededRandom
  readonly onViolation: (what: string) => void
  readonly onServerStart: (server: ServerProcess) => void
}

const MOMENT = 1_000
const STARTING = 700
const POINT_WITHIN = 15_000

const isServerPoint = (at: KillAt): at is KillPoint => KILL_POINTS.some((point) => point === at)

/** One in ten of the kills at random moments happens while the server starts. */
export const plannedKills = (
  plan: SeededRandom,
  kills: number,
  each: number,
  points: readonly KillAt[],
): readonly KillAt[] => {
  const starts = Math.floor(kills / 10)
  return plan.shuffle<KillAt>([
    ...Array<KillAt>(kills - starts).fill('a random moment'),
    ...Array<KillAt>(starts).fill('the start'),
    ...points.flatMap((point) => Array<KillAt>(each).fill(point)),
  ])
}

// Kill at the n-th pass of a point: sometimes at once, mostly during the work.
const drawPassCount = ({ below }: SeededRandom): number => 1 + below(below(2) === 0 ? 5 : 60)

/** False if the point was not reached, and the server was killed while it waited. */
export const killOnce = async (
  { home, merchants, plan, onViolation, onServerStart: onLife }: KillParts,
  at: KillAt,
): Promise<boolean> => {
  const server = startServerProcess(home, isServerPoint(at) ? { at, on: drawPassCount(plan) } : null)
  onLife(server)
  const starting = plan.below(STARTING)
  const moment = plan.below(MOMENT)
  const request = 1 + plan.below(8)
  const isDead = server.ended.then(() => true)
  if (at === 'the start') {
    await Promise.race([pause(starting), isDead])
    server.kill()
  } else if (await server.isListening) {
    if (at === 'a random moment') await Promise.race([pause(moment), isDead]).then(server.kill)
    else if (at === 'the receiver') merchants.onRequest(request, server.kill)
  }
  let wasReached = true
  const patience = new AbortController()
  const waited = pause(POINT_WITHIN, undefined, { signal: patience.signal }).then(
    () => {
      wasReached = false
      server.kill()
    },
    () => {},
  )
  await Promise.race([isDead, waited])
  patience.abort()
  merchants.onRequest(0, () => {})
  const ended = await server.ended
  if (ended !== 'SIGKILL') onViolation(`The server ended by itself, with ${ended}:\n${server.output()}`)
  if (server.hasLoggedError()) onViolation(`The server logged an error:\n${server.output()}`)
  return wasReached
}
