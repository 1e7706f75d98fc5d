import { describe, expect, it } from 'vitest'
import type { Timers } from '../../system/clock-and-ids.ts'
import type { Connection } from './connection.ts'
import { databaseClock } from './database-clock.ts'

/**
 * A fake database ten seconds ahead. `take` sets how long answers take; `share` of that passes
 * before the clock is read.
 */
const aDatabase = (share: number) => {
  let now = 1_000_000
  let takes = 20
  const timers: Timers = {
    realNow: () => now,
    monotonicNow: () => now,
    after: () => ({ cancel: () => {} }),
    soon: () => {},
  }
  const query = async () => {
    const read = now + takes * share + 10_000
    now += takes
    return [{ now: read, is_writable: true }]
  }
  return {
    connection: { query } as unknown as Connection,
    timers,
    now: () => now,
    take: (millis: number) => {
      takes = millis
    },
  }
}

describe('the clock of the database', () => {
  it('is known up to the duration of its answer, and never ahead, so that due jobs can be claimed', async () => {
    const read = async (share: number) => {
      const database = aDatabase(share)
      const clock = await databaseClock(database.connection, database.timers)
      return clock.now() - database.now()
    }
    expect(await read(1)).toBe(10_000)
    expect(await read(0.5)).toBe(9_990)
    expect(await read(0)).toBe(9_980)
  })

  it('is not distorted by a late answer, for example in a process that was frozen', async () => {
    const database = aDatabase(0.5)
    const clock = await databaseClock(database.connection, database.timers)
    database.take(6_000)
    expect(await clock.isWritable()).toBe(true)
    expect(clock.now() - database.now()).toBe(9_990)
    database.take(4)
    expect(await clock.isWritable()).toBe(true)
    expect(clock.now() - database.now()).toBe(9_998)
  })

  it('is read from slow answers if there are no others', async () => {
    const database = aDatabase(0.5)
    const clock = await databaseClock(database.connection, database.timers)
    database.take(100)
    for (let count = 0; count < 4; count++) await clock.isWritable()
    expect(clock.now() - database.now()).toBe(9_950)
  })
})
