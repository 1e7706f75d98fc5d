// What remembers merchants, held to one contract.
import { memoryMerchants } from '@plazo/adapters/memory'
import { openSqlite } from '@plazo/adapters/sqlite'
import { aMerchant, given, merchantsContract } from '@plazo/core/testing/contracts'
import { describe, expect, it } from 'vitest'
import { inTemporaryFolder } from './temporary-folder.ts'

merchantsContract('merchants in memory', async () => ({ merchants: memoryMerchants(), close: async () => {} }))

merchantsContract('merchants in SQLite', async () => openSqlite(':memory:'))

merchantsContract('merchants in a SQLite file', async () => {
  const { path, remove } = inTemporaryFolder('plazo.db')
  const home = openSqlite(path)
  return {
    merchants: home.merchants,
    close: async () => {
      await home.close()
      remove()
    },
  }
})

describe('merchants in a SQLite file', () => {
  it('show at once what another process has added', async () => {
    const { path, remove } = inTemporaryFolder('plazo.db')
    const [ours, theirs] = [openSqlite(path), openSqlite(path)]
    expect(await given(ours.merchants.find('demo'))).toBeNull()
    await given(theirs.merchants.add(aMerchant('demo')))
    expect(await given(ours.merchants.find('demo'))).toEqual(aMerchant('demo'))
    await Promise.all([ours.close(), theirs.close()])
    remove()
  })
})
