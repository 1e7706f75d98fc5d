// A newcomer's first purchase on the sandbox's front page, done in the shop pane as the page says:
// by mouse, by keyboard, and with hostile texts in every field that is shown. Sandbox rules, Demo.
import { gzipSync } from 'node:zlib'
import type { Locator, Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { startReceiver } from '../harness/receiver.ts'
import { HOSTILE, servedPages } from '../harness/served-pages.ts'
import { CARD, PERSON } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'

const receiver = await startReceiver({ status: 200, body: HOSTILE })
afterAll(() => receiver.close())
const { server, shop: demo, withPage } = await servedPages()

const partsOf = (page: Page) => {
  const checkout = page.locator('plazo-checkout')
  const frame = checkout.frameLocator('iframe')
  return {
    buy: page.getByRole('button', { name: 'Go to the checkout' }),
    privacy: checkout.getByRole('checkbox').first(),
    submit: checkout.getByRole('button', { name: 'Send me a code' }),
    code: checkout.locator('[name=validation_code]'),
    confirm: checkout.getByRole('button', {
      name: /^(Confirm the code|Order with obligation to pay)/,
    }),
    number: frame.locator('[name=number]'),
    expiry: frame.locator('[name=expiry]'),
    cvc: frame.locator('[name=cvc]'),
    pay: frame.getByRole('button', { name: 'Pay' }),
    webhook: page.locator('.lines li', { hasText: 'Webhook IPN' }).first().locator('summary'),
  }
}

/** The code that the page shows next to the checkout. */
const shownCode = async (page: Page): Promise<string> => {
  await page.getByText('is in the SMS').waitFor()
  return (await page.locator('#hint code').first().textContent()) ?? ''
}

const expectSignedWebhook = async (page: Page): Promise<void> => {
  await page.locator('#hint').getByText('The purchase is complete').waitFor()
  await page.locator('.lines').getByText('signature valid').waitFor()
  await page.locator('.lines').getByText('"Webhook-Signature"').waitFor()
}

// A checkout is quick on a phone only while its scripts are small.
const SCRIPTS_MAX_BYTES = 60 * 1024

/** Resolves to the gzipped sizes of the scripts that the page has loaded since this call. */
const scriptSizesOf = (page: Page) => {
  const sizes = new Map<string, Promise<number>>()
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (!pathname.endsWith('.js')) return
    sizes.set(
      // Without the hash.
      pathname.slice(pathname.lastIndexOf('/') + 1).replace(/\.\w{16}\./, '.'),
      response.body().then((body) => gzipSync(body).length),
    )
  })
  return async () => ({
    names: [...sizes.keys()],
    sum: (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0),
  })
}

describe('the first purchase', () => {
  it('takes at most eight actions from the front page to its signed webhook, and scripts of at most 60 KiB', () =>
    withPage('about:blank', async (page) => {
      const scriptSizes = scriptSizesOf(page)
      await page.goto(server.url)
      const { buy, privacy, submit, confirm, pay, webhook } = partsOf(page)
      const fillIn = (text: RegExp) => page.locator('#hint').getByRole('button', { name: text })
      let actions = 0
      const click = async (target: Locator): Promise<void> => {
        actions += 1
        await target.click()
      }
      await click(buy)
      await click(privacy)
      await click(submit)
      await click(fillIn(/^Fill in \d{5}$/))
      await click(confirm)
      await pay.waitFor()
      await click(fillIn(/^Fill in 4111/))
      await click(pay)
      await webhook.getByText('signature valid').waitFor()
      expect(actions).toBeLessThanOrEqual(8)
      await webhook.click()
      await expectSignedWebhook(page)
      const { names, sum } = await scriptSizes()
      expect(names).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^sandbox\./),
          expect.stringMatching(/^checkout-element\./),
        ]),
      )
      expect(sum).toBeLessThan(SCRIPTS_MAX_BYTES)
    }))

  it('works by keyboard alone', () =>
    withPage('/', async (page) => {
      const { buy, privacy, submit, code, number, expiry, cvc, pay, webhook } = partsOf(page)
      const tabTo = async (target: Locator): Promise<void> => {
        await target.waitFor()
        const isFocused = () => target.evaluate((element) => element.matches(':focus'))
        for (let presses = 0; presses < 150 && !(await isFocused()); presses += 1)
          await page.keyboard.press('Tab')
        expect(await isFocused()).toBe(true)
      }
      await tabTo(buy)
      await page.keyboard.press('Enter')
      await tabTo(privacy)
      await page.keyboard.press('Space')
      await tabTo(submit)
      await page.keyboard.press('Enter')
      const codeText = await shownCode(page)
      await tabTo(code)
      await page.keyboard.type(codeText)
      await page.keyboard.press('Enter')
      for (const [field, text] of [
        [number, CARD.number],
        [expiry, '1239'],
        [cvc, '123'],
      ] as const) {
        await tabTo(field)
        await page.keyboard.type(text)
      }
      await tabTo(pay)
      await page.keyboard.press('Enter')
      await page.locator('#hint').getByText('The purchase is complete').waitFor()
      await tabTo(webhook)
      await page.keyboard.press('Enter')
      await expectSignedWebhook(page)
    }))
})

describe('hostile text', () => {
  it('stays text: names, references, what the shop answers, and the bodies of webhooks', async () => {
    const references = { order_ref_1: HOSTILE, order_ref_2: HOSTILE }
    const orderRef = await demo.place({
      merchant: {
        notify_url: `${receiver.url}/ipn`,
        events_webhook: { url: `${receiver.url}/events`, parameters: { note: HOSTILE } },
      },
      merchant_reference: references,
    })
    const person = { ...PERSON, given_names: HOSTILE, city: HOSTILE, address: HOSTILE }
    await demo.submit(orderRef, person)
    await demo.submit(orderRef, { ...person, validation_code: '12345' })
    await waitUntil(async () => (await demo.wait(orderRef)).action === 'resume_after_screening')
    await demo.submit(orderRef, person)
    await waitUntil(() => receiver.received.some(({ body }) => body.includes(orderRef)))
    // The clock lists an order that waits for something.
    await demo.place({ merchant_reference: { order_ref_1: `${HOSTILE} waits` } })
    await withPage('/', async (page) => {
      // In the list of recent orders.
      await page.locator('#recent').getByText(HOSTILE, { exact: true }).click()
      await page.locator('#order-name', { hasText: HOSTILE }).waitFor()
      const entries = page.locator('.lines li', { has: page.locator('details') })
      const webhook = entries.filter({ hasText: 'Webhook IPN' }).first()
      await webhook.locator('summary').click()
      await webhook.getByText('Answer of the shop').waitFor()
      // The reference in the body, and the shop's answer.
      expect(await webhook.locator('pre', { hasText: 'onerror' }).count()).toBeGreaterThanOrEqual(2)
      const request = entries.filter({ hasText: '…/identification' }).first()
      await request.locator('summary').click()
      await request.locator('pre', { hasText: 'onerror' }).first().waitFor()
      for (const path of [
        `/sandbox/messages?order_ref=${orderRef}`,
        '/sandbox/messages',
        '/sandbox/clock',
        `/demo/return?order=${encodeURIComponent(HOSTILE)}`,
      ]) {
        await page.goto(`${server.url}${path}`)
        await page.getByText(HOSTILE).first().waitFor()
        expect(await page.locator('img').count()).toBe(0)
      }
      await page.goto(
        `${server.url}/?order=${orderRef}&person=${encodeURIComponent(HOSTILE)}&event=${encodeURIComponent(HOSTILE)}`,
      )
      await page.locator('#order-name', { hasText: HOSTILE }).waitFor()
      expect(await page.locator('img').count()).toBe(0)
      expect(await page.title()).toBe('Try plazo · plazo sandbox')
    })
  })
})
