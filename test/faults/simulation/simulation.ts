// Runs worlds of a hundred orders each, with one seed after another, until there were enough orders
// or a law is broken. Then it leaves out orders and faults, and runs the world again from its seed,
// to find the shortest story that still breaks the law.
import { addTallies, formatEvents, type Tally, type Violation } from './event-log.ts'
import { FAULTS, type Outcome, runWorld, type WorldOptions } from './world.ts'

type SimulationOptions = Pick<WorldOptions, 'faults' | 'store'> & {
  /** Seed of the first world. Each further world uses the next seed. */
  readonly seed: number
  /**
   * The numbers of a single world's orders. Null runs `count` orders, in as many worlds as needed.
   */
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
  readonly failure: Failure | null
}

const ORDERS_IN_A_WORLD = 100

export const simulate = async (options: SimulationOptions): Promise<SimulationResult> => {
  const { seed: first, only, count, faults, store, onWorld } = options
  let worlds = 0
  let progress: Progress = { seed: first, orders: 0, steps: 0, lasted: 0, tally: {} }
  const target = only?.length ?? count
  for (let seed = first; progress.orders < target; seed++) {
    const size = Math.min(ORDERS_IN_A_WORLD, target - progress.orders)
    const orders = only ?? Array.from({ length: size }, (_, number) => number)
    const world: WorldOptions = { seed, orders, faults, ...(store && { store }) }
    const outcome = await runWorld(world)
    worlds += 1
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
        worlds,
        failure: { seed, violation, shrunk: await shrink(world, outcome, violation.law) },
      }
  }
  return { ...progress, worlds, failure: null }
}

type Shrunk = {
  readonly orders: readonly number[]
  readonly faults: readonly number[]
  readonly outcome: Outcome
  readonly replays: number
}

const REPLAYS_AT_MOST = 80

/**
 * The shortest story that still breaks the law: leaves out orders and faults, as many as possible
 * at a time.
 */
const shrink = async (options: WorldOptions, outcome: Outcome, law: string): Promise<Shrunk> => {
  let replays = 0
  let best = {
    orders: options.orders,
    faults: options.faults ?? Array.from({ length: FAULTS }, (_, number) => number),
    outcome,
  }

  const stillBreaks = async (
    orders: readonly number[],
    faults: readonly number[],
  ): Promise<boolean> => {
    if (replays >= REPLAYS_AT_MOST) return false
    replays += 1
    const replayed = await runWorld({ ...options, orders, faults })
    if (!replayed.violations.some((violation) => violation.law === law)) return false
    best = { orders, faults, outcome: replayed }
    return true
  }

  /** Leaves out halves, then quarters, and so on, down to one at a time. */
  const without = async (
    all: () => readonly number[],
    tried: (rest: readonly number[]) => Promise<boolean>,
  ): Promise<void> => {
    for (
      let size = Math.ceil(all().length / 2);
      size >= 1;
      size = size === 1 ? 0 : Math.ceil(size / 2)
    )
      for (let from = 0; from < all().length; ) {
        const rest = [...all().slice(0, from), ...all().slice(from + size)]
        if (rest.length === all().length || !(await tried(rest))) from += size
      }
  }

  const culprit = outcome.violations.find((violation) => violation.law === law)?.order ?? null
  if (culprit !== null && best.orders.length > 1) await stillBreaks([culprit], best.faults)
  await stillBreaks(best.orders, [])
  await without(
    () => best.orders,
    async (rest) => rest.length > 0 && (await stillBreaks(rest, best.faults)),
  )
  await without(
    () => best.faults,
    (rest) => stillBreaks(best.orders, rest),
  )
  return { ...best, replays }
}

/** The command that replays the same story. */
const replayCommand = (
  seed: number,
  orders: readonly number[],
  faults: readonly number[],
): string =>
  `pnpm simulate --seed ${seed} --only ${orders.join(',')} --faults ${faults.length === 0 ? 'none' : faults.join(',')}`

/** The story of a failure, and the command to replay it. */
export const failureText = ({ seed, violation: { law }, shrunk }: Failure): string => {
  const { orders, faults, outcome, replays } = shrunk
  return [
    `Seed ${seed} breaks a law: ${law}`,
    ...outcome.violations.map(
      ({ law: broken, order, sentence }) =>
        `  ${broken}${order === null ? '' : ` (order ${order})`}: ${sentence}`,
    ),
    '',
    `The shortest story found, after ${replays} replays: ${orders.length} orders, ${faults.length} faults.`,
    formatEvents(outcome.lines, new Set(orders)),
    '',
    'To see it again:',
    `  ${replayCommand(seed, orders, faults)}`,
  ].join('\n')
}
