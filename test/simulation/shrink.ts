// Finds the shortest story that still breaks a law: leaves out orders and faults, as many as possible at a time, and runs the
// world again from its seed.
import { FAULTS, type Outcome, runWorld, type WorldOptions } from './world.ts'

export type Shrunk = {
  readonly orders: readonly number[]
  readonly faults: readonly number[]
  readonly outcome: Outcome
  readonly replays: number
}

const REPLAYS_AT_MOST = 80

/** `law`: the law that must still be broken. */
export const shrink = async (options: WorldOptions, outcome: Outcome, law: string): Promise<Shrunk> => {
  let replays = 0
  let best = {
    orders: options.orders,
    faults: options.faults ?? Array.from({ length: FAULTS }, (_, number) => number),
    outcome,
  }

  const stillBreaks = async (orders: readonly number[], faults: readonly number[]): Promise<boolean> => {
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
    for (let size = Math.ceil(all().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
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
