// Node prints the whole message of an uncaught error, which may hold what somebody typed. This logs the error without its
// message and then ends the process, as Node does.
import type { Log } from './log.ts'

export const exitOnCrash = (log: Log): void => {
  const logAndExit = (thrown: unknown): void => {
    try {
      log('crashed', { thrown })
    } finally {
      process.exit(1)
    }
  }
  process.on('uncaughtException', logAndExit)
  process.on('unhandledRejection', logAndExit)
  process.removeAllListeners('warning')
  process.on('warning', (thrown) => log('warned', { thrown }))
}
