// Erases a shopper with the command line while a server runs: the key of the order's data stays nowhere in
// the bytes of the file. What is left of the order: contracts/erasure.contract.ts.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'
import { servedShopOnFile } from '../../end-to-end/served-shop.ts'

const { path, plazo, stages } = await servedShopOnFile()

const encryptedKeyOf = (orderRef: string): Buffer => {
  const db = openDatabase(path)
  const ciphertext = db
    .prepare<[string], Buffer>(
      'select ciphertext from data_keys where order_id = (select id from orders where order_ref = ?)',
    )
    .pluck()
    .get(orderRef)
  db.close()
  if (ciphertext === undefined) throw new Error('The order has no data key.')
  return ciphertext
}

const isInFile = (key: Buffer): boolean =>
  readFileSync(path).includes(key) || readFileSync(`${path}-wal`).includes(key)

it('the key of an order whose shopper is erased is nowhere in the bytes of the file', async () => {
  const orderRef = await stages.settled()
  const other = await stages.settled()
  const key = encryptedKeyOf(orderRef)
  expect(isInFile(key)).toBe(true)
  await plazo.json('orders', 'erase', orderRef, '--yes')
  expect(isInFile(key)).toBe(false)
  expect(isInFile(encryptedKeyOf(other))).toBe(true)
})
