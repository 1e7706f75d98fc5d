// Timers that stand still until a test moves them, so that no test waits for real time.
import type { Timers } from '@plazo/adapters/system'

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
