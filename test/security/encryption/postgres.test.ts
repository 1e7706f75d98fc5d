// An erasure on PostgreSQL leaves nothing in the bytes of its files.
import type { Storage } from '@plazo/adapters/internal/postgres'
import { eraseShopperData } from '@plazo/core'
import { openShop } from '@plazo/core/internal/testing'
import * as E from 'fp-ts/lib/Either.js'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  confirmByIpn,
  finishJobs,
} from '../../../packages/core/src/testing/contracts/store-fixtures.ts'
import {
  emptyDatabase,
  type FreshDatabase,
  openPostgresTestStorage,
  type PostgresTestStorage,
} from '../../harness/postgres-storage.ts'
import { aKeyNamed, keyringOf } from '../../harness/secret-keys.ts'

const OLD = aKeyNamed('old')

let opened: Storage[] = []
let database: FreshDatabase
let home: PostgresTestStorage
let sql: pg.Client

const secondStorage = async (secretKey = OLD): Promise<PostgresTestStorage> => {
  const other = await openPostgresTestStorage({
    url: home.url,
    keyring: keyringOf(secretKey),
  })
  opened = [other, ...opened]
  return other
}

const column = async (text: string, ...values: readonly unknown[]): Promise<readonly unknown[]> =>
  (await sql.query({ text, values: [...values], rowMode: 'array' })).rows.flat()

beforeEach(async () => {
  // An emptied database has so much free space that the bytes of an old key could stay for long.
  database = await emptyDatabase()
  home = await openPostgresTestStorage({ url: database.url, keyring: keyringOf(OLD) })
  opened = [home]
  sql = new pg.Client({ connectionString: home.url })
  await sql.connect()
})
afterEach(async () => {
  await sql.end()
  for (const each of opened) await each.close()
  await database.drop()
})

describe('a shopper in PostgreSQL', () => {
  it('leaves nothing once erased on another node, not even its key in the bytes of the file', async () => {
    const shop = openShop(home.store)
    const orderRef = await shop.place()
    await confirmByIpn(shop, orderRef)
    await shop.cancel(orderRef)
    await finishJobs(shop)
    const [ciphertext] = await column(
      'select ciphertext from plazo.data_keys join plazo.orders on id = order_id where order_ref = $1',
      orderRef,
    )
    const { erasure } = await secondStorage()
    expect(await eraseShopperData({ erasure, clock: shop.host.clock })(orderRef)()).toEqual(
      E.right('erased'),
    )
    const file = `pg_read_binary_file(pg_relation_filepath('plazo.data_keys'))`
    const isInFile = async (key: unknown): Promise<unknown> => {
      await sql.query('vacuum plazo.data_keys')
      await sql.query('checkpoint')
      return (await column(`select position($1::bytea in ${file}) > 0`, key))[0]
    }
    // A vacuum skips rows that an open transaction may still see. The space it frees holds the old
    // bytes until another row is written there.
    const isLeft = async (): Promise<unknown> => {
      await sql.query('vacuum plazo.data_keys')
      await shop.place()
      return isInFile(ciphertext)
    }
    await expect.poll(isLeft, { timeout: 60_000 }).toBe(false)
    const [now] = await column(
      'select ciphertext from plazo.data_keys join plazo.orders on id = order_id where order_ref = $1',
      orderRef,
    )
    expect(await isInFile(now)).toBe(true)
  })
})
