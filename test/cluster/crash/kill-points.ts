// The points at which the server is killed. The server passes these five itself. The sixth, after a request was sent and before
// its answer is read, is triggered by the receiver.

export const KILL_POINTS = [
  /** Inside the transaction. */
  'before the commit',
  /** Before any reply that waits for the commit. */
  'after the commit',
  /** A job is claimed but not started. */
  'after a claim',
  /** The job has run and its result is known, but nothing of it is written. */
  'carried out',
  /** The result is written but not committed. */
  'settling',
] as const

export type KillPoint = (typeof KILL_POINTS)[number]

export type PlannedKill = { readonly at: KillPoint; readonly on: number }

export const isKillPoint = (name: string): name is KillPoint => KILL_POINTS.some((point) => point === name)
