// Erases a shopper with the command line while a server runs: the order remains, and the personal
// data does not.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { openDataKeys } from '../../../packages/adapters/src/sqlite/encryption/data-keys.ts'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'
import { servedShopOnFile } from '../../end-to-end/served-shop.ts'
import { merchantWords } from '../../harness/command-line.ts'
import { CARD, type Json, shopAt } from '../../harness/shop.ts'

type Delivery = {
  readonly id: string
  readonly event: string
  readonly state: string
  readonly attempts: readonly { readonly status: number | null; readonly response: string | null }[]
}

const paying = { credit_agreement: { product: 'sp1', instalment_count: 3 } }

const { server, receiver, path, plazo } = await servedShopOnFile()
receiver.answer('/events', ({ body }) =>
  body.includes('event=cancel&')
    ? { status: 200, body: '{"result":"toolate","late_by":5,"of":"Ana"}' }
    : { status: 200, body: 'Ana' },
)
await plazo.json(...merchantWords('shop', { password: 'word' }), '--send-action-events')
const shop = shopAt(server.url, { username: 'shop', password: 'word' })

const place = (events = `${receiver.url}/events`): Promise<string> =>
  shop.place({
    merchant: { id: 'shop', notify_url: `${receiver.url}/ipn`, events_webhook: { url: events } },
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

const deliveriesOf = async (orderRef: string): Promise<readonly Delivery[]> =>
  (await (
    await shop.asMerchant('GET', `/merchants/shop/deliveries?order_ref=${orderRef}`)
  ).json()) as Delivery[]

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

/** Everything stored for an order, decrypted with the available keys. */
const keptOf = (orderRef: string) => {
  const db = openDatabase(path)
  const dataKeys = openDataKeys(db, path, null)
  const { id, revision, snapshot } = db
    .prepare('select * from orders where order_ref = ?')
    .get(orderRef) as {
    readonly id: number
    readonly revision: number
    readonly snapshot: Buffer
  }
  const column = (sql: string): readonly unknown[] => db.prepare(sql).pluck().all(id)
  const otherOrder = {
    snapshot: dataKeys.decrypt(id, `snapshot ${revision}`, snapshot),
    payload: column('select payload from placements where order_id = ?'),
    inputs: column('select input from journal where order_id = ? and input is not null'),
    works: column('select work from outbox where order_id = ? and work is not null'),
    responses: column(
      'select response from attempts where response is not null and delivery_id in (select id from outbox where order_id = ?)',
    ),
    records: column('select content from records where order_id = ?'),
  }
  db.close()
  return otherOrder
}

const erase = (orderRef: string) => plazo.json('orders', 'erase', orderRef, '--yes')

describe('an order whose shopper is erased', () => {
  let orderRef: string
  let other: string
  let before: Awaited<ReturnType<typeof readAll>>
  let keyBefore: Buffer

  const readAll = async (ref: string) => ({
    order: await shop.order(ref),
    wait: await shop.wait(ref),
    history: await shop.history(ref),
    deliveries: await deliveriesOf(ref),
  })

  beforeAll(async () => {
    // Both orders use the same card. It belongs to the order that saved it last.
    await bought()
    orderRef = await bought()
    other = await place()
    expect((await lead(other, paying)).reusable_cards).toHaveLength(1)
    await shop.decide(orderRef, 'request-cancellation')
    await shop.advance(5)
    before = await readAll(orderRef)
    keyBefore = encryptedKeyOf(orderRef)
    expect(
      readFileSync(path).includes(keyBefore) || readFileSync(`${path}-wal`).includes(keyBefore),
    ).toBe(true)
    expect(await erase(orderRef)).toEqual({ order_ref: orderRef, forgotten: true, before: false })
  })

  it('can be read as before, and its history records the erasure', async () => {
    const after = await readAll(orderRef)
    expect(after.order).toEqual({ ...before.order, updated_at: expect.any(String) })
    expect(after.wait).toEqual(before.wait)
    expect(after.wait).toMatchObject({
      action: 'finish',
      return_url: expect.stringContaining('sp1'),
    })
    expect(after.history.slice(0, -1)).toEqual(before.history)
    expect(after.history.at(-1)).toMatchObject({
      seq: before.history.length + 1,
      event: 'shopper.forgotten',
      detail: 'by the operator',
    })
    expect((await shop.send('GET', `/orders/${orderRef}`)).status).toBe(401)
  })

  it('contains no personal data, neither decrypted nor in the bytes of the file', async () => {
    expect(keptOf(orderRef)).toEqual({
      snapshot: expect.not.stringMatching(/Ana|12345678Z|600123456|Mayor|\b1111\b|12345"/),
      payload: [null],
      inputs: [],
      works: [],
      responses: [],
      records: [],
    })
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

  it('resends nothing', async () => {
    const [delivery] = await deliveriesOf(orderRef)
    const resent = await shop.asMerchant(
      'POST',
      `/merchants/shop/deliveries/${delivery?.id}/resend`,
    )
    expect(resent.status).toBe(409)
    expect(await resent.json()).toMatchObject({ detail: expect.stringContaining('was erased') })
  })
})

describe('a shopper whose data is still needed', () => {
  const expectRefusal = async (orderRef: string): Promise<string> => {
    const { code, stderr } = await plazo.run('orders', 'erase', orderRef)
    expect(code).toBe(1)
    expect((await shop.history(orderRef)).map(({ event }) => event)).not.toContain(
      'shopper.forgotten',
    )
    return stderr
  }

  it('is not erased while a job is pending, but afterwards', async () => {
    const orderRef = await place(`${receiver.url}/down`)
    receiver.answer('/down', { status: 503 })
    await lead(orderRef, { surnames: 'denial event' })
    await shop.advance(1)
    expect(await expectRefusal(orderRef)).toMatch(
      /^It cannot be erased yet:\n(?: {2}- Its job action .*\n)+ {2}- Its job notice is pending, due at \S+Z\.\nA shopper can be erased once/,
    )
    receiver.answer('/down', { status: 200 })
    await shop.advance(3600)
    expect(await erase(orderRef)).toMatchObject({ forgotten: true, before: false })
    expect(await shop.wait(orderRef)).toEqual({ action: 'reject' })
  })

  it('is unknown if the order does not exist', async () => {
    expect(
      await plazo.run('orders', 'erase', '0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10'),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Order .* not found\./),
    })
  })
})
