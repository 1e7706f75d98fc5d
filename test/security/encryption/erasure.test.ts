// Erases a shopper with the command line while a server runs: the key of the order's data stays nowhere in
// the bytes of the file. What is left of the order: contracts/erasure.contract.ts.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'
import { servedShopOnFile } from '../../end-to-end/served-shop.ts'
import { merchantWords } from '../../harness/command-line.ts'
import { CARD, type Json, shopAt } from '../../harness/shop.ts'

const paying = { credit_agreement: { product: 'sp1', instalment_count: 3 } }

const { server, receiver, path, plazo } = await servedShopOnFile()
receiver.answer('/events', { status: 200, body: '{"result":"toolate","late_by":5}' })
await plazo.json(...merchantWords('shop', { password: 'word' }), '--send-action-events')
const shop = shopAt(server.url, { username: 'shop', password: 'word' })

const place = (): Promise<string> =>
  shop.place({
    merchant: {
      id: 'shop',
      notify_url: `${receiver.url}/ipn`,
      events_webhook: { url: `${receiver.url}/events` },
    },
    customer: { email: 'ana@correo.example' },
  })

const lead = async (orderRef: string, extra: Json = {}) => {
  await shop.submit(orderRef, extra)
  await shop.submit(orderRef, { ...extra, validation_code: '12345' })
  await shop.advance(2)
  return shop.submit(orderRef, extra)
}

/** A confirmed order, paid with a card that was then saved. */
const bought = async (): Promise<string> => {
  const orderRef = await place()
  const { iframe_url } = await lead(orderRef, paying)
  await shop.pay(iframe_url, { ...CARD, save: 'on' })
  await shop.advance(5)
  expect((await shop.order(orderRef)).state.checkout).toBe('confirmed')
  return orderRef
}

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

describe('an order whose shopper is erased', () => {
  let orderRef: string
  let other: string
  let keyBefore: Buffer

  beforeAll(async () => {
    // Both orders use the same card. It belongs to the order that saved it last.
    await bought()
    orderRef = await bought()
    other = await place()
    expect((await lead(other, paying)).reusable_cards).toHaveLength(1)
    await shop.decide(orderRef, 'request-cancellation')
    await shop.advance(5)
    keyBefore = encryptedKeyOf(orderRef)
    expect(
      readFileSync(path).includes(keyBefore) || readFileSync(`${path}-wal`).includes(keyBefore),
    ).toBe(true)
    await plazo.json('orders', 'erase', orderRef, '--yes')
  })

  it('leaves its key nowhere in the bytes of the file', async () => {
    expect(readFileSync(path).includes(keyBefore)).toBe(false)
    expect(readFileSync(`${path}-wal`).includes(keyBefore)).toBe(false)
    expect(
      readFileSync(path).includes(encryptedKeyOf(other)) ||
        readFileSync(`${path}-wal`).includes(encryptedKeyOf(other)),
    ).toBe(true)
  })

  it('has lost the cards that were saved with it', async () => {
    const next = await place()
    expect((await lead(next, paying)).reusable_cards).toEqual([])
    // Another order still shows the card that it received before.
    expect((await shop.wait(other)).reusable_cards).toHaveLength(1)
  })
})
