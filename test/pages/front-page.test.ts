// The sandbox's front page in a real browser: shop, statechart, timeline and clock show one moment of
// one order. Sandbox rules, Demo.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { stagesOf } from '../end-to-end/stages.ts'
import { servedPages } from '../harness/served-pages.ts'
import { basic } from '../harness/shop.ts'
import { AGREEMENT, buy, finish } from './shopper-steps.ts'

const { server, shop: demo, withPage } = await servedPages({ width: 1440 })

const entry = (page: Page, text: string) => page.locator('#timeline li', { hasText: text })

const isIn = (page: Page, state: string): Promise<void> =>
  page.getByRole('tab', { name: `checkout: ${state}`, exact: true }).waitFor()

describe('the front page', () => {
  it('offers three persons, and the rest behind “more”', () =>
    withPage('/', async (page) => {
      const person = (name: string) => page.getByRole('radio', { name })
      expect(await person('Ana').isChecked()).toBe(true)
      expect(await person('Eva').isVisible()).toBe(true)
      expect(await person('Hugo').isVisible()).toBe(false)
      await page.getByText('10 more').click()
      await person('Hugo').check()
      expect(await page.getByRole('radio', { name: 'Pay now' }).isChecked()).toBe(true)
    }))

  it('shows the statechart after the entry that the reader selects, until they follow again', () =>
    withPage('/', async (page) => {
      await finish(demo, await buy(page))
      await entry(page, 'The shop accepted the IPN').waitFor()
      await isIn(page, 'confirmed')
      await entry(page, 'The shopper entered the code').getByRole('button').click()
      await isIn(page, 'screening')
      // A permalink names the event.
      await page.waitForURL(/event=\d+$/)
      await page.reload()
      await isIn(page, 'screening')
      const current = page.locator('#timeline [aria-current=step]')
      await current.filter({ hasText: 'The shopper entered the code' }).waitFor()
      // The list follows the scrubber.
      await page.getByRole('slider').focus()
      await page.keyboard.press('Home')
      await isIn(page, 'identifying')
      await page.locator('#timeline').getByRole('button', { name: 'Follow' }).click()
      await isIn(page, 'confirmed')
      expect(page.url()).not.toContain('event=')
      expect(await current.count()).toBe(0)
    }))

  it('stays at an earlier event, and keeps the focus, while the order goes on', () =>
    withPage('/', async (page) => {
      const orderRef = await buy(page)
      await demo.submit(orderRef, AGREEMENT)
      const button = entry(page, 'The shopper sent their details').getByRole('button')
      await button.waitFor()
      await page.getByRole('button', { name: 'Previous event' }).click()
      await button.focus()
      await demo.submit(orderRef, { ...AGREEMENT, validation_code: '12345' })
      await entry(page, 'The shopper entered the code').waitFor()
      expect(await button.evaluate((focused) => focused.matches(':focus'))).toBe(true)
      await isIn(page, 'identifying')
    }))

  it('lets the shop follow the order, also after a move of the clock, which says what happened', () =>
    withPage('/', async (page) => {
      const orderRef = await buy(page)
      const checkout = page.locator('plazo-checkout')
      const send = checkout.getByRole('button', { name: 'Send me a code' })
      const time = entry(page, 'The shop placed the order').locator('time')
      expect(await time.textContent()).toMatch(/^\d\d:\d\d:\d\d$/)
      await demo.submit(orderRef, AGREEMENT)
      // Nobody has reloaded the page.
      await page.locator('#hint', { hasText: 'is in the SMS' }).waitFor()
      await send.waitFor()
      expect(await checkout.getByText('The page was reloaded').isVisible()).toBe(false)
      await page.getByRole('button', { name: 'This order’s timer' }).click()
      await page.locator('#news', { hasText: 'The time for the checkout was up.' }).waitFor()
      await send.waitFor({ state: 'hidden' })
      await entry(page, 'The time for the checkout was up').waitFor()
      // A time of another day has its date.
      expect(await time.textContent()).toMatch(/^\d{1,2} \w{3,4} \d\d:\d\d:\d\d$/)
    }))

  it('says that an operator must act, and leads to the decision', async () => {
    const orderRef = await stagesOf(demo).settled({ surnames: 'review event' })
    await withPage(`/?order=${orderRef}`, async (page) => {
      const decide = page.locator('#timeline').getByRole('link', { name: 'An operator decides' })
      expect(await decide.getAttribute('href')).toBe(`${server.url}/console/orders/${orderRef}`)
    })
  })

  it('writes amounts in the language of the page, while the checkout next to it speaks the shopper’s', async () => {
    const answer = await demo.send('POST', '/sandbox/demo/orders', {
      product: 'i1',
      language: 'es',
    })
    const { order_ref } = (await answer.json()) as { readonly order_ref: string }
    await withPage('/', async (page) => {
      await page.locator('#recent li', { hasText: '€900.00' }).first().getByRole('link').click()
      await page.waitForURL(new RegExp(order_ref))
      await page.locator('#order-name', { hasText: '€900.00' }).waitFor()
      await page.locator('plazo-checkout').getByText('900,00 €').first().waitFor()
    })
    const operator = { accept: 'text/html', authorization: basic('operator', 'operator') }
    for (const path of [`/machine/orders/${order_ref}`, `/console/orders/${order_ref}`]) {
      const text = await (await demo.send('GET', path, undefined, operator)).text()
      expect(text).toContain('€900.00')
      expect(text).not.toContain('900,00')
    }
  })

  it('shows one pane at a time on a phone', () =>
    withPage(
      '/',
      async (page) => {
        await buy(page)
        await page.getByRole('link', { name: 'Timeline' }).focus()
        await page.keyboard.press('Enter')
        await page.getByRole('region', { name: 'What happens' }).waitFor()
        expect(await page.getByRole('region', { name: 'The shop' }).isVisible()).toBe(false)
      },
      { width: 360 },
    ))
})
