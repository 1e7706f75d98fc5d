import { describe, expect, it } from 'vitest'
import type { Timers } from '../../system/clock-and-ids.ts'
import type { Connection } from './connection.ts'
import { databaseClock } from './database-clock.ts'

/**
 * A fake database ten seconds ahead. `share` of the time that an answer takes
 * passes before the clock is read.
 */
const aDatabase = (share: number) => {
  let now = 1_000_000
  let takes = 20
  let refresh = () => {}
  const timers: Timers = {
    realNow: () => now,
    monotonicNow: () => now,
    after: (_millis, call) => {
      refresh = call
      return { cancel: () => {} }
    },
    soon: () => {},
  }
  const query = async () => {
    const read = now + takes * share + 10_000
    now += takes
    return [{ now: read }]
  }
  return {
    connection: { query } as unknown as Connection,
    timers,
    now: () => now,
    /** The next answer takes so long. */
    refresh: async (millis: number): Promise<void> => {
      takes = millis
      refresh()
      await new Promise((resolve) => setImmediate(resolve))
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
    await database.refresh(6_000)
    expect(clock.now() - database.now()).toBe(9_990)
    await database.refresh(4)
    expect(clock.now() - database.now()).toBe(9_998)
  })

  it('is read from slow answers if there are no others', async () => {
    const database = aDatabase(0.5)
    const clock = await databaseClock(database.connection, database.timers)
    for (let count = 0; count < 4; count++) await database.refresh(100)
    expect(clock.now() - database.now()).toBe(9_950)
  })
})
