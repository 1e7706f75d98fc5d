// The console's list of orders in a real browser, without scripts: every order is found, by either
// reference, its beginning or its uuid, in any state, and the address has the whole list.
import { describe, expect, it } from 'vitest'
import { stagesOf, surnames } from '../end-to-end/stages.ts'
import { addLamps, OPERATOR, servedPages } from '../harness/served-pages.ts'
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
const lamps = shopAt(server.url, (await addLamps(server)).credentials)
await stagesOf(lamps).settled({}, { ...referencesOf('L-1'), merchant: { id: 'lamps' } })

const getAsOperator = (path: string): Promise<Response> =>
  shop.send('GET', path, undefined, { authorization: basic('operator', 'operator') })

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

  it('is exported with its filters', async () => {
    const csv = await getAsOperator('/console/orders.csv?search=BIKES-1')
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect((await csv.text()).match(/BIKES-\d+/g)).toEqual(['BIKES-100'])
  })

  it('is a 400 with a filter that says nothing', async () => {
    for (const query of ['checkout=lost', 'since=yesterday'])
      expect((await getAsOperator(`/console/orders?${query}`)).status).toBe(400)
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
      await page.getByLabel('State').selectOption('checkout=confirmed')
      await page.getByRole('button', { name: 'Show' }).click()
      expect(await page.locator('tbody th a').allTextContents()).toEqual(['<b>bold'])
      await page.getByLabel('State').selectOption('cancellation=asking')
      await page.getByRole('button', { name: 'Show' }).click()
      expect(await page.getByRole('status').textContent()).toContain('No order found')
    })
  })
})
