// Repeats a task, with a pause after each run.
import type { Timers } from '@plazo/adapters/system'

export const repeating = (
  timers: Timers,
  every: number,
  run: () => Promise<unknown>,
): { readonly stop: () => void } => {
  let isStopped = false
  const later = () =>
    timers.after(every, async () => {
      await run()
      if (!isStopped) next = later()
    })
  let next = later()
  return {
    stop: () => {
      isStopped = true
      next.cancel()
    },
  }
}
