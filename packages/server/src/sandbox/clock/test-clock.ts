// Moves the sandbox's clock forward from one due effect to the next, so that everything happens in
// order and at its own time, however many shops do not answer. Sandbox rules, Clock.
import type { Dispatcher } from '@plazo/adapters/internal/host'
import type { TestClock } from '@plazo/adapters/internal/sandbox'
import { type CancelableTimer, systemTimers, type Timers } from '@plazo/adapters/internal/system'
import { type FullStore, type Job, queueNameOf } from '@plazo/core/internal'
import { refused, value } from '@plazo/server/internal'
import type { Advanced, ClockView } from '../protocol.ts'

type FiredJob = Advanced['fired'][number]

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

export const BEING_ADVANCED = 'The clock is already being advanced.'

const isoOf = (at: number): string => new Date(at).toISOString()

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

type ClockParts = {
  readonly clock: TestClock
  readonly store: Pick<FullStore, 'nextDueAt'>
  readonly dispatcher: Pick<Dispatcher, 'drain' | 'hurry' | 'isRunning' | 'wake'>
  readonly timers?: Pick<Timers, 'after'>
}

/**
 * For one move: waits until nothing due is left to run, and all shops have answered that are not
 * silent. Resolves to when the next job is due. A job that was due before and still waits cannot run
 * now, so it does not hold up the clock.
 */
const waitsOfMove = ({ clock, store, dispatcher, timers = systemTimers }: ClockParts) => {
  let budget = SILENCE_MAX
  const silent = new Set<string>()

  return async (): Promise<number | null> => {
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
    if (!dispatcher.isRunning()) throw refused(503, 'The server stops.')
    return value(store.nextDueAt(before))
  }
}

export const controlTestClock = (parts: ClockParts) => {
  const { clock, dispatcher } = parts
  let current: { to: number; readonly fired: FiredJob[] } | null = null

  const run = async (move: { to: number }, millis: number | null): Promise<void> => {
    const waitUntilIdle = waitsOfMove(parts)
    let next = await waitUntilIdle()
    let millisLeft = millis ?? Math.max(0, (next ?? 0) - clock.now())
    move.to = clock.now() + millisLeft
    for (let stops = 0; millisLeft > 0; stops += 1) {
      const wait = (next ?? Number.POSITIVE_INFINITY) - clock.now()
      const step = Math.min(millisLeft, Math.max(wait, stops < EXACT_STOPS ? 0 : STEP_MIN))
      await value(clock.advance(step))
      millisLeft -= step
      next = await waitUntilIdle()
    }
  }

  return {
    /** The time, and how far the move is that runs now. */
    view: (): ClockView => ({
      now: isoOf(clock.now()),
      ...(current && { moving: { to: isoOf(current.to), fired: current.fired.length } }),
    }),
    now: clock.now,
    /** Call it for every job that was run. */
    record: (job: Job): void => {
      const { startedAt, orderRef } = job
      current?.fired.push({ at: isoOf(startedAt), order_ref: orderRef, what: describeJob(job) })
    },
    /**
     * Moves the clock; `millis` null: to the next instant at which a job is due, if there is one.
     * Throws while another move runs. Resolves to what fired, once the clock has arrived. Rejects,
     * somewhere on the way, if the store does not answer or the server stops.
     */
    advance: (millis: number | null): Promise<Advanced> => {
      if (current !== null) throw refused(409, BEING_ADVANCED)
      const fired: FiredJob[] = []
      const move = { to: clock.now() + (millis ?? 0), fired }
      current = move
      dispatcher.hurry(true)
      return (
        run(move, millis)
          .finally(() => {
            current = null
            dispatcher.hurry(false)
          })
          // Jobs that began together may have ended in another order.
          .then(() => ({
            now: isoOf(clock.now()),
            fired: fired.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
          }))
      )
    },
  }
}
