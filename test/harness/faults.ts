// The fault table of crash, cluster and simulation runs: the points at which a process can be
// killed, and how long each fault of the simulation lasts.

/** The points that a server passes itself. It can be killed at the n-th pass. */
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

export const isKillPoint = (name: string): name is KillPoint =>
  KILL_POINTS.some((point) => point === name)

/**
 * The test seams of a server, as they call `onPoint` at every pass of a point except `settling`.
 */
export const atKillPoints = (onPoint: (point: Exclude<KillPoint, 'settling'>) => void) => ({
  onCommit: (moment: 'before' | 'after'): void =>
    onPoint(moment === 'before' ? 'before the commit' : 'after the commit'),
  onMoment: (moment: 'claimed' | 'carried out'): void =>
    onPoint(moment === 'claimed' ? 'after a claim' : moment),
})

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/**
 * What can happen in the simulation, with the milliseconds that it may last, or by which a clock is
 * moved.
 */
export const SIMULATED_FAULTS = {
  /**
   * The process dies at this instant, or at its next pass of one of these points, and restarts
   * afterwards.
   */
  crash: [50, SECOND, 20 * SECOND, 10 * MINUTE],
  'before the commit': [50, SECOND, 5 * SECOND],
  'after the commit': [50, SECOND, 5 * SECOND],
  'after a claim': [50, SECOND, 40 * SECOND],
  'carried out': [50, SECOND, 40 * SECOND],
  /** On SIGTERM it finishes what is in flight. */
  restart: [50, SECOND],
  /** The whole process stops running for a while. */
  freeze: [5 * SECOND, 70 * SECOND, 200 * SECOND],
  'slow disk': [MINUTE, 5 * MINUTE],
  'full disk': [5 * SECOND, 2 * MINUTE],
  'failing commits': [SECOND, 40 * SECOND, 2 * MINUTE],
  /** The machine's clock is set forward or back. */
  'clock jump': [-2 * SECOND, -MINUTE, 30 * SECOND, 20 * MINUTE, 3 * HOUR],
  /** Many messages between all parties are lost. */
  'bad network': [MINUTE, 20 * MINUTE, 3 * HOUR],
  /** The providers fail, hang, and lose their answers. */
  'providers fail': [30 * SECOND, 10 * MINUTE, 2 * HOUR],
} satisfies { readonly [kind: string]: readonly [number, ...number[]] }

export type SimulatedFault = keyof typeof SIMULATED_FAULTS
