import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memorySandboxStore } from '../memory/sandbox-store.ts'
import type { SandboxStore } from './sandbox-store.ts'
import { createTestClock, type TestClock } from './test-clock.ts'

const START = Date.UTC(2026, 0, 5)

const clockOn = async (sandboxStore: SandboxStore): Promise<TestClock> => {
  const clock = await createTestClock(sandboxStore)()
  if (E.isLeft(clock)) throw new Error(clock.left.message)
  return clock.right
}

describe('the test clock', () => {
  beforeEach(() => vi.useFakeTimers({ now: START, toFake: ['Date'] }))
  afterEach(() => vi.useRealTimers())

  it('shows the real time until it is moved, and runs from there', async () => {
    const clock = await clockOn(memorySandboxStore())
    expect(clock.now()).toBe(START)
    await clock.advance(60_000)()
    expect(clock.now()).toBe(START + 60_000)
    vi.setSystemTime(START + 5)
    expect(clock.now()).toBe(START + 60_005)
  })

  it('moves each time a move runs, from its current time, and keeps its offset after a restart', async () => {
    const sandboxStore = memorySandboxStore()
    const clock = await clockOn(sandboxStore)
    const minute = clock.advance(60_000)
    await minute()
    await minute()
    expect(clock.now()).toBe(START + 120_000)
    expect((await clockOn(sandboxStore)).now()).toBe(START + 120_000)
  })

  it('continues at the time to which another server moved it', async () => {
    const sandboxStore = memorySandboxStore()
    const [ours, theirs] = [await clockOn(sandboxStore), await clockOn(sandboxStore)]
    await theirs.advance(60_000)()
    expect(ours.now()).toBe(START)
    await ours.catchUp()
    expect(ours.now()).toBe(START + 60_000)
    await theirs.advance(60_000)()
    await ours.advance(1)()
    expect(ours.now()).toBe(START + 120_001)
  })

  it('never goes back if another server’s moves are read late', async () => {
    const sandboxStore = memorySandboxStore()
    const clock = await clockOn({ ...sandboxStore, clockOffset: () => TE.right(0) })
    await clock.advance(60_000)()
    await clock.catchUp()
    expect(clock.now()).toBe(START + 60_000)
  })

  it('moves by whole milliseconds', async () => {
    const clock = await clockOn(memorySandboxStore())
    await clock.advance(0.6)()
    expect(clock.now()).toBe(START + 1)
  })

  it('stays where it was if the move cannot be stored', async () => {
    const gone = { _tag: 'Unavailable', code: 'unknown', message: 'gone' } as const
    const clock = await clockOn({ ...memorySandboxStore(), moveClock: () => TE.left(gone) })
    expect(await clock.advance(60_000)()).toEqual(E.left(gone))
    expect(clock.now()).toBe(START)
  })
})
