// Repeats a task, with a pause after each run.
import type { Timers } from '@plazo/adapters/system'

export const startInterval = (
  timers: Timers,
  intervalMillis: number,
  run: () => Promise<unknown>,
): { readonly stop: () => void } => {
  let isStopped = false
  const schedule = () =>
    timers.after(intervalMillis, async () => {
      await run()
      if (!isStopped) next = schedule()
    })
  let next = schedule()
  return {
    stop: () => {
      isStopped = true
      next.cancel()
    },
  }
}
