// Runs the contract of records, and the test clock that is one of them, on every store.

import { openSqlite, type Storage } from '@plazo/adapters/internal/sqlite'
import { memoryRecords } from '@plazo/adapters/memory'
import { aRecord, type OpenedRecords, unwrap } from '@plazo/core/internal/testing'
import { recordsContract } from '@plazo/core/testing/contracts'
import { runner } from '@plazo/core/testing/vitest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { openPostgresParts, openPostgresTestStorage } from '../../harness/postgres-storage.ts'

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
  const openWithOrder = async () => {
    const home = await openPostgresParts()
    onTestFinished(home.close)
    const orderRef = '00000000-0000-4000-8000-000000000001'
    const { keyId, tag, ciphertext } = home.cipher.createKey(orderRef).encryptedKey
    const text = `
      with placed as (
        insert into plazo.orders (order_ref, merchant_ref, revision, checkout, placed_at, changed_at)
        values ($1, 'demo', 1, 'identification', 0, 0) returning id)
      insert into plazo.data_keys select id, $2, $3, $4 from placed`
    await home.connection.query({ name: 'keep-key', text }, orderRef, keyId, tag, ciphertext)
    return { ...home, orderRef }
  }

  it('are not written under a destroyed data key, even if the write waits for the destruction', async () => {
    const { records, orderRef, connection } = await openWithOrder()
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
