// Moves the sandbox's clock forward from one due effect to the next, so that everything happens in
// order and at its own time, however many shops do not answer. Sandbox rules, Clock.
import type { Dispatcher } from '@plazo/adapters/host'
import type { TestClock } from '@plazo/adapters/sandbox'
import { type CancelableTimer, systemTimers, type Timers } from '@plazo/adapters/system'
import { type FullStore, type Job, queueNameOf, type Unavailable } from '@plazo/core/ports'
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

// Thousands of orders have a job due every few milliseconds. Each stop costs some commits, one
// after another. So after its first stops, a long move takes steps of a second at least, and jobs
// that are due within a step run together, in their order.
const EXACT_STOPS = 100
const STEP_MIN = 1_000

// Real milliseconds that a move waits for silent shops: a bit less than the eight seconds of the rule,
// because the end of a wait is noticed up to a tenth late. A wait takes half of what is left, so that
// the first one includes slow shops. The rest is for short waits, so that a move that has met many
// silent shops still waits for those that answer.
const SILENCE_MAX = 7_000
const SHORT_WAITS = 2_000
const SHORT_WAIT = 10

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

type ClockParts = {
  readonly clock: TestClock
  readonly store: Pick<FullStore, 'nextDueAt'>
  readonly dispatcher: Pick<Dispatcher, 'drain' | 'hurry' | 'isRunning' | 'wake'>
  readonly firedJobs: Pick<ReturnType<typeof createFiredJobs>, 'begin' | 'end'>
  readonly timers?: Pick<Timers, 'after'>
}

type WaitUntilIdle = () => Promise<E.Either<Unavailable, number | null>>

/**
 * For one move: waits until nothing due is left to run, and all shops have answered that are not
 * silent. Resolves to when the next job is due. A job that was due before and still waits cannot run
 * now, so it does not hold up the clock.
 */
const waitsOfMove = ({
  clock,
  store,
  dispatcher,
  timers = systemTimers,
}: ClockParts): WaitUntilIdle => {
  let budget = SILENCE_MAX
  const silent = new Set<string>()

  return async () => {
    const before = clock.now()
    const patience = Math.min(budget, Math.max(SHORT_WAIT, (budget - SHORT_WAITS) / 2))
    const isSilent = ({ payload, startedAt }: Job): boolean =>
      queueNameOf(payload.kind) !== 'work' && clock.now() - startedAt >= patience
    // The dispatcher asks who is silent when it is woken.
    const wakeLater = (): CancelableTimer =>
      timers.after(patience / 10, () => {
        dispatcher.wake()
        timer = wakeLater()
      })
    let timer = wakeLater()
    const attempts = await dispatcher.drain(isSilent)
    timer.cancel()
    // A busy machine notices late that a wait is over. Jobs that take long are not charged for.
    if (attempts.some(({ token }) => !silent.has(token)))
      budget = Math.max(0, budget - Math.min(4 * patience, clock.now() - before))
    for (const { token } of attempts) silent.add(token)
    return dispatcher.isRunning() ? store.nextDueAt(before)() : STOPPING
  }
}

export const controlTestClock = (parts: ClockParts) => {
  const { clock, dispatcher, firedJobs } = parts
  let current: { to: number; readonly fired: readonly FiredJob[] } | null = null

  const run = async (
    millis: number,
    waitUntilIdle: WaitUntilIdle,
  ): Promise<E.Either<Unavailable, unknown>> => {
    if (current !== null) current.to = clock.now() + millis
    let millisLeft = millis
    for (let stops = 0; ; stops += 1) {
      const next = await waitUntilIdle()
      if (E.isLeft(next) || millisLeft <= 0) return next
      const wait = (next.right ?? Number.POSITIVE_INFINITY) - clock.now()
      const shortest = stops < EXACT_STOPS ? 0 : STEP_MIN
      const step = Math.min(millisLeft, Math.max(wait, shortest))
      const moved = await clock.advance(step)()
      if (E.isLeft(moved)) return moved
      millisLeft -= step
    }
  }

  /**
   * Null while another move runs. Resolves to what fired, once the clock has arrived. Left,
   * somewhere on the way, if the store does not answer or the server stops.
   */
  const collectFired = (
    move: (waitUntilIdle: WaitUntilIdle) => Promise<E.Either<Unavailable, unknown>>,
  ): AdvanceInProgress | null => {
    if (current !== null) return null
    const fired = firedJobs.begin()
    current = { to: clock.now(), fired }
    dispatcher.hurry(true)
    return (
      move(waitsOfMove(parts))
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
    advance: (millis: number) => collectFired((waitUntilIdle) => run(millis, waitUntilIdle)),
    /** Moves the clock to the next instant at which a job is due. If there is none, the clock stays. */
    advanceToNext: () =>
      collectFired(async (waitUntilIdle) => {
        const next = await waitUntilIdle()
        return E.isLeft(next) || next.right === null
          ? next
          : run(Math.max(0, next.right - clock.now()), waitUntilIdle)
      }),
  }
}
