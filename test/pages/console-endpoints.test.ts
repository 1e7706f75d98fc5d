// The console's pages for endpoints in a real browser, without scripts: a shop that fails every IPN is
// named with what it costs, and gets its deliveries again.
import { afterAll, describe, expect, it } from 'vitest'
import { addressesAt, stagesOf } from '../end-to-end/stages.ts'
import { startReceiver } from '../harness/receiver.ts'
import { OPERATOR, servedPages } from '../harness/served-pages.ts'
import { basic } from '../harness/shop.ts'

const receiver = await startReceiver()
afterAll(() => receiver.close())
const { server, shop, withPage } = await servedPages({
  httpCredentials: OPERATOR,
  javaScriptEnabled: false,
})

const DAY = 24 * 3600

let orderCount = 0
/** An order whose IPN the shop answered with this status. */
const placeAt = async (status: number): Promise<string> => {
  const { merchant, ipn } = addressesAt(receiver, `shop-${status}`)
  receiver.answer(ipn, { status, body: '' })
  return stagesOf(shop).settled(
    {},
    { merchant, merchant_reference: { order_ref_1: `R-${orderCount++}` } },
  )
}

describe('a shop that fails every IPN', () => {
  it('is named first, with its last answers, its expired orders, and a mail for its developer', async () => {
    await placeAt(200)
    await withPage('/console/endpoints', async (page) => {
      expect(await page.getByText('No endpoint fails.').count()).toBe(1)
    })
    for (let count = 0; count < 3; count++) await placeAt(503)
    await shop.advance(DAY + 60)
    await placeAt(503)
    await withPage('/console/endpoints', async (page) => {
      const failing = page.getByRole('region', { name: 'Failing endpoints' })
      const text = (await failing.textContent()) ?? ''
      expect(text).toContain('demo IPN')
      expect(text).toContain('fails since')
      expect(text).toContain('failed attempts')
      expect((await page.locator('.notice.wrong').textContent()) ?? '').toMatch(
        /One shop loses orders.*expired orders of demo/s,
      )
      await page.getByRole('link', { name: 'demo IPN' }).click()
      await page.getByRole('heading', { level: 1, name: 'demo IPN' }).waitFor()
      const main = (await page.getByRole('main').textContent()) ?? ''
      expect(main).toContain('1 order')
      expect(main).toContain('failed, 503: the shop did not accept it')
      expect(await page.getByText('Request and answer').count()).toBeGreaterThan(1)
      const mail = await page.getByRole('textbox', { name: 'The mail' }).inputValue()
      expect(mail).toMatch(
        /shop demo does not accept our IPN\..*Failing since: .*UTC.*failed, 503.*POST http.*order_ref.*POST http.*\/merchants\/demo\/deliveries\/example/s,
      )
    })
  })

  it('gets its deliveries again, after the operator has seen how many', async () => {
    const { ipn } = addressesAt(receiver, 'shop-503')
    receiver.answer(ipn, { status: 200, body: '' })
    await withPage('/console/endpoints/demo/ipn', async (page) => {
      await page.getByRole('button', { name: 'Show what would be sent' }).click()
      expect(await page.getByRole('status').textContent()).toMatch(/1 webhook/)
      await page.getByRole('button', { name: 'Send them again' }).click()
      await page.getByRole('status').filter({ hasText: 'sent again now' }).waitFor()
      await shop.advance(1)
      await page.goto(`${server.url}/console/endpoints`)
      expect(await page.getByText('No endpoint fails.').count()).toBe(1)
    })
  })

  it('is a 404 if there is no such merchant or kind', async () => {
    const asOperator = (path: string) =>
      fetch(`${server.url}${path}`, {
        headers: { authorization: basic('operator', 'operator') },
      })
    for (const path of ['nobody/ipn', 'demo/mail'])
      expect((await asOperator(`/console/endpoints/${path}`)).status).toBe(404)
  })
})
