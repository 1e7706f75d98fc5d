// The console's start page in a real browser. It must work without scripts and without a mouse.
import { describe, expect, it } from 'vitest'
import { stagesOf } from '../end-to-end/stages.ts'
import { addLamps, OPERATOR, servedPages, tabTo } from '../harness/served-pages.ts'
import { shopAt } from '../harness/shop.ts'

const { server, shop, withPage } = await servedPages({
  httpCredentials: OPERATOR,
  javaScriptEnabled: false,
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
    const lamps = shopAt(server.url, (await addLamps(server)).credentials)
    const same = { merchant_reference: { order_ref_1: 'same' } }
    const refs = [
      await stagesOf(shop).settled({}, same),
      await stagesOf(lamps).settled({}, { ...same, merchant: { id: 'lamps' } }),
    ]
    // The newest first.
    refs.reverse()
    await withPage('/console/orders?search=same', async (page) => {
      const links = await page.getByRole('link', { name: 'same' }).all()
      expect(await Promise.all(links.map((link) => link.getAttribute('href')))).toEqual(
        refs.map((ref) => `orders/${ref}`),
      )
    })
  })
})
