// An erasure on PostgreSQL leaves nothing in the bytes of its files.
import { eraseShopperData } from '@plazo/core'
import { openShop } from '@plazo/core/internal/testing'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it, onTestFinished } from 'vitest'
import {
  confirmByIpn,
  finishJobs,
} from '../../../packages/core/src/testing/contracts/store-fixtures.ts'
import { queryPostgres } from '../../harness/postgres.ts'
import { emptyDatabase, openPostgresTestStorage } from '../../harness/postgres-storage.ts'

it('a shopper in PostgreSQL leaves nothing once erased on another node, not even its key in the bytes of the file', async () => {
  // An emptied database has so much free space that the bytes of an old key could stay for long.
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  const open = async () => {
    const storage = await openPostgresTestStorage({ url })
    onTestFinished(storage.close)
    return storage
  }
  const shop = openShop((await open()).store)
  const orderRef = await shop.place()
  await confirmByIpn(shop, orderRef)
  await shop.cancel(orderRef)
  await finishJobs(shop)
  /** In hexadecimal digits. */
  const encryptedKey = async (): Promise<unknown> => {
    const [row] = await queryPostgres(
      url,
      `select encode(ciphertext, 'hex') as key from plazo.data_keys join plazo.orders on id = order_id
        where order_ref = '${orderRef}'`,
    )
    return row?.key
  }
  const isInFile = async (key: unknown): Promise<unknown> => {
    await queryPostgres(url, 'vacuum plazo.data_keys')
    await queryPostgres(url, 'checkpoint')
    const [row] = await queryPostgres(
      url,
      `select position('\\x${key}'::bytea in pg_read_binary_file(pg_relation_filepath('plazo.data_keys'))) > 0 as found`,
    )
    return row?.found
  }
  const before = await encryptedKey()
  const { erasure } = await open()
  expect(await eraseShopperData({ erasure, clock: shop.host.clock })(orderRef)()).toEqual(
    E.right('erased'),
  )
  // A vacuum skips rows that an open transaction may still see. The space it frees holds the old
  // bytes until another row is written there.
  const isLeft = async (): Promise<unknown> => {
    await queryPostgres(url, 'vacuum plazo.data_keys')
    await shop.place()
    return isInFile(before)
  }
  await expect.poll(isLeft, { timeout: 60_000 }).toBe(false)
  expect(await isInFile(await encryptedKey())).toBe(true)
})
