// Time in tests: wait for a condition that background work fulfils, or move timers by hand instead
// of waiting.
import type { Timers } from '@plazo/adapters/internal/system'

const PATIENCE = 30_000

export const waitUntil = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = Date.now() + PATIENCE; !(await condition()); ) {
    if (Date.now() > end)
      throw new Error(`It did not come about within ${PATIENCE / 1000} s: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export const handTimers = () => {
  let now = 0
  let waiting: readonly { readonly at: number; readonly call: () => void }[] = []
  const timers: Timers = {
    realNow: () => now,
    monotonicNow: () => now,
    after: (millis, call) => {
      const timer = { at: now + millis, call }
      waiting = [...waiting, timer]
      const cancel = () => {
        waiting = waiting.filter((each) => each !== timer)
      }
      return { cancel }
    },
    soon: setImmediate,
  }
  /** Calls each timer at its own time, those too that are set on the way. */
  const move = (millis: number): void => {
    const until = now + millis
    for (;;) {
      const [next] = waiting.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)
      if (next === undefined) break
      waiting = waiting.filter((each) => each !== next)
      now = next.at
      next.call()
    }
    now = until
  }
  return { timers, move, count: () => waiting.length }
}
