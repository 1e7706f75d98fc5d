import type { Records } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryRecords } from '../memory/records.ts'
import { createTestClock, type TestClock } from './test-clock.ts'

const START = Date.UTC(2026, 0, 5)

const clockOn = async (records: Pick<Records, 'list' | 'put'>): Promise<TestClock> => {
  const clock = await createTestClock(records)()
  if (E.isLeft(clock)) throw new Error(clock.left.message)
  return clock.right
}

describe('the test clock', () => {
  beforeEach(() => vi.useFakeTimers({ now: START, toFake: ['Date'] }))
  afterEach(() => vi.useRealTimers())

  it('shows the real time until it is moved, and runs from there', async () => {
    const clock = await clockOn(memoryRecords())
    expect(clock.now()).toBe(START)
    await clock.advance(60_000)()
    expect(clock.now()).toBe(START + 60_000)
    vi.setSystemTime(START + 5)
    expect(clock.now()).toBe(START + 60_005)
  })

  it('moves each time a move runs, from its current time, and keeps its offset after a restart', async () => {
    const records = memoryRecords()
    const clock = await clockOn(records)
    const minute = clock.advance(60_000)
    await minute()
    await minute()
    expect(clock.now()).toBe(START + 120_000)
    expect((await clockOn(records)).now()).toBe(START + 120_000)
  })

  it('stays where it was if the move cannot be stored', async () => {
    const gone = { _tag: 'Unavailable', code: 'unknown', message: 'gone' } as const
    const clock = await clockOn({ ...memoryRecords(), put: () => TE.left(gone) })
    expect(await clock.advance(60_000)()).toEqual(E.left(gone))
    expect(clock.now()).toBe(START)
  })
})
