// A merchant reads more orders, or more lines of one, than a page has. Contract §3.
import { expect, it } from 'vitest'
import { servedShop } from './served-shop.ts'

const { server, shop } = await servedShop()

it('a page of orders has as many as its limit, and at most 100, newest first, with a link to the rest', async () => {
  const placed: string[] = []
  for (let count = 0; count < 103; count++) placed.push(await shop.place())
  placed.reverse()
  const read = async (path: string) => {
    const answer = await shop.asMerchant('GET', path)
    const orders = (await answer.json()) as readonly { readonly order_ref: string }[]
    const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? []
    return { refs: orders.map(({ order_ref }) => order_ref), next }
  }
  const path = '/merchants/demo/orders'
  expect((await read(path)).refs).toEqual(placed.slice(0, 50))
  expect((await read(`${path}?limit=2`)).refs).toEqual(placed.slice(0, 2))
  const { refs, next } = await read(`${path}?limit=1000`)
  expect(refs).toEqual(placed.slice(0, 100))
  expect(next).toMatch(new RegExp(`^${server.url}${path}\\?`))
  expect(await read(next)).toEqual({ refs: placed.slice(100), next: '' })
})

it.each(['0', 'ten'])('a limit of %s is a 400 that names it', async (limit) => {
  const answer = await shop.asMerchant('GET', `/merchants/demo/orders?limit=${limit}`)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('limit') })
})
