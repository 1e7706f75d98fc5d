// Plans the kills, and performs one: starts the server, lets it work, and kills it where the plan says.
import { setTimeout as pause } from 'node:timers/promises'
import { DEATH_POINTS, type DeathPoint } from './death.ts'
import type { Receivers } from './merchants.ts'
import { type Home, type Life, startLife } from './mortal-process.ts'
import type { Seeded } from './seeded.ts'

/** Where a kill can happen: at any moment, during the start, at a point of the server, or while the receiver has a request. */
export type KillAt = 'a random moment' | 'the start' | DeathPoint | 'the receiver'

export const NAMED: readonly KillAt[] = [...DEATH_POINTS, 'the receiver']

type KillParts = {
  readonly home: Home
  readonly receivers: Receivers
  readonly plan: Seeded
  readonly onViolation: (what: string) => void
  readonly onLife: (life: Life) => void
}

const MOMENT = 1_000
const STARTING = 700
const POINT_WITHIN = 15_000

const isServers = (at: KillAt): at is DeathPoint => DEATH_POINTS.some((point) => point === at)

/** One in ten of the kills at random moments happens while the server starts. */
export const plannedKills = (
  plan: Seeded,
  kills: number,
  each: number,
  points: readonly KillAt[],
): readonly KillAt[] => {
  const starts = Math.floor(kills / 10)
  return plan.shuffled<KillAt>([
    ...Array<KillAt>(kills - starts).fill('a random moment'),
    ...Array<KillAt>(starts).fill('the start'),
    ...points.flatMap((point) => Array<KillAt>(each).fill(point)),
  ])
}

// Kill at the n-th pass of a point: sometimes at once, mostly during the work.
const passes = ({ below }: Seeded): number => 1 + below(below(2) === 0 ? 5 : 60)

/** False if the point was not reached, and the server was killed while it waited. */
export const killOnce = async (
  { home, receivers, plan, onViolation, onLife }: KillParts,
  at: KillAt,
): Promise<boolean> => {
  const life = startLife(home, isServers(at) ? { at, on: passes(plan) } : null)
  onLife(life)
  const starting = plan.below(STARTING)
  const moment = plan.below(MOMENT)
  const request = 1 + plan.below(8)
  const isDead = life.ended.then(() => true)
  if (at === 'the start') {
    await Promise.race([pause(starting), isDead])
    life.kill()
  } else if (await life.isListening) {
    if (at === 'a random moment') await Promise.race([pause(moment), isDead]).then(life.kill)
    else if (at === 'the receiver') receivers.onRequest(request, life.kill)
  }
  let isThere = true
  const patience = new AbortController()
  const waited = pause(POINT_WITHIN, undefined, { signal: patience.signal }).then(
    () => {
      isThere = false
      life.kill()
    },
    () => {},
  )
  await Promise.race([isDead, waited])
  patience.abort()
  receivers.onRequest(0, () => {})
  const ended = await life.ended
  if (ended !== 'SIGKILL') onViolation(`The server ended by itself, with ${ended}:\n${life.output()}`)
  if (life.hasErred()) onViolation(`The server logged an error:\n${life.output()}`)
  return isThere
}
