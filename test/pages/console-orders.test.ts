// The console's list of orders in a real browser, without scripts: every order is found, by either
// reference, its beginning or its uuid, in any state, and the address has the whole list.
import { describe, expect, it } from 'vitest'
import { stagesOf, surnames } from '../end-to-end/stages.ts'
import { OPERATOR, servedPages } from '../harness/served-pages.ts'
import { basic, shopAt } from '../harness/shop.ts'

const { server, shop, withPage } = await servedPages({
  httpCredentials: OPERATOR,
  javaScriptEnabled: false,
})
const stages = stagesOf(shop)

const referencesOf = (order_ref_1: string, order_ref_2 = '') => ({
  merchant_reference: { order_ref_1, order_ref_2 },
})

const abandoned = await shop.place(referencesOf('BIKES-100', 'INV-614'))
const heldRef = await stages.settled(surnames('review event'), referencesOf('BIKES-200'))
const confirmed = await stages.settled({}, referencesOf('<b>bold'))
await fetch(`${server.url}/console/merchants`, {
  method: 'POST',
  headers: { authorization: basic('operator', 'operator') },
  body: new URLSearchParams({
    ref: 'lamps',
    name: 'Lamps',
    username: 'lamps',
    password: 'lamps-secret',
    currency: 'EUR',
    products: 'i1',
  }),
})
const lamps = shopAt(server.url, { username: 'lamps', password: 'lamps-secret' })
await stagesOf(lamps).settled({}, { ...referencesOf('L-1'), merchant: { id: 'lamps' } })

/** The references in the list of this query, newest first. */
const readList = async (query: string): Promise<readonly string[]> => {
  let references: readonly string[] = []
  await withPage(`/console/orders${query}`, async (page) => {
    references = await page.locator('tbody th a').allTextContents()
  })
  return references
}

describe('the list of orders', () => {
  it('has every order, the newest first, and each leads to its page', async () => {
    expect(await readList('')).toEqual(['L-1', '<b>bold', 'BIKES-200', 'BIKES-100'])
    await withPage('/console/orders', async (page) => {
      await page.getByRole('link', { name: 'BIKES-200' }).click()
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(page.url()).toBe(`${server.url}/console/orders/${heldRef}`)
    })
  })

  it.each([
    ['the whole reference', 'BIKES-100', abandoned],
    ['the second reference in another case', 'inv-6', abandoned],
    ['a reference with other characters', '<b>bold', confirmed],
    ['the uuid', heldRef, heldRef],
    ['the beginning of the uuid', confirmed.slice(0, 13), confirmed],
  ])('leads from %s in the bar to the only order', async (_, text, ref) => {
    await withPage('/console', async (page) => {
      await page.getByRole('textbox', { name: 'Find an order' }).fill(text)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: /^Order / }).waitFor()
      expect(page.url()).toBe(`${server.url}/console/orders/${ref}`)
    })
  })

  it.each([
    ['?search=bikes', ['BIKES-200', 'BIKES-100']],
    ['?search=lamps&limit=9', ['L-1']],
    ['?merchant=lamps', ['L-1']],
    ['?checkout=reviewing', ['BIKES-200']],
    ['?checkout=identifying&risk=&failing=', ['BIKES-100']],
    ['?merchant=demo&checkout=confirmed', ['<b>bold']],
    ['?cancellation=cancelled', []],
    ['?since=2000-01-01&until=2000-01-02', []],
    ['?changed_since=2000-01-01&merchant=lamps', ['L-1']],
    ['?failing=true', ['L-1']],
  ])('%s shows %j', async (query, references) => {
    expect(await readList(query)).toEqual(references)
  })

  it('says that nothing was found, and keeps the search and the filters', async () => {
    await withPage('/console/orders?search=%3Cb%3Enowhere&merchant=demo', async (page) => {
      expect(await page.getByRole('status').textContent()).toContain('No order found')
      expect(await page.getByLabel('Merchant').inputValue()).toBe('demo')
      expect(await page.getByRole('textbox', { name: 'Find an order' }).inputValue()).toBe(
        '<b>nowhere',
      )
    })
  })

  it('is exported with its filters, and a cell never becomes a formula', async () => {
    await shop.place(referencesOf('=1+1'))
    const fetchText = async (path: string) => {
      const answer = await fetch(`${server.url}${path}`, {
        headers: { authorization: basic('operator', 'operator') },
      })
      return { type: answer.headers.get('content-type'), text: await answer.text() }
    }
    const csv = await fetchText('/console/orders.csv?search=%3D1')
    expect(csv.type).toBe('text/csv; charset=utf-8')
    const [head = '', line = ''] = csv.text.split('\r\n')
    expect(head.split(',')).toContain('order_ref_2')
    expect(line).toContain(`"'=1+1"`)
  })

  it('is a 400 with a filter that says nothing', async () => {
    for (const query of ['checkout=lost', 'since=yesterday'])
      expect(
        (
          await fetch(`${server.url}/console/orders?${query}`, {
            headers: { authorization: basic('operator', 'operator') },
          })
        ).status,
      ).toBe(400)
  })

  it('has the orders of several merchants with the same reference', async () => {
    for (const [each, merchant] of [
      [shop, {}],
      [lamps, { id: 'lamps' }],
    ] as const)
      await each.place({ ...referencesOf('same'), merchant })
    expect(await readList('?search=same')).toEqual(['same', 'same'])
  })

  it('comes in pages, with each order once', async () => {
    for (let n = 0; n < 50; n++) await shop.place(referencesOf(`many-${n}`))
    await withPage('/console/orders', async (page) => {
      expect(await page.locator('tbody tr').count()).toBe(50)
      await page.getByRole('link', { name: 'Older orders' }).click()
      expect(await page.locator('tbody th a').allTextContents()).toContain('BIKES-100')
    })
  })

  it('is filtered by the state of the checkout or of the cancellation as one choice', async () => {
    await withPage('/console/orders?checkout=reviewing', async (page) => {
      expect(await page.locator('tbody th a').allTextContents()).toEqual(['BIKES-200'])
      await page.getByLabel('State').selectOption('checkout=confirmed')
      await page.getByRole('button', { name: 'Show' }).click()
      expect(await page.locator('tbody th a').allTextContents()).toEqual(['<b>bold'])
      await page.getByLabel('State').selectOption('cancellation=asking')
      await page.getByRole('button', { name: 'Show' }).click()
      expect(await page.getByRole('status').textContent()).toContain('No order found')
    })
  })
})
