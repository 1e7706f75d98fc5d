// The console's start page in a real browser. It must work without scripts and without a mouse.
import { afterAll, describe, expect, it } from 'vitest'
import { addressesAt, stagesOf, surnames } from '../end-to-end/stages.ts'
import { startReceiver } from '../harness/receiver.ts'
import { OPERATOR, servedPages, tabTo } from '../harness/served-pages.ts'
import { basic, type Json, shopAt } from '../harness/shop.ts'

const receiver = await startReceiver()
afterAll(() => receiver.close())
const { server, shop, withPage } = await servedPages({
  httpCredentials: OPERATOR,
  javaScriptEnabled: false,
})

const operator = { authorization: basic('operator', 'operator') }

const asOperator = (path: string, fields?: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(`${server.url}${path}`, {
    headers: operator,
    ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
  })

type Waiting = {
  readonly waiting: Readonly<
    Record<string, { readonly entries: readonly Json[]; readonly next: number | null }>
  >
  readonly found?: readonly Json[]
}

const waitingNow = async (query = ''): Promise<Waiting> =>
  (await (await asOperator(`/console${query}`)).json()) as Waiting

const refsOf = ({ waiting }: Waiting, kind: string): readonly unknown[] =>
  (waiting[kind]?.entries ?? []).map(({ order }) => (order as Json).order_ref)

let named = 0
const placeHeld = (order_ref_1 = `held-${named++}`): Promise<string> =>
  stagesOf(shop).settled(surnames('review event'), { merchant_reference: { order_ref_1 } })

/** A confirmed order whose merchant gives this answer to a cancel request. */
const askToCancel = async (status: number, body: string): Promise<string> => {
  const { events, merchant } = addressesAt(receiver, `asked-${named++}`)
  receiver.answer(events, { status, body })
  const ref = await stagesOf(shop).settled({}, { merchant })
  await shop.decide(ref, 'request-cancellation')
  await shop.advance(0)
  return ref
}

describe('the list of orders that need a decision', () => {
  it('shows each until it is decided, grouped by what it waits for', async () => {
    const review = await placeHeld()
    const waiting = await askToCancel(200, '{"result":"retry","retry_in":60}')
    const unsupported = await askToCancel(501, '{"error":"unknown event cancel"}')
    const before = await waitingNow()
    expect(refsOf(before, 'review')).toContain(review)
    expect(refsOf(before, 'asked')).toContain(waiting)
    expect(refsOf(before, 'unsupported')).toContain(unsupported)
    expect(before.waiting.stuck).toEqual({ entries: [], next: null })

    await shop.decide(review, 'approve')
    for (const ref of [waiting, unsupported]) await shop.decide(ref, 'cancel')
    const after = await waitingNow()
    for (const [kind, ref] of Object.entries({ review, asked: waiting, unsupported }))
      expect(refsOf(after, kind)).not.toContain(ref)
  })

  it.each([
    ['?waiting=review', '/console/decisions?kind=review'],
    ['?reference=same%20%2F', '/console/orders?search=same+%2F'],
  ])('requested with %s leads a browser to %s', async (query, path) => {
    await withPage(`/console${query}`, async (page) => {
      expect(page.url()).toBe(`${server.url}${path}`)
    })
  })

  it.each(['waiting=lost', 'waiting=review&after=x', 'after=-1'])(
    'requested with an invalid %s is a 400',
    async (query) => {
      expect((await asOperator(`/console?${query}`)).status).toBe(400)
    },
  )
})

describe('the search', () => {
  it('finds the order with a reference of either kind', async () => {
    const ref = await stagesOf(shop).settled(
      {},
      { merchant_reference: { order_ref_1: 'sought/1 ñ' } },
    )
    for (const reference of [ref, 'sought/1 ñ'])
      await withPage('/console', async (page) => {
        await tabTo(page, /Find an order/)
        await page.keyboard.type(reference)
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: /^Order / }).waitFor()
        expect(page.url()).toBe(`${server.url}/console/orders/${ref}`)
      })
  })

  it('lists the orders of several merchants with the same reference', async () => {
    const fields = {
      name: 'Other',
      username: 'other',
      password: 'other',
      currency: 'EUR',
      products: 'i1',
    }
    expect((await asOperator('/console/merchants', { ref: 'other', ...fields })).status).toBe(201)
    const other = shopAt(server.url, { username: 'other', password: 'other' })
    const same = { merchant_reference: { order_ref_1: 'same' } }
    const refs = [
      await stagesOf(shop).settled({}, same),
      await stagesOf(other).settled({}, { ...same, merchant: { id: 'other' } }),
    ]
    // The newest first.
    refs.reverse()
    expect((await waitingNow('?reference=same')).found?.map(({ order_ref }) => order_ref)).toEqual(
      refs,
    )
    await withPage('/console?reference=same', async (page) => {
      const links = await page.getByRole('link', { name: 'same' }).all()
      expect(await Promise.all(links.map((link) => link.getAttribute('href')))).toEqual(
        refs.map((ref) => `orders/${ref}`),
      )
    })
  })
})
