// Runs the contract of records, and the test clock that is one of them, on every store.

import { openSqlite, type Storage } from '@plazo/adapters/internal/sqlite'
import { memoryRecords } from '@plazo/adapters/memory'
import { aRecord, type OpenedRecords, openShop, unwrap } from '@plazo/core/internal/testing'
import { recordsContract } from '@plazo/core/testing/contracts'
import { runner } from '@plazo/core/testing/vitest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openConnection } from '../../../packages/adapters/src/postgres/connection/connection.ts'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { openPostgresTestStorage } from '../../harness/postgres-storage.ts'

const onTwoNodes = (overrides: Storage, other: Storage): OpenedRecords => ({
  nodes: [overrides.records, other.records],
  storage: overrides,
  close: async () => {
    await other.close()
    await overrides.close()
  },
})

const stores: readonly (readonly [string, () => Promise<OpenedRecords>])[] = [
  [
    'in memory',
    async () => {
      const records = memoryRecords()
      return { nodes: [records, records], storage: null, close: async () => {} }
    },
  ],
  [
    'in SQLite',
    async () => {
      const path = pathOfTest('plazo.db')
      const overrides = openSqlite(path, { threadAfterJobs: 0 })
      return onTwoNodes(overrides, openSqlite(path))
    },
  ],
  [
    'in PostgreSQL',
    async () => {
      const overrides = await openPostgresTestStorage()
      return onTwoNodes(overrides, await openPostgresTestStorage({ url: overrides.url }))
    },
  ],
]

for (const [where, open] of stores) recordsContract(runner, `records ${where}`, open)

describe('records in PostgreSQL', () => {
  it('are not written under a destroyed data key, even if the write waits for the destruction', async () => {
    const { store, records, url, close } = await openPostgresTestStorage()
    const connection = openConnection(url, { connections: 2 })
    onTestFinished(async () => {
      await connection.close()
      await close()
    })
    const orderRef = await openShop(store).place()
    // Repeated so often that PostgreSQL has settled on a plan for the statement.
    for (let value = 0; value < 8; value++) await unwrap(records.add(aRecord({ orderRef, value })))
    const late = await connection.transaction(async (query) => {
      for (const text of [
        'lock table plazo.records in share row exclusive mode',
        'delete from plazo.records',
        'update plazo.data_keys set tag = tag + 1',
      ])
        await query({ name: '', text })
      const waiting = records.add(aRecord({ orderRef, value: 'late' }))()
      const text = `select 1 from pg_locks where not granted and relation = 'plazo.records'::regclass`
      while ((await query({ name: '', text })).length === 0);
      return { waiting }
    })
    expect(await late.waiting).toMatchObject({
      left: { message: expect.stringContaining('was erased') },
    })
    expect(await unwrap(records.list({ kind: 'webhook' }))).toEqual([])
  })
})
