import type { TestClock } from '@plazo/adapters/sandbox'
import type { Timers } from '@plazo/adapters/system'
import type { QueueStats } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { controlTestClock, createFiredJobs } from './test-clock.ts'

const MINUTE = 60_000

const nothing = { work: null, event: null, ipn: null }

const aClock = () => {
  const clock = { at: 0 }
  const movable: TestClock = {
    now: () => clock.at,
    advance: (millis) =>
      TE.fromIO(() => {
        clock.at += millis
      }),
    catchUp: TE.right(undefined),
  }
  return { clock, movable }
}

const backlogOf = (tell: () => Partial<QueueStats>) => ({
  queueStats: () =>
    TE.fromIO(
      (): QueueStats => ({
        nextDueAt: nothing,
        inFlight: 0,
        stuckCount: 0,
        slowMerchants: [],
        ...tell(),
      }),
    ),
})

/** `reported` is called at each pause; a pause takes no time. */
const pauseTimers = (reported: () => void): Pick<Timers, 'after'> => ({
  after: (_, call) => {
    reported()
    queueMicrotask(call)
    return { cancel: () => {} }
  },
})

// Something becomes due each minute. The dispatcher stops after the given number of drains.
const movedUntil = (drains: number) => {
  const { clock, movable } = aClock()
  let drained = 0
  const time = controlTestClock(
    movable,
    backlogOf(() => ({
      nextDueAt: { ...nothing, work: (Math.floor(clock.at / MINUTE) + 1) * MINUTE },
    })),
    {
      drain: async () => void drained++,
      hurry: () => {},
      inFlight: () => 0,
      isRunning: () => drained < drains,
    },
    createFiredJobs(),
  )
  return { clock, advanced: time.advance(10 * MINUTE) }
}

it('the clock moves completely while due jobs run', async () => {
  const { clock, advanced } = movedUntil(Number.POSITIVE_INFINITY)
  expect(await advanced).toEqual(E.right({ now: new Date(10 * MINUTE).toISOString(), fired: [] }))
  expect(clock.at).toBe(10 * MINUTE)
})

it.each([
  [1, 0],
  [4, 3],
  [11, 10],
])(
  'the clock stops moving once the dispatcher is stopped, after %i drains',
  async (drains, minutes) => {
    const { clock, advanced } = movedUntil(drains)
    expect(await advanced).toMatchObject(E.left({ _tag: 'Unavailable' }))
    expect(clock.at).toBe(minutes * MINUTE)
  },
)

it('the clock waits while another server has a job in flight, and stops at the jobs that this causes', async () => {
  const { clock, movable } = aClock()
  const stoodAt: number[] = []
  let answers = 3
  const time = controlTestClock(
    movable,
    backlogOf(() => {
      stoodAt.push(clock.at)
      if (answers > 0) return { inFlight: 1 }
      return clock.at < MINUTE ? { nextDueAt: { ...nothing, ipn: MINUTE } } : {}
    }),
    { drain: async () => {}, hurry: () => {}, inFlight: () => 0, isRunning: () => true },
    createFiredJobs(),
    pauseTimers(() => {
      answers -= 1
    }),
  )
  await time.advance(10 * MINUTE)
  expect(stoodAt).toEqual([0, 0, 0, 0, MINUTE, 10 * MINUTE])
})

it('a due job that another server holds for a moment does not make the clock jump', async () => {
  const { clock, movable } = aClock()
  const stoodAt: number[] = []
  let isHeld = true
  const time = controlTestClock(
    movable,
    backlogOf(() => {
      stoodAt.push(clock.at)
      return isHeld
        ? { nextDueAt: { ...nothing, work: -1 } }
        : clock.at < MINUTE
          ? { nextDueAt: { ...nothing, work: MINUTE } }
          : {}
    }),
    { drain: async () => {}, hurry: () => {}, inFlight: () => 0, isRunning: () => true },
    createFiredJobs(),
    pauseTimers(() => {
      isHeld = false
    }),
  )
  await time.advance(10 * MINUTE)
  expect(stoodAt).toEqual([0, 0, MINUTE, 10 * MINUTE])
})

it('a due job that cannot run does not stop the clock', async () => {
  const { clock, movable } = aClock()
  const time = controlTestClock(
    movable,
    backlogOf(() => ({ nextDueAt: { ...nothing, work: -1 } })),
    { drain: async () => {}, hurry: () => {}, inFlight: () => 0, isRunning: () => true },
    createFiredJobs(),
    pauseTimers(() => {}),
  )
  await time.advance(10 * MINUTE)
  expect(clock.at).toBe(10 * MINUTE)
})

it('what shoppers cause on this server meanwhile does not stop the clock', async () => {
  const { clock, movable } = aClock()
  const time = controlTestClock(
    movable,
    backlogOf(() => ({ inFlight: 2 })),
    { drain: async () => {}, hurry: () => {}, inFlight: () => 2, isRunning: () => true },
    createFiredJobs(),
    pauseTimers(() => {
      throw new Error('It waits.')
    }),
  )
  await time.advance(10 * MINUTE)
  expect(clock.at).toBe(10 * MINUTE)
})

it('hurries the dispatcher while it moves, and shows how far it is', async () => {
  const { clock, movable } = aClock()
  const views: unknown[] = []
  const hurries: boolean[] = []
  const time = controlTestClock(
    movable,
    backlogOf(() => ({ nextDueAt: { ...nothing, work: clock.at < MINUTE ? MINUTE : null } })),
    {
      drain: async () => void views.push(time.view()),
      hurry: (hurry) => hurries.push(hurry),
      ...{ inFlight: () => 0, isRunning: () => true },
    },
    createFiredJobs(),
  )
  expect(time.view()).toEqual({ now: new Date(0).toISOString() })
  await time.advance(10 * MINUTE)
  const moving = { to: new Date(10 * MINUTE).toISOString(), fired: 0 }
  expect(views).toEqual(
    [0, 1, 10].map((minute) => ({ now: new Date(minute * MINUTE).toISOString(), moving })),
  )
  expect(hurries).toEqual([true, false])
  expect(time.view()).toEqual({ now: new Date(10 * MINUTE).toISOString() })
})

it('stops at each of a hundred due jobs, and takes longer steps if there are many more: a second at most', async () => {
  const { clock, movable } = aClock()
  const stoodAt: number[] = []
  const time = controlTestClock(
    movable,
    backlogOf(() => {
      stoodAt.push(clock.at)
      return { nextDueAt: { ...nothing, work: clock.at + 1 } }
    }),
    { drain: async () => {}, hurry: () => {}, inFlight: () => 0, isRunning: () => true },
    createFiredJobs(),
  )
  await time.advance(10 * MINUTE)
  const steps = stoodAt.slice(1).map((at, index) => at - (stoodAt[index] ?? 0))
  expect(new Set(steps.slice(0, 100))).toEqual(new Set([1]))
  expect(Math.max(...steps)).toBe(1_000)
  expect(steps.length).toBeLessThan(1_000)
  expect(clock.at).toBe(10 * MINUTE)
})
