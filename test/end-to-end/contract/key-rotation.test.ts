// Key rotation on many nodes must know which master keys are in use and re-encrypt data under the current
// one. On SQLite, test/security/encryption/key-rotation.test.ts rotates by the command.
import type { Storage } from '@plazo/adapters/internal/sqlite'
import { aMerchant, NOON, openShop, unwrap } from '@plazo/core/internal/testing'
import { expect, it, onTestFinished } from 'vitest'
import { freshDatabase, openPostgresTestStorage } from '../../harness/postgres-storage.ts'
import { aKeyNamed, keyringOf } from '../../harness/secret-keys.ts'

const [OLD, NEW] = [aKeyNamed('old'), aKeyNamed('new')]

const ORDERS = 25

it('master keys are rotated in pages by two commands at once, while a server runs, and the old one is then no longer needed', async () => {
  const { url, drop } = await freshDatabase()
  const opened: Storage[] = []
  const open = async (secretKey: string): Promise<Storage> => {
    const home = await openPostgresTestStorage({ url, keyring: keyringOf(secretKey) })
    opened.push(home)
    return home
  }
  onTestFinished(async () => {
    for (const home of opened) await home.close()
    await drop()
  })
  const { merchants, store } = await open(OLD)
  await unwrap(merchants.add(aMerchant('shop')))
  await unwrap(merchants.rotateSecret('shop', 'f'.repeat(32), NOON))
  const shop = openShop(store)
  const refs = await Promise.all(Array.from({ length: ORDERS }, () => shop.place()))

  const [{ keyRotation }, other] = [await open(`${NEW},${OLD}`), await open(`${NEW},${OLD}`)]
  expect(await unwrap(keyRotation.usage())).toEqual([
    { id: 'new', orders: 0, secrets: 0, isInUse: false },
    { id: 'old', orders: ORDERS, secrets: 2, isInUse: false },
  ])
  await unwrap(keyRotation.markInUse())
  expect(await unwrap(keyRotation.reencryptOrders(0, 10))).toEqual({
    count: 10,
    next: expect.any(Number),
  })
  // Both start from the beginning: orders that are done are skipped, and each counts once.
  const pages = await Promise.all(
    [keyRotation, other.keyRotation].map((each) => unwrap(each.reencryptOrders(0, 100))),
  )
  expect(pages.reduce((sum, { count }) => sum + count, 0)).toBe(15)
  expect(await unwrap(keyRotation.reencryptSecrets())).toBe(2)
  expect(await unwrap(keyRotation.usage())).toEqual([
    { id: 'new', orders: ORDERS, secrets: 2, isInUse: true },
    { id: 'old', orders: 0, secrets: 0, isInUse: false },
  ])
  const after = await open(NEW)
  for (const home of opened)
    for (const ref of refs) expect((await unwrap(home.store.read(ref))).revision).toBe(1)
  expect(await unwrap(after.merchants.liveSecrets('shop', NOON))).toEqual([
    'f'.repeat(32),
    aMerchant().signatureSecret,
  ])
  // A server that still has the old key first makes it needed again.
  await shop.place()
  await expect(open(NEW)).rejects.toThrow('SECRET_KEY has no key "old", but 1 order is encrypted')
})
