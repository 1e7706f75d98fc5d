import type { TestClock } from '@plazo/adapters/sandbox'
import type { QueueStats } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { controlTestClock, createFiredJobs } from './test-clock.ts'

const MINUTE = 60_000

const nothing = { work: null, event: null, ipn: null }

const dueAt = (work: number | null): Partial<QueueStats> => ({ nextDueAt: { ...nothing, work } })

type Dispatcher = Parameters<typeof controlTestClock>[2]

/**
 * A clock that shows 0, over a queue with these statistics. `stops`: when the queue was asked.
 * `onPause` is called at each pause; a pause takes no time.
 */
const aClock = (
  statsAt: (at: number) => Partial<QueueStats>,
  dispatcher: Partial<Dispatcher> = {},
  onPause = () => {},
) => {
  let at = 0
  const stops: number[] = []
  const movable: TestClock = {
    now: () => at,
    advance: (millis) =>
      TE.fromIO(() => {
        at += millis
      }),
    catchUp: TE.right(undefined),
  }
  const queueStats = () =>
    TE.fromIO((): QueueStats => {
      stops.push(at)
      const idle = { nextDueAt: nothing, inFlight: 0, stuckCount: 0, slowMerchants: [] }
      return { ...idle, ...statsAt(at) }
    })
  const after = (_: number, call: () => void) => {
    onPause()
    queueMicrotask(call)
    return { cancel: () => {} }
  }
  const { advance, view } = controlTestClock(
    movable,
    { queueStats },
    {
      drain: async () => {},
      hurry: () => {},
      inFlight: () => 0,
      isRunning: () => true,
      ...dispatcher,
    },
    createFiredJobs(),
    { after },
  )
  return { now: () => at, stops, view, move: () => advance(10 * MINUTE) }
}

const isoOf = (at: number): string => new Date(at).toISOString()

it.each([
  [1, 0],
  [4, 3],
  [11, 10],
])(
  'the clock stops moving once the dispatcher is stopped, after %i drains',
  async (drains, minutes) => {
    let drained = 0
    const { now, move } = aClock((at) => dueAt((Math.floor(at / MINUTE) + 1) * MINUTE), {
      drain: async () => void drained++,
      isRunning: () => drained < drains,
    })
    expect(await move()).toMatchObject(E.left({ _tag: 'Unavailable' }))
    expect(now()).toBe(minutes * MINUTE)
  },
)

it('the clock waits while another server has a job in flight, and stops at the jobs that this causes', async () => {
  let answers = 3
  const { stops, move } = aClock(
    (at) => {
      if (answers > 0) return { inFlight: 1 }
      return at < MINUTE ? { nextDueAt: { ...nothing, ipn: MINUTE } } : {}
    },
    {},
    () => {
      answers -= 1
    },
  )
  await move()
  expect(stops).toEqual([0, 0, 0, 0, MINUTE, 10 * MINUTE])
})

it('a due job that another server holds for a moment does not make the clock jump', async () => {
  let isHeld = true
  const { stops, move } = aClock(
    (at) => dueAt(isHeld ? -1 : at < MINUTE ? MINUTE : null),
    {},
    () => {
      isHeld = false
    },
  )
  await move()
  expect(stops).toEqual([0, 0, MINUTE, 10 * MINUTE])
})

it('a due job that cannot run does not stop the clock', async () => {
  const { now, move } = aClock(() => dueAt(-1))
  await move()
  expect(now()).toBe(10 * MINUTE)
})

it('what shoppers cause on this server meanwhile does not stop the clock', async () => {
  const throwAtPause = () => {
    throw new Error('It waits.')
  }
  const { now, move } = aClock(() => ({ inFlight: 2 }), { inFlight: () => 2 }, throwAtPause)
  await move()
  expect(now()).toBe(10 * MINUTE)
})

it('hurries the dispatcher while it moves, shows how far it is, and answers where it ends', async () => {
  const views: unknown[] = []
  const hurries: boolean[] = []
  const { view, move } = aClock((at) => dueAt(at < MINUTE ? MINUTE : null), {
    drain: async () => void views.push(view()),
    hurry: (hurry) => hurries.push(hurry),
  })
  const end = { now: isoOf(10 * MINUTE) }
  expect(view()).toEqual({ now: isoOf(0) })
  expect(await move()).toEqual(E.right({ ...end, fired: [] }))
  const moving = { to: end.now, fired: 0 }
  expect(views).toEqual([0, 1, 10].map((minute) => ({ now: isoOf(minute * MINUTE), moving })))
  expect(hurries).toEqual([true, false])
  expect(view()).toEqual(end)
})

it('stops at each of a hundred due jobs, and takes longer steps if there are many more: a second at most', async () => {
  const { now, stops, move } = aClock((at) => dueAt(at + 1))
  await move()
  const steps = stops.slice(1).map((at, index) => at - (stops[index] ?? 0))
  expect(new Set(steps.slice(0, 100))).toEqual(new Set([1]))
  expect(Math.max(...steps)).toBe(1_000)
  expect(steps.length).toBeLessThan(1_000)
  expect(now()).toBe(10 * MINUTE)
})
