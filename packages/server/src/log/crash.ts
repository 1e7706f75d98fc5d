// Node prints the whole message of an uncaught error, which may hold what somebody typed. This logs the error without its
// message and then ends the process, as Node does.
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
