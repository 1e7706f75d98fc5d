// The sandbox's front page in a real browser: a newcomer's first purchase, the timeline and the
// clock. Sandbox rules, Demo.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { stagesOf } from '../end-to-end/stages.ts'
import { servedPages } from '../harness/served-pages.ts'
import { basic } from '../harness/shop.ts'
import { AGREEMENT, buy, finish } from './shopper-steps.ts'

const { server, shop: demo, withPage } = await servedPages({ width: 1440 })

const entry = (page: Page, text: string | RegExp) => page.locator('#timeline li', { hasText: text })

describe('the front page', () => {
  it('offers three persons, and the rest behind “more”', () =>
    withPage('/', async (page) => {
      const person = (name: string) => page.getByRole('radio', { name })
      expect(await person('Ana').isChecked()).toBe(true)
      expect([await person('Eva').isVisible(), await person('Hugo').isVisible()]).toEqual([
        true,
        false,
      ])
      await page.getByText('10 more').click()
      await person('Hugo').check()
      expect(await page.getByRole('radio', { name: 'Pay now' }).isChecked()).toBe(true)
      await page.goto(`${server.url}/?person=denial%20event`)
      await page.getByText('Eva is denied').waitFor()
      expect(await person('Eva').isChecked()).toBe(true)
    }))

  it('shows the statechart after the entry that the reader selects, until they follow again', () =>
    withPage('/', async (page) => {
      const orderRef = await buy(page)
      await finish(demo, orderRef)
      await entry(page, 'The shop accepted the IPN').waitFor()
      const isIn = (state: string) =>
        page.getByRole('tab', { name: `checkout: ${state}`, exact: true }).waitFor()
      await isIn('confirmed')
      await entry(page, 'The shopper entered the code').getByRole('button').click()
      await isIn('screening')
      await page
        .locator('#timeline [aria-current=step]', { hasText: 'The shopper entered the code' })
        .waitFor()
      // A permalink names the event.
      await page.waitForURL(/event=\d+$/)
      await page.reload()
      await isIn('screening')
      // The list follows the scrubber.
      await page.getByRole('button', { name: 'Previous event' }).click()
      await page.locator('#timeline [aria-current=step]').waitFor()
      await page.getByRole('slider').focus()
      await page.keyboard.press('Home')
      await isIn('identifying')
      await page.locator('#timeline').getByRole('button', { name: 'Follow' }).click()
      await isIn('confirmed')
      expect(page.url()).not.toContain('event=')
      expect(await page.locator('#timeline [aria-current=step]').count()).toBe(0)
    }))

  it('stays at an earlier event, and keeps the focus, while the order goes on', () =>
    withPage('/', async (page) => {
      const orderRef = await buy(page)
      await demo.submit(orderRef, AGREEMENT)
      await entry(page, 'The shopper sent their details').waitFor()
      await page.getByRole('button', { name: 'Previous event' }).click()
      await page.getByRole('tab', { name: 'checkout: identifying' }).waitFor()
      const button = entry(page, 'The shopper sent their details').getByRole('button')
      await button.focus()
      await demo.submit(orderRef, { ...AGREEMENT, validation_code: '12345' })
      await entry(page, 'The shopper entered the code').waitFor()
      // A reader who steps by keyboard keeps their place.
      expect(await button.evaluate((focused) => focused.matches(':focus'))).toBe(true)
      expect(await page.getByRole('tab', { name: 'checkout: identifying' }).isVisible()).toBe(true)
      await page.locator('plazo-machine').getByRole('button', { name: 'Follow' }).click()
      await page.getByRole('tab', { name: /checkout: screen/ }).waitFor()
      await page.getByText('You see an earlier moment.').waitFor({ state: 'hidden' })
    }))

  it('moves the clock to the next timer, and says in words what happened', () =>
    withPage('/?person=expiry%20event', async (page) => {
      const orderRef = await buy(page)
      await demo.submit(orderRef, { surnames: 'expiry event' })
      await demo.submit(orderRef, { surnames: 'expiry event', validation_code: '12345' })
      await entry(page, 'The screening expires').waitFor()
      await page.getByRole('button', { name: 'This order’s timer' }).click()
      await page.locator('#news', { hasText: 'The time for the screening was up.' }).waitFor()
      await entry(page, 'The time for the screening was up').waitFor()
    }))

  it('shows the same order after a reload, and in a second tab', () =>
    withPage('/', async (page) => {
      const orderRef = await buy(page)
      await page.reload()
      await entry(page, 'The shop placed the order').waitFor()
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
      await page.locator('#recent li', { hasText: '€900.00' }).first().waitFor()
      expect(await page.locator('#recent').textContent()).not.toContain('900,00')
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

  it('lets the shop follow the order, and says who must act', () =>
    withPage('/', async (page) => {
      const orderRef = await buy(page)
      const checkout = page.locator('plazo-checkout')
      await checkout.getByRole('button', { name: 'Send me a code' }).waitFor()
      await demo.submit(orderRef, { surnames: 'review event' })
      await checkout.getByRole('heading', { name: 'Your details' }).waitFor()
      expect(await checkout.getByText('The page was reloaded').isVisible()).toBe(false)
      const heldRef = await stagesOf(demo).settled({ surnames: 'review event' })
      await page.goto(`${server.url}/?order=${heldRef}`)
      const decide = page.locator('#timeline').getByRole('link', { name: 'An operator decides' })
      expect(await decide.getAttribute('href')).toContain(`/console/orders/${heldRef}`)
      await page.goto(`${server.url}/?order=${orderRef}`)
      await page.getByRole('button', { name: '+1 week' }).click()
      await checkout.getByRole('button', { name: 'Send me a code' }).waitFor({ state: 'hidden' })
    }))

  it('shows one pane at a time on a phone', () =>
    withPage(
      '/',
      async (page) => {
        await buy(page)
        const timeline = page.getByRole('region', { name: 'What happens' })
        expect(await timeline.isVisible()).toBe(false)
        await page.getByRole('link', { name: 'Timeline' }).focus()
        await page.keyboard.press('Enter')
        await timeline.waitFor()
        expect(await page.getByRole('region', { name: 'The shop' }).isVisible()).toBe(false)
      },
      { width: 360 },
    ))
})
