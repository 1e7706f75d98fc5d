// Runs the contract for merchants on each storage, and tests what only one of them promises.
import { memoryMerchants } from '@plazo/adapters/memory'
import { openSqlite } from '@plazo/adapters/sqlite'
import { aMerchant, NOON, unwrap } from '@plazo/core/internal/testing'
import { merchantsContract } from '@plazo/core/testing/contracts'
import { runner } from '@plazo/core/testing/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryPath } from '../../harness/ports-and-folders.ts'
import {
  openPostgresTestStorage,
  type PostgresTestStorage,
} from '../../harness/postgres-storage.ts'

merchantsContract(runner, 'merchants in memory', async () => ({
  merchants: memoryMerchants(),
  close: async () => {},
}))

merchantsContract(runner, 'merchants in SQLite', async () => openSqlite(':memory:'))

merchantsContract(runner, 'merchants in a SQLite file', async () => {
  const { path, remove } = temporaryPath('plazo.db')
  const home = openSqlite(path)
  return {
    merchants: home.merchants,
    close: async () => {
      await home.close()
      remove()
    },
  }
})

merchantsContract(runner, 'merchants in PostgreSQL', () => openPostgresTestStorage())

describe('merchants in PostgreSQL', () => {
  let ours: PostgresTestStorage
  let theirs: PostgresTestStorage
  beforeEach(async () => {
    ours = await openPostgresTestStorage()
    theirs = await openPostgresTestStorage({ url: ours.url })
  })
  afterEach(async () => {
    await theirs.close()
    await ours.close()
  })

  it('show at once the changes, additions and rotations of another node', async () => {
    expect(await unwrap(ours.merchants.find('demo'))).toBeNull()
    await unwrap(theirs.merchants.add(aMerchant('demo')))
    expect(await unwrap(ours.merchants.find('demo'))).toEqual(aMerchant('demo'))
    await unwrap(theirs.merchants.change('demo', { name: 'Another' }))
    expect(await unwrap(ours.merchants.ofAccount('demo'))).toMatchObject([{ name: 'Another' }])
  })

  it('never open one account with two passwords, even if many nodes add to it at once', async () => {
    const added = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        [ours, theirs][n % 2]?.merchants.add(
          aMerchant(`m${n}`, { username: 'group', passwordHash: `scrypt$a$${n % 4}` }),
        )(),
      ),
    )
    const account = await unwrap(ours.merchants.ofAccount('group'))
    expect(account).toHaveLength(3)
    expect(new Set(account.map(({ passwordHash }) => passwordHash)).size).toBe(1)
    expect(
      added.filter((each) => each?._tag === 'Left' && each.left._tag === 'AccountDiffers'),
    ).toHaveLength(9)
  })

  it('lose no secret if two nodes rotate at once', async () => {
    const first = aMerchant('demo')
    await unwrap(ours.merchants.add(first))
    const secrets = [...'bcdefa'].map((digit) => digit.repeat(32))
    await Promise.all(
      secrets.map((secret, n) =>
        unwrap((n % 2 === 0 ? ours : theirs).merchants.rotateSecret('demo', secret, NOON)),
      ),
    )
    const live = await unwrap(ours.merchants.liveSecrets('demo', NOON))
    expect([...live].sort()).toEqual([...secrets, first.signatureSecret].sort())
  })
})
