// A newcomer in the sandbox: a first purchase, shop, statechart, timeline and clock that show one moment
// of one order, and texts that stay texts. Sandbox rules, Pages and Demo.
import { gzipSync } from 'node:zlib'
import type { Locator, Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { stagesOf } from '../end-to-end/stages.ts'
import { startReceiver } from '../harness/receiver.ts'
import { HOSTILE, servedPages } from '../harness/served-pages.ts'
import { PERSON } from '../harness/shop.ts'
import { AGREEMENT, buy, finish } from './shopper-steps.ts'

const receiver = await startReceiver({ status: 200, body: HOSTILE })
afterAll(() => receiver.close())
const { server, shop: demo, withPage } = await servedPages()
const stages = stagesOf(demo)

const partsOf = (page: Page) => {
  const checkout = page.locator('plazo-checkout')
  const frame = checkout.frameLocator('iframe')
  return {
    start: page.getByRole('button', { name: 'Go to the checkout' }),
    privacy: checkout.getByRole('checkbox', { name: 'privacy policy' }),
    submit: checkout.getByRole('button', { name: 'Send me a code' }),
    confirm: checkout.getByRole('button', {
      name: /^(Confirm the code|Order with obligation to pay)/,
    }),
    pay: frame.getByRole('button', { name: 'Pay' }),
    hint: page.locator('#hint'),
    webhook: page.locator('.lines li', { hasText: 'Webhook IPN' }).first().locator('summary'),
  }
}

// A checkout is quick on a phone only while its scripts are small.
const SCRIPTS_MAX_BYTES = 60 * 1024

describe('the first purchase', () => {
  it('takes at most eight actions from the front page to its signed webhook, and scripts of at most 60 KiB', () =>
    withPage('about:blank', async (page) => {
      const scripts = new Map<string, Promise<number>>()
      page.on('response', (response) => {
        const { pathname } = new URL(response.url())
        if (!pathname.endsWith('.js')) return
        scripts.set(
          pathname,
          response.body().then((body) => gzipSync(body).length),
        )
      })
      await page.goto(server.url)
      const { start, privacy, submit, confirm, pay, hint, webhook } = partsOf(page)
      const fillIn = (text: RegExp) => hint.getByRole('button', { name: text })
      let actions = 0
      const click = (target: Locator) => {
        actions += 1
        return target.click()
      }
      await click(start)
      await click(privacy)
      await click(submit)
      // The SMS may be seen before the field for its code.
      await confirm.waitFor()
      await click(fillIn(/^Fill in \d{5}$/))
      await click(confirm)
      await pay.waitFor()
      await click(fillIn(/^Fill in 4111/))
      await click(pay)
      await webhook.getByText('signature valid').waitFor()
      expect(actions).toBeLessThanOrEqual(8)
      await webhook.click()
      await hint.getByText('The purchase is complete').waitFor()
      await page.getByText('"Webhook-Signature"').waitFor()
      expect(scripts.size).toBeGreaterThan(1)
      const sizes = await Promise.all(scripts.values())
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(SCRIPTS_MAX_BYTES)
    }))

  it.each([
    [1280, 720],
    [360, 800],
  ])('keeps the bar in place, and what the next step needs in sight, at %i × %i', (width, height) =>
    withPage('/', async (page) => {
      await page.setViewportSize({ width, height })
      const bar = page.locator('body > header')
      const before = await bar.boundingBox()
      const { start, privacy, submit, hint } = partsOf(page)
      await start.click()
      await hint.getByText('The data is filled in').waitFor()
      await privacy.check()
      await submit.click()
      await hint.getByText('is in the SMS').waitFor()
      const { x, y, height: lines } = (await hint.locator('code').boundingBox()) ?? expect.fail()
      expect(y + lines).toBeLessThanOrEqual(height)
      // Nothing lies above it.
      expect(
        await page.evaluate(
          `document.elementFromPoint(${x + 8}, ${y + lines / 2}).matches('#hint code')`,
        ),
      ).toBe(true)
      expect((await bar.boundingBox())?.height).toBe(before?.height)
    }),
  )

  it('has a filled form, which unfolds where the shopper changes something, and where something is wrong', () =>
    withPage('/', async (page) => {
      const { start, privacy, submit } = partsOf(page)
      await start.click()
      const checkout = page.locator('plazo-checkout')
      const [names, city] = [checkout.getByLabel('First name'), checkout.getByLabel('City')]
      await checkout.getByText('Ana García Ruiz').waitFor()
      expect([await names.isVisible(), await city.isVisible()]).toEqual([false, false])
      await checkout.getByRole('button', { name: 'Change: About you' }).click()
      await names.waitFor()
      await page.evaluate(
        'document.querySelector("plazo-checkout").shadowRoot.querySelector("#city").value = ""',
      )
      await privacy.check()
      await submit.click()
      await city.waitFor()
    }))
})

const entryOf = (page: Page, text: string) => page.locator('#timeline li', { hasText: text })

const isIn = (page: Page, state: string) =>
  page.getByRole('tab', { name: `checkout: ${state}`, exact: true }).waitFor()

describe('the front page', () => {
  it('shows the statechart after the entry that the reader selects, until they follow again', () =>
    withPage('/', async (page) => {
      const orderRef = await buy(page)
      await finish(demo, orderRef)
      await entryOf(page, 'The shop accepted the IPN').waitFor()
      await isIn(page, 'confirmed')
      await entryOf(page, 'The shopper entered the code').getByRole('button').click()
      await isIn(page, 'screening')
      // A permalink names the event.
      await page.waitForURL(/event=\d+$/)
      await page.reload()
      await isIn(page, 'screening')
      const current = page.locator('#timeline [aria-current=step]')
      await current.filter({ hasText: 'The shopper entered the code' }).waitFor()
      await page.locator('#timeline').getByRole('button', { name: 'Follow' }).click()
      await isIn(page, 'confirmed')
      expect(page.url()).not.toContain('event=')
      await demo.decide(orderRef, 'cancel')
      await page.getByText('Nothing: the order has ended.').waitFor()
    }))

  it('lets the shop follow the order, also after a move of the clock, which says what happened', () =>
    withPage('/', async (page) => {
      const orderRef = await buy(page)
      const send = partsOf(page).submit
      await isIn(page, 'identifying')
      // No answer that can be read.
      await page.route('**/history', (route) => route.fulfill(), { times: 1 })
      await Promise.all([page.waitForResponse('**/history'), demo.place()])
      await demo.submit(orderRef, AGREEMENT)
      // Nobody has reloaded the page.
      await page.locator('#hint', { hasText: 'is in the SMS' }).waitFor()
      expect(await page.locator('#news').textContent()).toBe('')
      await send.waitFor()
      await page.getByRole('button', { name: 'This order’s timer' }).click()
      await page.locator('#news', { hasText: 'The time for the checkout was up.' }).waitFor()
      await send.waitFor({ state: 'hidden' })
      await entryOf(page, 'The time for the checkout was up').waitFor()
      // A time of another day has its date.
      const time = entryOf(page, 'The shop placed the order').locator('time')
      expect(await time.textContent()).toMatch(/^\d{1,2} \w{3,4} \d\d:\d\d:\d\d$/)
    }))
})

describe('the sandbox’s pages', () => {
  it('lead to each other by keyboard, and to a purchase as any person', () =>
    withPage('/', async (page) => {
      const bar = page.getByRole('navigation', { name: 'Pages' })
      for (const name of ['Deliveries', 'Statechart', 'Try it', 'Test data']) {
        await bar.getByRole('link', { name }).focus()
        await page.keyboard.press('Enter')
        await page.locator(`[aria-current=page]`, { hasText: name }).waitFor()
      }
      await page.getByRole('link', { name: 'Buy as Eva' }).click()
      await page.getByText('Eva is denied').waitFor()
      expect(await page.getByRole('radio', { name: 'Eva' }).isChecked()).toBe(true)
    }))

  it('show hostile names, references, answers of the shop and bodies of webhooks as text', async () => {
    const url = `${receiver.url}/events`
    const person = { ...PERSON, given_names: HOSTILE, city: HOSTILE, address: HOSTILE }
    const orderRef = await stages.settled(person, {
      merchant: { notify_url: url, events_webhook: { url, parameters: { note: HOSTILE } } },
      merchant_reference: { order_ref_1: HOSTILE, order_ref_2: HOSTILE },
    })
    // The clock lists an order that waits for something.
    await demo.place({ merchant_reference: { order_ref_1: `${HOSTILE} waits` } })
    await withPage('/', async (page) => {
      await page.locator('#recent').getByText(HOSTILE, { exact: true }).click()
      await page.locator('#order-name', { hasText: HOSTILE }).waitFor()
      const entries = page.locator('.lines li', { has: page.locator('details') })
      for (const text of ['Webhook IPN', '…/identification']) {
        const entry = entries.filter({ hasText: text }).first()
        await entry.locator('summary').click()
        await entry.locator('pre', { hasText: 'onerror' }).first().waitFor()
      }
      for (const path of [
        `/sandbox/messages?order_ref=${orderRef}`,
        '/sandbox/demo/webhooks',
        '/sandbox/clock',
        `/demo/return?order=${encodeURIComponent(HOSTILE)}`,
        `/?order=${orderRef}&person=${encodeURIComponent(HOSTILE)}&event=${encodeURIComponent(HOSTILE)}`,
      ]) {
        await page.goto(`${server.url}${path}`)
        await page.getByText(HOSTILE).filter({ visible: true }).first().waitFor()
        expect(await page.locator('img').count(), path).toBe(0)
        expect(await page.title()).not.toBe('1')
      }
    })
  })
})
