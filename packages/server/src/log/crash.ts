// An error that nobody catches ends the process, as Node has it, but for its message: Node would print that whole.
import type { Log } from './log.ts'

export const endOnCrash = (log: Log): void => {
  const end = (thrown: unknown): void => {
    try {
      log('crashed', { thrown })
    } finally {
      process.exit(1)
    }
  }
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
  process.removeAllListeners('warning')
  process.on('warning', (thrown) => log('warned', { thrown }))
}
