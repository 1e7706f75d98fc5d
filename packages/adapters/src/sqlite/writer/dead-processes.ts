// Ends the leases of processes that have died on this machine. Without it, their jobs would wait until the leases expire.
import type { Database } from '../schema/database.ts'

const isProcessGone = (pid: number): boolean => {
  // Our own pid in an old claim belongs to an earlier process: this one has claimed nothing yet.
  if (pid === process.pid) return true
  try {
    process.kill(pid, 0)
    return false
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'ESRCH'
  }
}

/** Call it within a transaction. The next claim takes over the jobs. */
export const prepareReclaim = (db: Database): (() => void) => {
  const claimTokens = db.prepare<[], string>(`select token from outbox where state = 'claimed'`).pluck()
  const expireLease = db.prepare(`update outbox set lease_until = 0 where state = 'claimed' and token = ?`)
  return () => {
    const tokens = Map.groupBy(claimTokens.all(), (token) => Number.parseInt(token, 10))
    for (const [pid, ofProcess] of tokens) if (isProcessGone(pid)) for (const token of ofProcess) expireLease.run(token)
  }
}
