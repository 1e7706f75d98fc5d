// A shop that got no answer repeats `POST /orders` with the same key, to any node. Contract §3.
import { newKeyEntry } from '@plazo/adapters/internal/encryption'
import { openLog } from '@plazo/server'
import { afterAll, describe, expect, it } from 'vitest'
import { composeInMode, configFrom } from '../harness/config.ts'
import { freshDatabase } from '../harness/postgres-storage.ts'
import { basic, CODE, DEMO, type Json, orderBody, type Shop, shopAt } from '../harness/shop.ts'

const BASE_URL = 'http://localhost:3000'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const openNode = async (settings: Readonly<Record<string, string>>) => {
  const options = { baseUrl: BASE_URL, log: openLog('silent') }
  const { app, stop } = await composeInMode(configFrom(settings), options)
  afterAll(() => stop())
  return async (url: string, init: RequestInit): Promise<Response> =>
    app.fetch(new Request(url, init))
}

const database = await freshDatabase()
afterAll(() => database.drop())
const shared = { DATABASE_URL: database.url, SECRET_KEY: newKeyEntry() }
const onSqlite = await openNode({ DATABASE_URL: 'sqlite::memory:', SECRET_KEY: newKeyEntry() })
const onPostgres = [await openNode(shared), await openNode(shared)] as const

const placeAt = (
  { send }: Shop,
  key: string,
  body: unknown,
  authorization = basic('demo', 'demo'),
): Promise<Response> => send('POST', '/orders', body, { authorization, 'idempotency-key': key })

const locationOf = (answer: Response): string => {
  expect(answer.status).toBe(204)
  return answer.headers.get('location') ?? ''
}

describe.each([
  ['one node on SQLite', [onSqlite, onSqlite] as const],
  ['two nodes on PostgreSQL', onPostgres],
])('on %s', (_, [first, second]) => {
  const shop = shopAt(BASE_URL, DEMO, first)
  const other = shopAt(BASE_URL, DEMO, second)
  const order = (reference: string): Json =>
    orderBody({ merchant_reference: { order_ref_1: reference } })
  const place = (key: string, body: unknown, at = shop) => placeAt(at, key, body)
  const ordersOf = async (reference: string): Promise<readonly string[]> => {
    const list = await shop.asMerchant('GET', `/merchants/demo/orders?search=${reference}`)
    const orders = (await list.json()) as readonly { readonly order_ref: string }[]
    return orders.map(({ order_ref }) => order_ref)
  }

  it('the same key and body answer with the same Location, and there is one order', async () => {
    const location = locationOf(await place('a', order('REPEATED')))
    const uuid = location.split('/').at(-1) ?? ''
    expect(uuid).toMatch(UUID)
    for (const at of [shop, other])
      expect(locationOf(await place('a', order('REPEATED'), at))).toBe(location)
    expect(await ordersOf('REPEATED')).toEqual([uuid])
    expect((await other.history(uuid)).map(({ event }) => event)).toEqual(['order.placed'])
  })

  it('requests at once are one order, and those with another body are refused', async () => {
    const answers = await Promise.all(
      [shop, other, shop, other].map((at) => place('at once', order('AT-ONCE'), at)),
    )
    expect(new Set(answers.map(locationOf)).size).toBe(1)
    expect(await ordersOf('AT-ONCE')).toHaveLength(1)
    const bodies = ['ONE', 'TWO', 'THREE', 'FOUR'].map((each) => order(`BODIES-${each}`))
    const mixed = await Promise.all(
      bodies.map((body, n) => place('bodies', body, n % 2 === 0 ? shop : other)),
    )
    expect(mixed.map(({ status }) => status).sort()).toEqual([204, 409, 409, 409])
    expect(await ordersOf('BODIES-')).toHaveLength(1)
  })

  it('another body is refused with a sentence that names the key, also if it is wrong', async () => {
    locationOf(await place('b "x"', order('BODY')))
    for (const body of [order('OTHER'), { order: {} }]) {
      const answer = await place('b "x"', body, other)
      expect(answer.status).toBe(409)
      expect(await answer.json()).toEqual({
        errors: [expect.stringContaining('Idempotency-Key "b \\"x\\"" belongs')],
      })
    }
    expect(await ordersOf('OTHER')).toEqual([])
  })

  it('a refusal is not remembered', async () => {
    const refused = await place('c', { order: {} })
    expect(refused.status).toBe(409)
    expect(await refused.text()).not.toContain('Idempotency-Key')
    locationOf(await place('c', order('AFTER-REFUSAL'), other))
  })
})

describe('a key', () => {
  const shop = shopAt(BASE_URL, DEMO, onSqlite)
  const place = (key: string, authorization?: string) =>
    placeAt(shop, key, orderBody(), authorization)

  it('belongs to its account', async () => {
    await onSqlite(`${BASE_URL}/console/merchants`, {
      method: 'POST',
      headers: { authorization: basic('operator', 'operator') },
      body: new URLSearchParams({
        ...{ ref: 'lamps', name: 'Lamps', username: 'lamps', password: 'lamps' },
        ...{ currency: 'EUR', products: 'i1' },
      }),
    })
    const placeTheirs = () =>
      placeAt(shop, 'd', orderBody({ merchant: { id: 'lamps' } }), basic('lamps', 'lamps'))
    const theirs = locationOf(await placeTheirs())
    expect(locationOf(await place('d'))).not.toBe(theirs)
    expect(locationOf(await placeTheirs())).toBe(theirs)
  })

  it('answers for an order that is confirmed, whose reference no other order may have', async () => {
    const body = orderBody({ merchant_reference: { order_ref_1: 'CONFIRMED' } })
    const location = locationOf(await placeAt(shop, 'f', body))
    const ref = location.split('/').at(-1) ?? ''
    await shop.submit(ref)
    await shop.submit(ref, { validation_code: CODE })
    await shop.advance(60)
    await shop.submit(ref)
    expect((await shop.put(ref, { state: 'confirmed' })).status).toBe(200)
    expect(locationOf(await placeAt(shop, 'f', body))).toBe(location)
    expect((await placeAt(shop, 'g', body)).status).toBe(409)
  })

  it.each(['k', ' ~!"\\ x', '0'.repeat(255)])('may be %j', async (key) => {
    expect((await place(key)).status).toBe(204)
  })

  it.each(['', '0'.repeat(256), 'clé', 'tab\there'])('is refused if it is %j', async (key) => {
    const answer = await place(key)
    expect(answer.status).toBe(400)
    const { detail } = (await answer.json()) as { readonly detail: string }
    expect(detail).toMatch(/^Idempotency-Key is ".*, but must be 1 to 255 printable ASCII/)
    expect((await place(key, basic('demo', 'wrong'))).status).toBe(401)
  })
})
