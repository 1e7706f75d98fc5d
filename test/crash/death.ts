// The points at which the server is killed. Five it passes by itself; the one after a request has been sent and before
// its answer is heard lies with the receiver.

export const DEATH_POINTS = [
  /** Inside the transaction. */
  'before the commit',
  /** And before any reply that waits for it. */
  'after the commit',
  /** An effect is claimed, and not begun. */
  'after a claim',
  /** The effect is carried out and its answer known; nothing of it is written. */
  'carried out',
  /** What came of it is written and not committed. */
  'settling',
] as const

export type DeathPoint = (typeof DEATH_POINTS)[number]

export type Death = { readonly at: DeathPoint; readonly on: number }

export const isDeathPoint = (name: string): name is DeathPoint => DEATH_POINTS.some((point) => point === name)
