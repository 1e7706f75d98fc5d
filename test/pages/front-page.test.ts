// The sandbox's front page in a real browser: a newcomer's first purchase, the timeline and the
// clock. Sandbox rules, Demo.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { servedPages } from '../harness/served-pages.ts'
import { basic } from '../harness/shop.ts'
import { AGREEMENT, buy, finish } from './shopper-steps.ts'

const { server, shop: demo, withPage } = await servedPages({ width: 1440 })

const entry = (page: Page, text: string | RegExp) =>
  page.locator('plazo-timeline li', { hasText: text })

describe('the front page', () => {
  it('says before the first order what to do', () =>
    withPage('/', async (page) => {
      await page.getByText('No order yet.').waitFor()
      await page.getByText('Choose a shopper, and go to the checkout.').waitFor()
      expect(await page.getByRole('radio', { name: 'Ana' }).isChecked()).toBe(true)
    }))

  it('says for each person what happens to them, and shows the person that a link names', () =>
    withPage('/?person=denial%20event', async (page) => {
      expect(await page.getByRole('radio', { name: 'Eva' }).isChecked()).toBe(true)
      await page.getByText('The screening denies the purchase.').waitFor()
      await page.getByText('Luis').click()
      await page.getByText('An operator must decide before the order goes on.').waitFor()
      await page.getByText('Hugo').click()
      expect(await page.getByRole('radio', { name: 'Pay now' }).isChecked()).toBe(true)
    }))

  it('shows the statechart after the entry that the reader selects, until they follow again', () =>
    withPage('/', async (page) => {
      const orderRef = await buy(page)
      await finish(demo, orderRef)
      await entry(page, 'ipn.accepted').first().waitFor()
      const isIn = (state: string) =>
        page.getByRole('tab', { name: `checkout: ${state}`, exact: true }).waitFor()
      await isIn('confirmed')
      await entry(page, 'code.submitted').getByRole('button').click()
      await isIn('screening')
      await page
        .locator('plazo-timeline [aria-current=step]', { hasText: 'code.submitted' })
        .waitFor()
      // A permalink names the event.
      await page.waitForURL(/event=\d+$/)
      await page.reload()
      await isIn('screening')
      // The arrow keys step, and the list follows the scrubber.
      await entry(page, 'code.submitted').getByRole('button').focus()
      const screened = page.getByRole('tab', { name: 'checkout: screened' })
      for (let presses = 0; presses < 30 && !(await screened.isVisible()); presses += 1)
        await page.keyboard.press('ArrowDown')
      await isIn('screened')
      await page.getByRole('button', { name: 'Previous event' }).click()
      await page.locator('plazo-timeline [aria-current=step]').waitFor()
      await page.getByRole('slider').focus()
      await page.keyboard.press('Home')
      await isIn('identifying')
      await page.locator('plazo-timeline').getByRole('button', { name: 'Follow' }).click()
      await isIn('confirmed')
      expect(page.url()).not.toContain('event=')
      expect(await page.locator('plazo-timeline [aria-current=step]').count()).toBe(0)
    }))

  it('stays at an earlier event, and keeps the focus, while the order goes on', () =>
    withPage('/', async (page) => {
      const orderRef = await buy(page)
      await demo.submit(orderRef, AGREEMENT)
      await entry(page, 'person.submitted').waitFor()
      await page.getByRole('button', { name: 'Previous event' }).click()
      await page.getByRole('tab', { name: 'checkout: identifying' }).waitFor()
      const button = entry(page, 'person.submitted').getByRole('button')
      await button.focus()
      await demo.submit(orderRef, { ...AGREEMENT, validation_code: '12345' })
      await entry(page, 'code.submitted').waitFor()
      // A reader who steps by keyboard keeps their place.
      expect(await button.evaluate((focused) => focused.matches(':focus'))).toBe(true)
      expect(await page.getByRole('tab', { name: 'checkout: identifying' }).isVisible()).toBe(true)
      await page.locator('plazo-machine').getByRole('button', { name: 'Follow' }).click()
      await page.getByRole('tab', { name: /checkout: screen/ }).waitFor()
      await page.locator('plazo-timeline .back').waitFor({ state: 'hidden' })
    }))

  it('moves the clock to the next timer, and says in words what happened', () =>
    withPage('/?person=expiry%20event', async (page) => {
      const orderRef = await buy(page)
      await demo.submit(orderRef, { surnames: 'expiry event' })
      await demo.submit(orderRef, { surnames: 'expiry event', validation_code: '12345' })
      await entry(page, 'The screening expires').waitFor()
      await page.getByRole('button', { name: 'Next timer' }).click()
      await page.getByText('The time for the screening was up.').waitFor()
      await entry(page, /screening.*expired|screeningWindow|checkout: screening/)
        .first()
        .waitFor()
    }))

  it('shows the same order after a reload, and in a second tab', () =>
    withPage('/', async (page) => {
      const orderRef = await buy(page)
      await page.reload()
      await entry(page, 'order.placed').or(entry(page, 'The checkout expires')).first().waitFor()
      const other = await page.context().newPage()
      await other.goto(page.url())
      await demo.submit(orderRef)
      for (const each of [page, other]) await entry(each, 'SMS to 600123456').waitFor()
    }))

  it('writes amounts in the language of the page, while the checkout next to it speaks the shopper’s', () =>
    withPage('/', async (page) => {
      const answer = await demo.send('POST', '/sandbox/demo/orders', {
        product: 'i1',
        language: 'es',
      })
      const { order_ref } = (await answer.json()) as { readonly order_ref: string }
      await page.reload()
      await page.locator('.recent li', { hasText: '€900.00' }).first().waitFor()
      expect(await page.locator('.recent').textContent()).not.toContain('900,00')
      await page.goto(`${server.url}/?order=${order_ref}`)
      await page.locator('#order-name', { hasText: '€900.00' }).waitFor()
      await page.locator('plazo-checkout').getByText('900,00 €').first().waitFor()
      const operator = { accept: 'text/html', authorization: basic('operator', 'operator') }
      for (const path of [`/machine/orders/${order_ref}`, `/console/orders/${order_ref}`]) {
        const text = await (await demo.send('GET', path, undefined, operator)).text()
        expect(text).toContain('€900.00')
        expect(text).not.toContain('900,00')
      }
    }))

  it('shows one pane at a time on a phone', () =>
    withPage(
      '/',
      async (page) => {
        await buy(page)
        const timeline = page.getByRole('region', { name: 'What happens' })
        expect(await timeline.isVisible()).toBe(false)
        await page.getByRole('tab', { name: 'Shop' }).focus()
        await page.keyboard.press('ArrowLeft')
        await timeline.waitFor()
        expect(
          await page.getByRole('tab', { name: 'Timeline' }).getAttribute('aria-selected'),
        ).toBe('true')
      },
      { width: 360 },
    ))
})
