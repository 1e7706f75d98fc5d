// Key rotation must know which master keys are in use and re-encrypt data under the current one, in
// SQLite and in PostgreSQL.
import { type Storage as OpenedHome, openSqlite } from '@plazo/adapters/internal/sqlite'
import { aMerchant, NOON, openShop, type StoreShop, unwrap } from '@plazo/core/testing/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryPath } from '../../harness/ports-and-folders.ts'
import { freshDatabase, openPostgresTestStorage } from '../../harness/postgres-storage.ts'
import { aKeyNamed, keyringOf } from '../../harness/secret-keys.ts'

type Home = Pick<OpenedHome, 'store' | 'merchants' | 'keyRotation' | 'close'>

/** One database that several homes can open, each with its own keys. */
type Place = {
  readonly open: (secretKey: string) => Promise<Home>
  readonly remove: () => Promise<void>
}

const [OLD, NEW] = [aKeyNamed('old'), aKeyNamed('new')]

const places: readonly (readonly [string, () => Promise<Place>])[] = [
  [
    'a SQLite file',
    async () => {
      const { path, remove } = temporaryPath('plazo.db')
      return {
        open: async (secretKey) => openSqlite(path, { keyring: keyringOf(secretKey) }),
        remove: async () => remove(),
      }
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const { url, drop } = await freshDatabase()
      return {
        open: (secretKey) => openPostgresTestStorage({ url, keyring: keyringOf(secretKey) }),
        remove: drop,
      }
    },
  ],
]

const ORDERS = 25

describe.each(places)('master keys in %s', (_, openPlace) => {
  let place: Place
  let opened: Home[]
  let refs: readonly string[]
  let shop: StoreShop

  const open = async (secretKey: string): Promise<Home> => {
    const home = await place.open(secretKey)
    opened.push(home)
    return home
  }
  const readsAll = async ({ store }: Home): Promise<void> => {
    for (const ref of refs) expect((await unwrap(store.read(ref))).placed.orderRef).toBe(ref)
  }

  beforeEach(async () => {
    place = await openPlace()
    opened = []
    const home = await open(OLD)
    await unwrap(home.merchants.add(aMerchant('shop')))
    await unwrap(home.merchants.rotateSecret('shop', 'f'.repeat(32), NOON))
    shop = openShop(home.store)
    refs = await Promise.all(Array.from({ length: ORDERS }, () => shop.place()))
  })
  afterEach(async () => {
    for (const home of opened) await home.close()
    await place.remove()
  })

  it('are rotated in pages while a server runs, and the old key is then no longer needed', async () => {
    const { keyRotation } = await open(`${NEW},${OLD}`)
    expect(await unwrap(keyRotation.usage())).toEqual([
      { id: 'new', orders: 0, secrets: 0, isInUse: false },
      { id: 'old', orders: ORDERS, secrets: 2, isInUse: false },
    ])
    await unwrap(keyRotation.markInUse())
    const first = await unwrap(keyRotation.reencryptOrders(0, 10))
    expect(first).toEqual({ count: 10, next: expect.any(Number) })
    const second = await unwrap(keyRotation.reencryptOrders(first.next ?? 0, 10))
    expect(second).toEqual({ count: 10, next: expect.any(Number) })
    // Starts from the beginning again: orders that are done are skipped.
    expect(await unwrap(keyRotation.reencryptOrders(0, 100))).toEqual({ count: 5, next: null })
    expect(await unwrap(keyRotation.reencryptSecrets())).toBe(2)
    expect(await unwrap(keyRotation.reencryptSecrets())).toBe(0)
    expect(await unwrap(keyRotation.usage())).toEqual([
      { id: 'new', orders: ORDERS, secrets: 2, isInUse: true },
      { id: 'old', orders: 0, secrets: 0, isInUse: false },
    ])
    for (const home of opened) await readsAll(home)

    const after = await open(NEW)
    await readsAll(after)
    expect(await unwrap(after.merchants.liveSecrets('shop', NOON))).toEqual([
      'f'.repeat(32),
      aMerchant().signatureSecret,
    ])
  })

  it('are needed again if another server has encrypted under them after the rotation', async () => {
    const { keyRotation } = await open(`${NEW},${OLD}`)
    await unwrap(keyRotation.reencryptOrders(0, 100))
    await unwrap(keyRotation.reencryptSecrets())
    await shop.place()
    await expect(open(NEW)).rejects.toThrow('SECRET_KEY has no key "old", but 1 order is encrypted')
  })

  it('are rotated by two commands at once, and each order counts once', async () => {
    const homes = [await open(`${NEW},${OLD}`), await open(`${NEW},${OLD}`)]
    const pages = await Promise.all(
      homes.map(({ keyRotation }) => unwrap(keyRotation.reencryptOrders(0, 100))),
    )
    expect(pages.reduce((sum, { count }) => sum + count, 0)).toBe(ORDERS)
    for (const home of opened) await readsAll(home)
  })
})
