import { DatabaseError } from 'pg'
import { describe, expect, it } from 'vitest'
import type { Connection, Statement } from './connection.ts'
import { writeHealth } from './write-health.ts'

const PLACE: Statement = { name: 'orders-place', text: '' }
const WRITE: Statement = { name: 'orders-write', text: '' }
const CLAIM: Statement = { name: 'outbox-claim', text: '' }

const failure = (code: string): Error =>
  Object.assign(new DatabaseError('it failed', 0, 'error'), { code })
const DISK_FULL = failure('53100')

/** A fake database whose statements fail on request, and the health of its writes. */
const aDatabase = () => {
  let now = 1_000_000
  const failing = new Map<string, Error>()
  const probes: string[] = []
  const query = async ({ name }: Statement) => {
    if (name.endsWith('-probe')) probes.push(name)
    const cause = failing.get(name.endsWith('-probe') ? 'probe' : name)
    if (cause !== undefined) throw cause
    return []
  }
  const { connection, takesWrites } = writeHealth({ query } as unknown as Connection, {
    monotonicNow: () => now,
  })
  return {
    run: (statement: Statement) => connection.query(statement).catch(() => {}),
    takesWrites,
    probes,
    fail: (name: 'probe' | string, cause: Error | null) => {
      if (cause === null) failing.delete(name)
      else failing.set(name, cause)
    },
    pass: (millis: number) => {
      now += millis
    },
  }
}

describe('the health of writes', () => {
  it('is known while writes succeed, and nothing is probed', async () => {
    const { run, takesWrites, probes, pass } = aDatabase()
    for (let times = 0; times < 5; times++) {
      await run(PLACE)
      pass(5_000)
      expect(await takesWrites()).toBe(true)
    }
    expect(probes).toEqual([])
  })

  it('is probed once in ten seconds while nothing is written, without a write', async () => {
    const { takesWrites, probes, pass } = aDatabase()
    for (let seconds = 0; seconds < 30; seconds++) {
      expect(await takesWrites()).toBe(true)
      pass(1_000)
    }
    expect(probes).toEqual(['lock-probe', 'lock-probe', 'lock-probe'])
  })

  it('is bad from the first failed write until a probe succeeds, even if reads succeed', async () => {
    const { run, takesWrites, fail, pass, probes } = aDatabase()
    fail('orders-place', DISK_FULL)
    fail('probe', DISK_FULL)
    for (let seconds = 0; seconds < 20; seconds++) {
      await run(PLACE)
      await run(WRITE)
      await run(CLAIM)
      expect(await takesWrites()).toBe(false)
      pass(1_000)
    }
    expect(probes).toEqual([])
    pass(1_000)
    expect(await takesWrites()).toBe(false)
    fail('orders-place', null)
    fail('probe', null)
    expect(await takesWrites()).toBe(false)
    pass(2_000)
    expect(await takesWrites()).toBe(true)
    expect(probes).toEqual(['write-probe', 'write-probe'])
  })

  it('is bad if claims fail, even if orders are written', async () => {
    const { run, takesWrites, fail } = aDatabase()
    fail('outbox-claim', failure('57014'))
    await run(CLAIM)
    await run(WRITE)
    expect(await takesWrites()).toBe(false)
  })

  it('is not affected by rows that cannot be written, or by conflicts between two servers', async () => {
    const { run, takesWrites, fail } = aDatabase()
    for (const code of ['23505', '22021', '40P01', '40001']) {
      fail('orders-write', failure(code))
      await run(WRITE)
      expect(await takesWrites()).toBe(true)
    }
  })

  it('is probed once for any number of simultaneous questions', async () => {
    const { run, takesWrites, fail, pass, probes } = aDatabase()
    fail('orders-write', DISK_FULL)
    await run(WRITE)
    pass(2_000)
    expect(await Promise.all(Array.from({ length: 50 }, takesWrites))).toEqual(Array(50).fill(true))
    expect(probes).toEqual(['write-probe'])
  })
})
