import { describe, expect, it } from 'vitest'
import type { Timers } from '../system/timers.ts'
import type { Connection } from './connection.ts'
import { databaseClock } from './database-clock.ts'

/** A database ten seconds ahead, whose answers take as long as is said. */
const aDatabase = () => {
  let now = 1_000_000
  let takes = 20
  const timers: Timers = {
    realNow: () => now,
    monotonicNow: () => now,
    after: () => ({ cancel: () => {} }),
    soon: () => {},
  }
  const query = async () => {
    now += takes
    return [{ now: now + 10_000, is_writable: true }]
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
  it('is known to half of what its answer took', async () => {
    const database = aDatabase()
    const clock = await databaseClock(database.connection, database.timers)
    expect(clock.now() - database.now()).toBe(10_010)
  })

  it('is not put wrong by an answer that was long on its way, as to a process that was frozen', async () => {
    const database = aDatabase()
    const clock = await databaseClock(database.connection, database.timers)
    database.take(6_000)
    expect(await clock.isWritable()).toBe(true)
    expect(clock.now() - database.now()).toBe(10_010)
    database.take(4)
    expect(await clock.isWritable()).toBe(true)
    expect(clock.now() - database.now()).toBe(10_002)
  })

  it('is taken from slow answers where there are no others any more', async () => {
    const database = aDatabase()
    const clock = await databaseClock(database.connection, database.timers)
    database.take(100)
    for (let asked = 0; asked < 4; asked++) await clock.isWritable()
    expect(clock.now() - database.now()).toBe(10_050)
  })
})
