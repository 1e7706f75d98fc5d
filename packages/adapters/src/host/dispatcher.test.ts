import type {
  ClaimRequest,
  CommitListener,
  EffectResult,
  FullStore,
  Job,
} from '@plazo/core/internal'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemTimers, type Timers } from '../system/clock-and-ids.ts'
import { type Dispatcher, type DispatcherParts, startDispatcher } from './dispatcher.ts'

const anEvent = (n: number): Job => ({
  key: `order:${n}:denied`,
  orderRef: 'order',
  merchantRef: 'demo',
  lane: 'denied',
  payload: { kind: 'event', event: 'denied', url: '', contentType: '', body: '' },
  expiresAt: null,
  attempt: 1,
  isResend: false,
  firstAt: 0,
  startedAt: 0,
  token: `${n}`,
})

const done: EffectResult = {
  event: null,
  attemptResult: { type: 'finished', status: 'delivered' },
  error: null,
  report: null,
}

/**
 * A dispatcher with two places for deliveries, a store with `due` due deliveries, and attempts that
 * last until the test ends them.
 */
const withTwoPlaces = (
  dueCount: number,
  {
    release,
    after = systemTimers.after,
    ...overrides
  }: Partial<DispatcherParts> & {
    readonly release?: FullStore['release']
    readonly after?: Timers['after']
  } = {},
) => {
  const requests: ClaimRequest[] = []
  const released: string[] = []
  const started: string[] = []
  const finishers: (() => void)[] = []
  let claimed = 0
  let listener: CommitListener | null = null
  let nextDueReads = 0
  let handOvers = 0
  let now = 0
  const lease = { isHeld: true }
  const store: Pick<
    FullStore,
    'claim' | 'onCommitted' | 'release' | 'handOver' | 'startsJobs' | 'nextDueAt'
  > = {
    startsJobs: () => lease.isHeld,
    handOver: async () => {
      handOvers += 1
    },
    onCommitted: (next) => {
      listener = next
      return () => {
        listener = null
      }
    },
    claim: (request) => async () => {
      const expected = request()
      requests.push(expected)
      const count = Math.min(expected.capacity.deliveries, dueCount - claimed)
      const jobs = Array.from({ length: Math.max(0, count) }, () => anEvent(++claimed))
      return TE.right(jobs)()
    },
    release:
      release ??
      ((jobs, as) => {
        released.push(...jobs.map(({ token }) => `${token}, ${as}`))
        return TE.right(undefined)
      }),
    nextDueAt: () => {
      nextDueReads += 1
      return TE.right(null)
    },
  }
  const dispatcher: Dispatcher = startDispatcher({
    store: store as FullStore,
    clock: { now: () => now },
    executeEffect: (job) => () => {
      started.push(job.token)
      return new Promise((resolve) => finishers.push(() => resolve(done)))
    },
    complete: () => TE.right('delivered'),
    limits: { deliveries: 2, internal: 2, perAccount: 4, sockets: 100 },
    onFailure: () => {},
    timers: { ...systemTimers, after },
    ...overrides,
  })
  const waitTurn = () => new Promise<void>((resolve) => systemTimers.soon(resolve))
  onTestFinished(async () => {
    for (const end of finishers) end()
    await dispatcher.stop(0)
  })
  return {
    dispatcher,
    requests,
    released,
    started,
    finishers,
    waitTurn,
    handOvers: () => handOvers,
    lease,
    report: (nextDueAt: number) => listener?.({ nextDueAt, steps: 0 }),
    nextDueReads: () => nextDueReads,
    pass: (millis: number) => {
      now += millis
    },
  }
}

describe('the dispatcher', () => {
  it('never runs more jobs than it has slots', async () => {
    const { dispatcher, started, finishers, waitTurn } = withTwoPlaces(5)
    await waitTurn()
    expect(started).toEqual(['1', '2'])
    finishers.shift()?.()
    await Promise.resolve()
    await waitTurn()
    expect(started).toEqual(['1', '2', '3'])
    for (let ended = 0; ended < 4; ended++) {
      finishers.shift()?.()
      await waitTurn()
    }
    await dispatcher.drain()
    expect(started).toEqual(['1', '2', '3', '4', '5'])
  })

  it('releases a job as if it had never been claimed if no socket is free, and pauses', async () => {
    const attempts: string[] = []
    const ends: (() => void)[] = []
    const drained = vi.fn()
    const { dispatcher, requests, released, waitTurn } = withTwoPlaces(1, {
      after: (millis, call) => {
        if (millis === 1_000) ends.push(call)
        return { cancel: () => {} }
      },
      executeEffect: (job) => async () => {
        attempts.push(job.token)
        return {
          ...done,
          error: { reason: 'no_socket', message: 'EMFILE' },
          hasNoSocket: true,
        }
      },
    })
    await waitTurn()
    await waitTurn()
    expect(released).toEqual(['1, not_started'])
    void dispatcher.drain().then(drained)
    await waitTurn()
    expect(requests.at(-1)?.capacity.deliveries).toBe(0)
    expect(drained).not.toHaveBeenCalled()
    for (const end of ends) end()
    await waitTurn()
    expect(requests.at(-1)?.capacity.deliveries).toBe(2)
    expect(drained).toHaveBeenCalled()
  })

  it('claims when the store reports a due job, and asks for the next due time only once it has passed', async () => {
    const { requests, waitTurn, report, nextDueReads, pass } = withTwoPlaces(0)
    await waitTurn()
    report(500)
    const before = nextDueReads()
    report(0)
    await waitTurn()
    expect([requests.length, nextDueReads()]).toEqual([2, before])
    pass(500)
    report(0)
    await waitTurn()
    expect([requests.length, nextDueReads()]).toEqual([3, before + 1])
  })

  it('drains once it starts the jobs, if another process does so first', async () => {
    const { dispatcher, lease, waitTurn, nextDueReads } = withTwoPlaces(0)
    const drained = vi.fn()
    lease.isHeld = false
    void dispatcher.drain().then(drained)
    await waitTurn()
    expect(drained).not.toHaveBeenCalled()
    // Only who starts jobs asks when the next one is due.
    expect(nextDueReads()).toBe(0)
    lease.isHeld = true
    dispatcher.wake()
    await waitTurn()
    expect(drained).toHaveBeenCalled()
  })

  it('releases as started what still runs when the patience of its stop ends', async () => {
    const { dispatcher, started, released } = withTwoPlaces(4)
    await vi.waitFor(() => expect(started).toEqual(['1', '2']))
    await dispatcher.stop(0)
    expect([started, released]).toEqual([
      ['1', '2'],
      ['1, started', '2, started'],
    ])
    expect([dispatcher.inFlight(), dispatcher.isRunning()]).toEqual([0, false])
  })

  it('hands over once it claims nothing more, before the jobs in flight have ended', async () => {
    const { dispatcher, started, finishers, handOvers } = withTwoPlaces(2)
    await vi.waitFor(() => expect(started).toEqual(['1', '2']))
    const stopping = dispatcher.stop(30_000)
    await vi.waitFor(() => expect(handOvers()).toBe(1))
    expect(dispatcher.inFlight()).toBe(2)
    for (const finish of finishers) finish()
    await stopping
  })

  it('stops even if the store does not answer', async () => {
    const silent = (): Promise<never> => new Promise(() => {})
    const { dispatcher, waitTurn } = withTwoPlaces(3, {
      timers: { ...systemTimers, after: (_, call) => systemTimers.after(0, call) },
      release: () => silent,
    })
    await waitTurn()
    await dispatcher.stop(0)
    expect(dispatcher.isRunning()).toBe(false)
  })
})

it('while it hurries, nothing limits accounts and merchants, and afterwards the limits hold again', async () => {
  const { dispatcher, requests } = withTwoPlaces(0, {
    limits: { deliveries: 64, internal: 2, perAccount: 4 },
  })
  await dispatcher.drain()
  dispatcher.hurry(true)
  await dispatcher.drain()
  dispatcher.hurry(false)
  await dispatcher.drain()
  const [before, meanwhile, after] = [requests[0], requests.at(-2), requests.at(-1)]
  expect(before).toMatchObject({ perAccount: 4, capacity: { deliveries: 64, notGood: 32 } })
  expect(meanwhile).toMatchObject({ perAccount: null, capacity: { deliveries: 64, notGood: 64 } })
  expect(after).toEqual({ ...before, at: after?.at })
})

it('leaves no timer once it has stopped, so that the process can end', async () => {
  const waiting = new Set<object>()
  const after: Timers['after'] = (millis, call) => {
    const timer = systemTimers.after(millis, () => {
      waiting.delete(timer)
      call()
    })
    waiting.add(timer)
    return {
      cancel: () => {
        waiting.delete(timer)
        timer.cancel()
      },
    }
  }
  const { dispatcher } = withTwoPlaces(0, { after })
  await dispatcher.stop(1_000)
  expect(waiting.size).toBe(0)
})
