import { describe, expect, it, onTestFinished } from 'vitest'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { emptyDatabase } from '../../harness/postgres-storage.ts'
import { isolationRun, type RunOptions } from './run.ts'

// Eight slots and 24 bad merchants. Before this was fixed, a hanging attempt kept its slot for 30
// s, and two bad merchants blocked all of them. The last order and the patience together are less
// than that.
const SMALL = { merchants: 32, bad: 24, lasts: 6_000, patience: 20_000, every: 2_000, seed: 1 }
const FEW_PLACES = { WEBHOOK_CONCURRENCY: '8' }

const small = (options: Pick<RunOptions, 'databaseUrl' | 'nodes'>) =>
  isolationRun({ ...SMALL, ...options, env: FEW_PLACES, say: () => {} })

describe('merchants whose endpoints hang, drip, reset or answer late delay nobody else', () => {
  it('on SQLite', async () => {
    const report = await small({ databaseUrl: `sqlite:${pathOfTest('plazo.db')}`, nodes: 1 })
    expect([report.failed, report.undelivered, report.delays.length]).toEqual([0, 0, report.good])
    // None of the attempts at bad merchants has ended, because an attempt has 30 s.
    expect([report.requests.hang, report.requests.drip, report.requests.late]).not.toContain(0)
  })

  it('on PostgreSQL, with two nodes', async () => {
    const database = await emptyDatabase()
    onTestFinished(database.drop)
    const report = await small({ databaseUrl: database.url, nodes: 2 })
    expect([report.failed, report.undelivered, report.delays.length]).toEqual([0, 0, report.good])
  })
})
