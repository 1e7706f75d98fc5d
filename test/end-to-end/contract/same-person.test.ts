// The hash by which orders of one person are found is the only value of a shopper that is not sealed. It
// must outlive the master key, and go with the shopper.
import { openSqlite, type Storage } from '@plazo/adapters/internal/sqlite'
import { eraseShopperData, type OrderFilter, type OrderPage, personKey } from '@plazo/core/internal'
import { aPerson, finishJobs, openShop, unwrap } from '@plazo/core/internal/testing'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { queryPostgres } from '../../harness/postgres.ts'
import { freshDatabase, openPostgresTestStorage } from '../../harness/postgres-storage.ts'
import { aKeyNamed, keyringOf } from '../../harness/secret-keys.ts'

type Home = Pick<Storage, 'store' | 'records' | 'erasure' | 'keyRotation' | 'close'>

/** `hashes`: of all orders, in the sequence of their numbers. */
type Place = {
  readonly open: (secretKey: string) => Promise<Home>
  readonly hashes: () => Promise<readonly (string | null)[]>
}

const SELECT = 'select person from orders order by id'

const inSqlite = async (): Promise<Place> => {
  const path = pathOfTest('plazo.db')
  return {
    open: async (secretKey) => openSqlite(path, { keyring: keyringOf(secretKey) }),
    hashes: async () => {
      const db = new Sqlite(path, { readonly: true })
      const hashes = db.prepare<[], string | null>(SELECT).pluck().all()
      db.close()
      return hashes
    },
  }
}

const inPostgres = async (): Promise<Place> => {
  const { url, drop } = await freshDatabase()
  onTestFinished(drop)
  return {
    open: (secretKey) => openPostgresTestStorage({ url, keyring: keyringOf(secretKey) }),
    hashes: async () => {
      const rows = await queryPostgres(url, SELECT.replace('orders', 'plazo.orders'))
      return rows.map(({ person }) => person as string | null)
    },
  }
}

const openTestHome = async ({ open }: Place, secretKey: string): Promise<Home> => {
  const home = await open(secretKey)
  onTestFinished(() => home.close())
  return home
}

const [OLD, NEW] = [aKeyNamed('old'), aKeyNamed('new')]

describe.each([
  ['SQLite', inSqlite],
  ['PostgreSQL', inPostgres],
])('the orders of a person on %s', (_, openPlace) => {
  const listRefs = async (
    { store, records }: Home,
    orderRef: string,
    filter: Partial<OrderFilter> = {},
    page?: number,
  ): Promise<readonly string[]> => {
    const person = records.hash(personKey(await unwrap(store.read(orderRef))) ?? '')
    const searched = { ...filter, person }
    const found: string[] = []
    let from: number | null = null
    do {
      const answer: OrderPage = await unwrap(store.orders.search(searched, from, page ?? 100))
      found.push(...answer.orders.map(({ placed }) => placed.orderRef))
      from = answer.next
    } while (from !== null)
    expect((await unwrap(store.orders.count(searched))).count).toBe(found.length)
    return found
  }

  it('are found over pages, with other filters, and under the next master key', async () => {
    const place = await openPlace()
    const home = await openTestHome(place, OLD)
    const shop = openShop(home.store)
    const refs = await Promise.all([1, 2, 3].map(() => shop.placeAndSubmit()))
    await shop.placeAndSubmit()
    const [first = '', ...others] = await listRefs(home, refs[0] ?? '')
    expect([first, ...others]).toHaveLength(4)
    await shop.submit(first, { nin: '87654321X' })
    expect(await listRefs(home, first)).toEqual([first])
    await shop.leadToConfirmation(others[1] ?? '')
    expect(await listRefs(home, others[0] ?? '', {}, 1)).toEqual(others)
    expect(await listRefs(home, others[0] ?? '', { checkout: 'confirming' })).toEqual([others[1]])
    expect(await listRefs(home, others[0] ?? '', { merchantRef: 'other' })).toEqual([])

    const rotating = await openTestHome(place, `${NEW},${OLD}`)
    await unwrap(rotating.keyRotation.markInUse())
    await unwrap(rotating.keyRotation.reencryptOrders(0, 100))
    await unwrap(rotating.keyRotation.reencryptSecrets())
    const next = await openTestHome(place, NEW)
    expect(await listRefs(next, others[0] ?? '')).toEqual(others)
  })

  it('have a hash as long as they have a phone and an ID number, until the shopper is erased', async () => {
    const place = await openPlace()
    const home = await openTestHome(place, OLD)
    const shop = openShop(home.store)
    const ref = await shop.place()
    await shop.place()
    expect(await place.hashes()).toEqual([null, null])
    await shop.submit(ref)
    const [hash] = await place.hashes()
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    await shop.submit(ref, { nin: '87654321X' })
    await shop.submit(ref, aPerson)
    expect(await place.hashes()).toEqual([hash, null])
    shop.advance(90 * 24 * 3_600_000)
    await finishJobs(shop)
    expect(await place.hashes()).toEqual([hash, null])
    const erasing = await openTestHome(place, OLD)
    const erase = eraseShopperData({ erasure: erasing.erasure, clock: { now: shop.now } })
    expect(await unwrap(erase(ref))).toBe('erased')
    expect(await place.hashes()).toEqual([null, null])
  })
})
