import { DatabaseError } from 'pg'
import { describe, expect, it } from 'vitest'
import type { Connection, Statement } from './connection.ts'
import { writeHealth } from './write-health.ts'

const WRITE: Statement = { name: 'orders-write', text: '' }
const DUE: Statement = { name: 'jobs-due', text: '' }

const failure = (code: string): Error =>
  Object.assign(new DatabaseError('it failed', 0, 'error'), { code })
const DISK_FULL = failure('53100')

/** A fake database whose statements fail on request, and the health of its writes. */
const aDatabase = () => {
  const failing = new Map<string, Error>()
  const probes: string[] = []
  const query = async ({ name }: Statement) => {
    if (name.endsWith('-probe')) probes.push(name)
    const cause = failing.get(name)
    if (cause !== undefined) throw cause
    return []
  }
  const { connection, takesWrites } = writeHealth({ query } as unknown as Connection)
  return {
    run: (statement: Statement) => connection.query(statement).catch(() => {}),
    takesWrites,
    probes,
    failing,
  }
}

describe('the health of writes', () => {
  it('is bad from the first failed write until a probe writes, even if other writes succeed', async () => {
    const { run, takesWrites, failing, probes } = aDatabase()
    for (const name of ['orders-write', 'write-probe']) failing.set(name, DISK_FULL)
    await run(WRITE)
    failing.delete('orders-write')
    await run(WRITE)
    expect([await takesWrites(), await takesWrites()]).toEqual([false, false])
    failing.clear()
    expect([await takesWrites(), await takesWrites()]).toEqual([true, true])
    expect(probes).toEqual(['write-probe', 'write-probe', 'write-probe', 'lock-probe'])
  })

  it('is bad if a write fails during a probe', async () => {
    const { run, takesWrites, failing } = aDatabase()
    failing.set('orders-write', DISK_FULL)
    const answer = takesWrites()
    await run(WRITE)
    expect(await answer).toBe(false)
  })

  it('is probed with a write if the due jobs cannot be read', async () => {
    const { run, takesWrites, failing, probes } = aDatabase()
    failing.set('jobs-due', failure('57014'))
    await run(DUE)
    await takesWrites()
    expect(probes).toEqual(['write-probe'])
  })

  it('is not affected by rows that cannot be written, or by conflicts between two servers', async () => {
    const { run, takesWrites, failing, probes } = aDatabase()
    for (const code of ['23505', '22021', '40P01', '40001', '55P03']) {
      failing.set('orders-write', failure(code))
      await run(WRITE)
      await takesWrites()
      expect(probes.pop()).toBe('lock-probe')
    }
  })
})
