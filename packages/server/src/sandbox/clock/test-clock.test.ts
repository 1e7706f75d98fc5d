import type { TestClock } from '@plazo/adapters/internal/sandbox'
import type { Job } from '@plazo/core/ports'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { controlTestClock } from './test-clock.ts'

const MINUTE = 60_000

type Parts = Parameters<typeof controlTestClock>[0]

/** `answersAt`: real milliseconds; infinity for a silent shop. */
type InFlight = { readonly job: Job; readonly answersAt: number }

/**
 * A clock that shows 0, and real time that passes only while the dispatcher waits for a timer.
 * `nextDueAt`: when the first job is due after an instant. `begin`: the jobs that start at a stop.
 */
const aClock = (
  nextDueAt: (after: number) => number | null,
  dispatcher: Partial<Parts['dispatcher']> = {},
  begin: (at: number) => readonly { kind: 'ipn' | 'sms'; answersAfter: number }[] = () => [],
) => {
  let real = 0
  let offset = 0
  const stops: number[] = []
  const timers: { at: number; readonly call: () => void }[] = []
  let inFlight: readonly InFlight[] = []
  const now = () => real + offset
  const clock: TestClock = {
    now,
    advance: (millis) =>
      TE.fromIO(() => {
        offset += millis
      }),
  }
  const passTime = (): void => {
    const nextTimer = timers.toSorted((one, other) => one.at - other.at)[0]
    if (nextTimer === undefined) throw new Error('It waits for ever.')
    timers.splice(timers.indexOf(nextTimer), 1)
    const nextAnswer = Math.min(...inFlight.map(({ answersAt }) => answersAt))
    real = Math.min(nextTimer.at, nextAnswer)
    if (nextTimer.at <= real) nextTimer.call()
    else timers.push(nextTimer)
    inFlight = inFlight.filter(({ answersAt }) => answersAt > real)
  }
  const drain: Parts['dispatcher']['drain'] = async (leaves = () => false) => {
    stops.push(now())
    const started = begin(now()).map(({ kind, answersAfter }, index) => ({
      // All that the clock reads of a job.
      job: { token: `${stops.length} ${index}`, startedAt: now(), payload: { kind } } as Job,
      answersAt: real + answersAfter,
    }))
    inFlight = [...inFlight, ...started]
    const jobs = () => inFlight.map(({ job }) => job)
    while (!jobs().every(leaves)) passTime()
    return jobs()
  }
  const { advance, view } = controlTestClock({
    clock,
    store: { nextDueAt: (after = 0) => TE.right(nextDueAt(after)) },
    dispatcher: { drain, hurry: () => {}, isRunning: () => true, wake: () => {}, ...dispatcher },
    timers: {
      after: (millis, call) => {
        const timer = { at: real + millis, call }
        timers.push(timer)
        return { cancel: () => void timers.splice(timers.indexOf(timer), 1) }
      },
    },
  })
  return {
    now,
    stops,
    view,
    move: () => advance(10 * MINUTE),
    real: () => real,
    left: () => inFlight.length,
  }
}

const isoOf = (at: number): string => new Date(at).toISOString()

const everyMinute = (after: number): number => (Math.floor(after / MINUTE) + 1) * MINUTE

it('the clock stops moving once the dispatcher is stopped', async () => {
  let drained = 0
  const { now, move } = aClock(everyMinute, {
    drain: async () => {
      drained += 1
      return []
    },
    isRunning: () => drained < 5,
  })
  await expect(move()).rejects.toMatchObject({ error: { status: 503 } })
  expect(now()).toBe(4 * MINUTE)
})

it('hurries the dispatcher while it moves, shows how far it is, and answers where it ends', async () => {
  const views: unknown[] = []
  const hurries: boolean[] = []
  const { view, move } = aClock((after) => (after < MINUTE ? MINUTE : null), {
    drain: async () => {
      views.push(view())
      return []
    },
    hurry: (hurry) => hurries.push(hurry),
  })
  const end = { now: isoOf(10 * MINUTE) }
  expect(view()).toEqual({ now: isoOf(0) })
  expect(await move()).toEqual({ ...end, fired: [] })
  const moving = { to: end.now, fired: 0 }
  expect(views).toEqual([0, 1, 10].map((minute) => ({ now: isoOf(minute * MINUTE), moving })))
  expect(hurries).toEqual([true, false])
  expect(view()).toEqual(end)
})

it('stops at each of a hundred due jobs, and takes steps of a second if there are many more', async () => {
  const { now, stops, move } = aClock((after) => after + 1)
  await move()
  const steps = stops.slice(1).map((at, index) => at - (stops[index] ?? 0))
  expect(new Set(steps.slice(0, 100))).toEqual(new Set([1]))
  expect(new Set(steps.slice(100, -1))).toEqual(new Set([1_000]))
  expect(now()).toBe(10 * MINUTE)
})

describe('shops that are silent', () => {
  const SILENT = { kind: 'ipn', answersAfter: Number.POSITIVE_INFINITY } as const

  it('hold up a move for less than eight seconds in all if each begins at its own time', async () => {
    const { left, move, now, real } = aClock(
      (after) => after + 1_000,
      {},
      () => [SILENT],
    )
    await move()
    expect(left()).toBeGreaterThan(200)
    expect(real()).toBeLessThan(8_000)
    expect(now()).toBe(10 * MINUTE + real())
  })

  it('are shops: a call to a provider has all the time that it needs', async () => {
    const { left, move, real } = aClock(everyMinute, {}, (at) =>
      at === 0 ? [{ kind: 'sms', answersAfter: 29_000 }] : [],
    )
    await move()
    expect([left(), real()]).toEqual([0, 29_000])
  })
})
