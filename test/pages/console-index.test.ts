// The console's start page and its merchants in a real browser. They must work without scripts and
// without a mouse.
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

describe('the merchants on the console', () => {
  const filled = {
    Reference: 'lamps',
    Name: 'Lamps & Co',
    Username: 'lamps',
    Currency: 'EUR',
    Products: 'pp3,i1',
  }

  it('can be added by keyboard, and the running server accepts them at once', async () => {
    await withPage('/console/merchants', async (page) => {
      for (const [label, text] of Object.entries(filled)) {
        await tabTo(page, new RegExp(`^${label}`))
        await page.keyboard.type(text)
      }
      await page.getByLabel('Password').focus()
      await page.keyboard.type('lamps-secret')
      await tabTo(page, /Send identification_action/)
      await page.keyboard.press('Space')
      await tabTo(page, /^Add merchant$/)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Lamps & Co' }).waitFor()
      expect(page.url()).toBe(`${server.url}/console/merchants/lamps`)
    })
    const lamps = shopAt(server.url, { username: 'lamps', password: 'lamps-secret' })
    const credentials = await (await lamps.asMerchant('GET', '/merchants/lamps/credentials')).json()
    expect(credentials).toMatchObject({
      name: 'Lamps & Co',
      currency: 'EUR',
      options: { send_action_events_in_identification: true },
    })
    expect(await (await asOperator('/console/merchants/lamps')).json()).toMatchObject({
      products: ['pp3', 'i1'],
    })
  })

  it('show one sentence per error if they cannot be added, and keep the typed values', async () => {
    const before = await (await asOperator('/console/merchants')).json()
    await withPage(
      '/console/merchants',
      async (page) => {
        for (const [label, text] of Object.entries({
          ...filled,
          Reference: 'de mo',
          Currency: 'euro',
        }))
          await page.getByLabel(label, { exact: false }).first().fill(text)
        await page.getByLabel('Password').fill('secret')
        await page.getByRole('button', { name: 'Add merchant' }).click()
        const alert = (await page.getByRole('alert').textContent()) ?? ''
        expect(alert).toContain('ref must be up to 64 letters')
        expect(alert).toContain('currency must be a currency code like EUR (got "euro").')
        expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Lamps & Co')
        expect(await page.getByLabel('Password').inputValue()).toBe('')
      },
      { allows: /409/ },
    )
    const settings = {
      name: 'Demo',
      username: 'demo',
      password: 'wrong',
      currency: 'EUR',
      products: 'i1',
    }
    expect((await asOperator('/console/merchants', { ref: 'second', ...settings })).status).toBe(
      409,
    )
    expect(
      (await asOperator('/console/merchants', { ref: 'demo', ...settings, password: 'demo' }))
        .status,
    ).toBe(409)
    expect(await (await asOperator('/console/merchants')).json()).toEqual(before)
  })

  it('get a new secret that signs at once, after a confirmation', async () => {
    const secretOf = async (): Promise<unknown> =>
      ((await (await shop.asMerchant('GET', '/merchants/demo/credentials')).json()) as Json)
        .signature_secret
    const former = await secretOf()
    await withPage('/console/merchants/demo', async (page) => {
      expect(await page.getByText(String(former)).count()).toBe(1)
      await tabTo(page, /^Rotate the secret$/)
      await page.keyboard.press('Enter')
      expect(await secretOf()).toBe(former)
      await page.reload()
      await tabTo(page, /replace the secret/)
      await page.keyboard.press('Space')
      await tabTo(page, /^Rotate the secret$/)
      await page.keyboard.press('Enter')
      await page.getByText(String(former)).waitFor({ state: 'detached' })
      expect(page.url()).toBe(`${server.url}/console/merchants/demo`)
      expect(await page.getByText(String(await secretOf())).count()).toBe(1)
    })
    const { events, merchant } = addressesAt(receiver, 'after-rotation')
    await stagesOf(shop).settled(surnames('denial event'), { merchant })
    const [request] = receiver.received.filter(({ path }) => path === events)
    expect(String(request?.headers['webhook-signature']).split(' ')).toHaveLength(2)
    const rotated = await asOperator('/console/merchants/demo/rotate-secret', {})
    expect(await rotated.json()).toEqual({
      ref: 'demo',
      signature_secret: await secretOf(),
      former_signs_until: expect.stringMatching(/Z$/),
    })
    expect((await asOperator('/console/merchants/nobody/rotate-secret', {})).status).toBe(404)
    expect((await asOperator('/console/merchants/nobody')).status).toBe(404)
  })
})
