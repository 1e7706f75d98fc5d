// Runs worlds of a hundred orders each, with one seed after another, until there were enough orders or a law is broken.

import { addTallies, type Tally, type Violation } from './event-log.ts'
import { type Shrunk, shrink } from './shrink.ts'
import { runWorld, type WorldOptions } from './world.ts'

type SimulationOptions = Pick<WorldOptions, 'faults' | 'store'> & {
  /** Seed of the first world. Each further world uses the next seed. */
  readonly seed: number
  /** The numbers of a single world's orders. Null runs `count` orders, in as many worlds as needed. */
  readonly only: readonly number[] | null
  readonly count: number
  readonly onWorld?: (progress: Progress) => void
}

type Progress = {
  readonly seed: number
  readonly orders: number
  readonly steps: number
  /** Milliseconds of simulated time. */
  readonly lasted: number
  readonly tally: Tally
}

type Failure = { readonly seed: number; readonly violation: Violation; readonly shrunk: Shrunk }

type SimulationResult = Progress & {
  readonly worlds: number
  /** The digest of every world, in order. */
  readonly digests: readonly string[]
  readonly failure: Failure | null
}

const ORDERS_IN_A_WORLD = 100

export const simulate = async (options: SimulationOptions): Promise<SimulationResult> => {
  const { seed: first, only, count, faults, store, onWorld } = options
  const digests: string[] = []
  let progress: Progress = { seed: first, orders: 0, steps: 0, lasted: 0, tally: {} }
  const target = only?.length ?? count
  for (let seed = first; progress.orders < target; seed++) {
    const size = Math.min(ORDERS_IN_A_WORLD, target - progress.orders)
    const orders = only ?? Array.from({ length: size }, (_, number) => number)
    const world: WorldOptions = { seed, orders, faults, ...(store && { store }) }
    const outcome = await runWorld(world)
    digests.push(outcome.digest)
    progress = {
      seed,
      orders: progress.orders + orders.length,
      steps: progress.steps + outcome.steps,
      lasted: progress.lasted + outcome.lasted,
      tally: addTallies(progress.tally, outcome.tally),
    }
    onWorld?.(progress)
    const [violation] = outcome.violations
    if (violation !== undefined)
      return {
        ...progress,
        worlds: digests.length,
        digests,
        failure: { seed, violation, shrunk: await shrink(world, outcome, violation.law) },
      }
  }
  return { ...progress, worlds: digests.length, digests, failure: null }
}
