// Moves the sandbox's clock forward from one due effect to the next, so that everything happens in
// order and at its own time. Sandbox rules, Clock.
import type { Dispatcher } from '@plazo/adapters/host'
import type { TestClock } from '@plazo/adapters/sandbox'
import { systemTimers, type Timers } from '@plazo/adapters/system'
import type { FullStore, Job, QueueStats, Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { Advanced, ClockView } from '../protocol.ts'

type FiredJob = Advanced['fired'][number]

type AdvanceInProgress = Promise<E.Either<Unavailable, Advanced>>

export type TestClockControl = ReturnType<typeof controlTestClock>

const describeJob = ({ payload }: Job): string => {
  switch (payload.kind) {
    case 'timer':
      return `timer ${payload.timer.slice(0, payload.timer.indexOf('.'))}`
    case 'event':
      return `event ${payload.event}`
    default:
      return payload.kind
  }
}

/** Null if no job is waiting. */
const earliestDueAt = ({ nextDueAt }: QueueStats): number | null => {
  const instants = Object.values(nextDueAt).filter((at) => at !== null)
  return instants.length === 0 ? null : Math.min(...instants)
}

/** Real milliseconds. */
const RETRY_INTERVAL = 20

// Thousands of orders have a job due every few milliseconds. Each stop costs some commits, one
// after another, so a long move takes longer steps: after its first stops, jobs that are due within
// a second run together, in their order.
const EXACT_STOPS = 100
/** Milliseconds that the shortest step grows with each further stop, and its limit. */
const STEP_GROWTH = 10
const STEP_MIN_LIMIT = 1_000

const STOPPING: E.Either<Unavailable, never> = E.left({
  _tag: 'Unavailable',
  code: 'unknown',
  message: 'the server stops',
})

/** The jobs that run while the clock moves. */
export const createFiredJobs = () => {
  let jobs: FiredJob[] | null = null
  return {
    /** Starts a list, to which each job that runs is added until `end`. */
    begin: (): readonly FiredJob[] => {
      jobs = []
      return jobs
    },
    end: (): void => {
      jobs = null
    },
    /** Call it for every job that was run. */
    record: (job: Job): void => {
      jobs?.push({
        at: new Date(job.startedAt).toISOString(),
        order_ref: job.orderRef,
        what: describeJob(job),
      })
    },
  }
}

export const controlTestClock = (
  clock: TestClock,
  store: Pick<FullStore, 'queueStats'>,
  dispatcher: Pick<Dispatcher, 'drain' | 'hurry' | 'inFlight' | 'isRunning'>,
  firedJobs: Pick<ReturnType<typeof createFiredJobs>, 'begin' | 'end'>,
  timers: Pick<Timers, 'after'> = systemTimers,
) => {
  let current: { to: number; readonly fired: readonly FiredJob[] } | null = null

  const pause = (): Promise<void> => new Promise((resolve) => timers.after(RETRY_INTERVAL, resolve))

  /**
   * Resolves once nothing due is in flight, on this server or another, to the time when the next
   * job becomes due.
   */
  const waitUntilIdle = async (): Promise<E.Either<Unavailable, number | null>> => {
    for (;;) {
      await dispatcher.drain()
      const stats = await store.queueStats()()
      if (E.isLeft(stats)) return stats
      // Nothing fires any more: the rest of the way is left to the next server.
      if (!dispatcher.isRunning()) return STOPPING
      // Jobs that began here since then were caused in the meantime: shoppers who go on do not hold
      // up the clock.
      if (stats.right.inFlight <= dispatcher.inFlight()) return E.right(earliestDueAt(stats.right))
      await pause()
    }
  }

  const run = async (millis: number): Promise<E.Either<Unavailable, unknown>> => {
    if (current !== null) current.to = clock.now() + millis
    let overdueSince: number | null = null
    for (let millisLeft = millis, stops = 0; ; stops += 1) {
      const before = clock.now()
      const next = await waitUntilIdle()
      if (E.isLeft(next)) return next
      const dueAt = next.right
      const wait = dueAt === null ? Number.POSITIVE_INFINITY : dueAt - clock.now()
      // Jobs that became due since the drain began are run before the clock moves on. A job that
      // was due by then and is still there after another drain cannot run now, and does not hold up
      // the clock.
      if (dueAt !== null && wait <= 0 && (dueAt >= before || dueAt !== overdueSince)) {
        // Another server may be writing the job's order at this moment.
        if (dueAt < before) await pause()
        overdueSince = dueAt
        continue
      }
      overdueSince = null
      const shortest = Math.min(STEP_MIN_LIMIT, (stops - EXACT_STOPS) * STEP_GROWTH)
      const step = wait <= 0 ? millisLeft : Math.min(millisLeft, Math.max(wait, shortest))
      const moved = await clock.advance(step)()
      millisLeft -= step
      if (E.isLeft(moved)) return moved
      if (millisLeft <= 0) return waitUntilIdle()
    }
  }

  const runToNext = async (): Promise<E.Either<Unavailable, unknown>> => {
    const next = await waitUntilIdle()
    return E.isLeft(next) || next.right === null ? next : run(Math.max(0, next.right - clock.now()))
  }

  /**
   * Null while another move runs. Resolves to what fired, once the clock has arrived. Left,
   * somewhere on the way, if the store does not answer or the server stops.
   */
  const collectFired = (
    move: () => Promise<E.Either<Unavailable, unknown>>,
  ): AdvanceInProgress | null => {
    if (current !== null) return null
    const fired = firedJobs.begin()
    current = { to: clock.now(), fired }
    dispatcher.hurry(true)
    return (
      move()
        .finally(() => {
          current = null
          firedJobs.end()
          dispatcher.hurry(false)
        })
        // Jobs that began together may have ended in another order.
        .then(
          E.map(() => ({
            now: new Date(clock.now()).toISOString(),
            fired: fired.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
          })),
        )
    )
  }

  return {
    /** The time, and how far the move is that runs now. */
    view: (): ClockView => ({
      now: new Date(clock.now()).toISOString(),
      ...(current && {
        moving: { to: new Date(current.to).toISOString(), fired: current.fired.length },
      }),
    }),
    now: clock.now,
    /** Moves forward to the time that another server has set. */
    catchUp: (): Promise<E.Either<Unavailable, void>> => clock.catchUp(),
    advance: (millis: number) => collectFired(() => run(millis)),
    /** Moves the clock to the next instant at which a job is due. If there is none, the clock stays. */
    advanceToNext: () => collectFired(runToNext),
  }
}

/** Repeats a task, with a pause after each run. */
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
