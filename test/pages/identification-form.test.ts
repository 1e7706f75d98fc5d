// The hosted checkout in a real browser: every path to its end, without a mouse, in a narrow window, with a screen reader, and
// served by a shop. Contract §3.
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkoutOf, stateOf } from '../e2e/stages.ts'
import { type ServerWithAccounts, startWithAccounts } from '../harness/accounts.ts'
import { launchBrowser, type OwnBrowser } from '../harness/browser.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { CARD, DECLINED_CARD, PERSON, type Shop, shopAt } from '../harness/shop.ts'
import { fill, formOf, heading, identify, pay, waitForShop } from './shopper-steps.ts'

let accounts: ServerWithAccounts
let receiver: Receiver
let demo: Shop
let madrid: Shop
let own: OwnBrowser

beforeAll(async () => {
  accounts = await startWithAccounts()
  receiver = await startReceiver()
  demo = shopAt(accounts.server.url)
  madrid = await accounts.add('madrid', 'iberia', '--currency', 'EUR', '--products', 'pp3,i1', '--country', 'ES')
  own = await launchBrowser()
})
afterAll(async () => {
  await own.close()
  await accounts.close()
  await receiver.close()
})

type PageOptions = {
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
  /** The address of the page's server. Default: our own server. */
  readonly url?: string
  /** The only language of the browser. */
  readonly locale?: string
  /** The expected output of the browser's console. Default: none. */
  readonly consoleErrors?: readonly string[]
}

/** Shows the form in a browser, and expects no violation of its policy. */
const withPage = async (
  path: string,
  use: (page: Page) => Promise<void>,
  {
    width = 1280,
    colorScheme = 'light',
    url = accounts.server.url,
    locale = 'en',
    consoleErrors = [],
  }: PageOptions = {},
): Promise<void> => {
  const context = await own.browser.newContext({
    viewport: { width, height: 800 },
    colorScheme,
    locale,
    httpCredentials: { username: 'demo', password: 'demo' },
  })
  const page = await context.newPage()
  const messages: string[] = []
  page.on('console', (message) => messages.push(message.text()))
  page.on('pageerror', (error) => messages.push(String(error)))
  try {
    await page.goto(`${url}${path}`)
    await use(page)
    expect(messages).toEqual(consoleErrors)
  } finally {
    await context.close()
  }
}

describe('the hosted form', () => {
  it('is available only to the merchant, for its own order, with a product that it may have', async () => {
    const order = await madrid.place()
    const answer = await madrid.asMerchant('GET', formOf(order, 'i1'))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none';(?!.*unsafe)/)
    expect(await answer.text()).toContain(`<plazo-checkout page order="${order}" product="i1">`)
    expect((await madrid.asMerchant('GET', formOf(order))).status).toBe(200)
    expect((await madrid.send('GET', formOf(order))).status).toBe(401)
    expect((await demo.asMerchant('GET', formOf(order))).status).toBe(404)
    expect((await madrid.asMerchant('GET', formOf(order, 'sp1'))).status).toBe(400)
  })

  it('can be completed by keyboard alone, up to the shop’s own page', async () => {
    const order = await demo.place()
    await withPage(formOf(order), async (page) => {
      const typed = Object.values({ ...PERSON, service_privacy_policy_accepted: ' ' }) as string[]
      await page.getByRole('button', { name: 'Send me a code' }).waitFor()
      // A single plan needs no choice. The checkbox comes before its link.
      for (const text of typed) {
        await page.keyboard.press('Tab')
        await page.keyboard.type(text)
      }
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await heading(page, 'Enter the code').waitFor()
      expect(await page.locator('.checkout :focus').textContent()).toBe('Enter the code')
      await page.keyboard.press('Tab')
      await page.keyboard.type('12345')
      await page.keyboard.press('Enter')
      await waitForShop(page, 'i1')
    })
    expect(await checkoutOf(demo, order)).toBe('confirmed')
  })

  it('shows each error at its field, and focuses the first', async () => {
    const order = await demo.place()
    await withPage(formOf(order), async (page) => {
      await fill(page, { surnames: 'Prueba', dob_year: '2024', postal_code: '!' })
      await page.getByRole('checkbox').uncheck()
      await page.getByRole('button', { name: 'Send me a code' }).click()
      await page.getByRole('alert').filter({ hasText: 'marked' }).waitFor()
      const wrong = await page.locator('[aria-invalid=true]').all()
      expect(await Promise.all(wrong.map((input) => input.getAttribute('name')))).toEqual([
        'surnames',
        'dob_year',
        'postal_code',
        'service_privacy_policy_accepted',
      ])
      expect(await page.locator('.checkout :focus').getAttribute('name')).toBe('surnames')
      const surnames = page.getByLabel('Surnames')
      const described = ((await surnames.getAttribute('aria-describedby')) ?? '').split(' ')
      expect(await Promise.all(described.map((id) => page.locator(`#${id}`).textContent()))).toEqual([
        'Both surnames',
        'Enter both of your surnames. If you have only one, write it twice.',
      ])
      expect(await page.locator('.wrong:visible').count()).toBe(4)
      await fill(page)
      await page.getByRole('button', { name: 'Send me a code' }).click()
      await heading(page, 'Enter the code').waitFor()
    })
  })

  it('reports a wrong code, and accepts the right one', async () => {
    await withPage(formOf(await demo.place()), async (page) => {
      await fill(page)
      await page.getByRole('button', { name: 'Send me a code' }).click()
      const code = page.getByLabel('Code', { exact: true })
      for (const wrong of ['00000', '1', '']) {
        await code.fill(wrong)
        const answered = page.waitForResponse('**/identification')
        await page.getByRole('button', { name: 'Confirm the code' }).click()
        await answered
        await page.getByText('The code is wrong').waitFor()
        await expect.poll(() => code.inputValue()).toBe('')
        expect(await code.getAttribute('aria-invalid')).toBe('true')
      }
      await code.fill('12345')
      await page.getByRole('button', { name: 'Confirm the code' }).click()
      await waitForShop(page, 'i1')
    })
  })

  it('uses the chosen plan, and pays by card after a declined card', async () => {
    const order = await demo.place()
    await withPage(formOf(order, 'pp3'), async (page) => {
      await page.getByRole('radio', { name: /^12 payments of €12\.58/ }).check()
      await identify(page)
      await heading(page, 'Pay €12.62 by card').waitFor()
      await pay(page, DECLINED_CARD)
      const failed = page.getByRole('alert').filter({ hasText: 'The payment was not made' })
      await failed.waitFor()
      expect(await failed.evaluate((shown) => shown.matches(':focus'))).toBe(true)
      await page.locator('.frame iframe').waitFor()
      await pay(page, CARD)
      await waitForShop(page, 'pp3')
    })
    expect(await stateOf(demo, order)).toMatchObject({ checkout: 'confirmed' })
  })

  it('supports 3-D Secure, and offers a saved card', async () => {
    const shopper = { nin: 'KEPT12345', mobile_phone: '600999888' }
    await withPage(formOf(await demo.place(), 'fp1'), async (page) => {
      await identify(page, shopper)
      const frame = page.frameLocator('iframe[title="Card form"]')
      await frame.getByLabel('Save this card').check()
      await pay(page, { ...CARD, number: '4000000000003220' })
      await frame.getByRole('button', { name: 'Yes, pay' }).click()
      await waitForShop(page, 'fp1')
    })
    await withPage(formOf(await demo.place(), 'fp1'), async (page) => {
      await identify(page, shopper)
      expect(await page.getByRole('radio', { name: 'Card ending in 3220' }).isChecked()).toBe(true)
      const frame = page.frameLocator('iframe[title="Card form"]')
      await frame.getByText('Card ending in 3220').waitFor()
      await frame.getByLabel('CVC').fill('123')
      expect(await frame.getByLabel('Card number').count()).toBe(0)
      await frame.getByRole('button', { name: 'Pay' }).click()
      await waitForShop(page, 'fp1')
    })
  })

  it('opens the ID verification in its own tab, and continues afterwards', async () => {
    await withPage(formOf(await demo.place()), async (page) => {
      await identify(page, { surnames: 'identity event' })
      for (const verdict of ['Interrupted', 'Verified']) {
        const opened = page.context().waitForEvent('page')
        await page.getByRole('link', { name: 'Verify my identity' }).click()
        const session = await opened
        await session.getByRole('button', { name: verdict, exact: true }).click()
        await session.getByText('Thank you').waitFor()
        await session.close()
        if (verdict === 'Interrupted') await page.getByRole('button', { name: 'Try again' }).click()
      }
      await waitForShop(page, 'i1')
    })
  })

  it('offers the remaining agreements if one was rejected', async () => {
    await withPage(formOf(await demo.place(), 'fp1'), async (page) => {
      await identify(page, { surnames: 'alternative event' })
      await heading(page, 'Choose another way to pay').waitFor()
      await page.getByText('€121.00 in one payment').waitFor()
      await page.getByRole('link', { name: 'Back to the shop' }).waitFor()
      await page.getByRole('button', { name: 'Continue with this plan' }).click()
      await waitForShop(page, 'i1')
    })
  })

  it.each([
    ['review event', 'Your order is being reviewed'],
    ['denial event', 'This payment method is not available'],
    ['unverified event', 'This payment method is not available'],
    ['failure event', 'Something went wrong'],
  ])('after the %s says: %s, names it in the title, and leads back', async (surnames, expected) => {
    await withPage(formOf(await demo.place()), async (page) => {
      await identify(page, { surnames })
      await heading(page, expected).waitFor()
      expect(await page.title()).toBe(`${expected} · Demo`)
      expect(await page.getByRole('link', { name: 'Back to the shop' }).getAttribute('href')).toContain('/demo/return')
    })
  })

  it('reports that the shop could not accept the order', async () => {
    receiver.answer('/taken', { status: 409 })
    const order = await demo.place({ merchant: { notify_url: `${receiver.url}/taken` } })
    await withPage(formOf(order), async (page) => {
      await identify(page)
      await heading(page, 'The shop could not accept the order').waitFor()
      await page.getByRole('link', { name: 'Back to the shop' }).waitFor()
    })
  })

  it('continues the checkout at the same step after a reload', async () => {
    const order = await demo.place()
    await withPage(formOf(order, 'fp1'), async (page) => {
      await identify(page)
      await page.locator('.frame iframe').waitFor()
      await page.reload()
      await pay(page, CARD)
      await waitForShop(page, 'fp1')
    })
    await withPage(formOf(order, 'fp1'), (page) => waitForShop(page, 'fp1'))
  })

  it('reports next to the button that a submission did not arrive, and sends it again by itself', async () => {
    await withPage(
      formOf(await demo.place()),
      async (page) => {
        await fill(page)
        await page.route('**/identification', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 })
        await page.getByRole('button', { name: 'Send me a code' }).click()
        await page.getByRole('button', { name: 'Sending…' }).waitFor()
        await page.locator('.actions').getByText('The service is busy').waitFor()
        await heading(page, 'Enter the code').waitFor()
      },
      // A browser logs every 503.
      { consoleErrors: [expect.stringContaining('503')] },
    )
  })

  it('repeats its automatic submissions if one does not arrive', async () => {
    await withPage(
      formOf(await demo.place()),
      async (page) => {
        await identify(page)
        await heading(page, 'Checking your purchase').waitFor()
        await page.route('**/identification', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 })
        await waitForShop(page, 'i1')
      },
      { consoleErrors: [expect.stringContaining('503')] },
    )
  })

  it('is complete if a shop serves it from another origin', async () => {
    const order = await demo.place()
    const text = await (await demo.asMerchant('GET', formOf(order, 'fp1'))).text()
    receiver.answer('/checkout', { status: 200, body: text, headers: { 'content-type': 'text/html; charset=utf-8' } })
    await withPage(
      '/checkout',
      async (page) => {
        await identify(page)
        await pay(page, CARD)
        await waitForShop(page, 'fp1')
      },
      { url: receiver.url },
    )
    expect(await checkoutOf(demo, order)).toBe('confirmed')
  })

  it('uses the shopper’s language, and not the browser’s', async () => {
    const order = await demo.place({ customer: { language_code: 'es_ES' } })
    await withPage(formOf(order, 'pp3'), async (page) => {
      expect(await page.locator('html').getAttribute('lang')).toBe('es')
      await heading(page, 'Tus datos').waitFor()
      await page.getByRole('radio', { name: /^3 pagos de 42,83\s€/ }).waitFor()
      await page.getByRole('button', { name: 'Enviarme un código' }).click()
      await page.getByText('Escribe tu nombre.').waitFor()
    })
  })

  it.each([1280, 320])(
    'needs no horizontal scrolling at %i pixels, and every button is large enough',
    async (width) => {
      await withPage(
        formOf(await demo.place(), 'pp3'),
        async (page) => {
          const fits = async (): Promise<void> => {
            const root = 'document.documentElement'
            expect(await page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`)).toBe(0)
            for (const button of await page.locator('button:visible').all())
              expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44)
          }
          await page.getByRole('button', { name: 'Send me a code' }).click()
          await page.getByRole('alert').filter({ hasText: 'marked' }).waitFor()
          await fits()
          await fill(page)
          await page.getByRole('button', { name: 'Send me a code' }).click()
          await heading(page, 'Enter the code').waitFor()
          await fits()
          await page.getByLabel('Code', { exact: true }).fill('12345')
          await page.getByRole('button', { name: 'Confirm the code' }).click()
          await page.locator('.frame iframe').waitFor()
          await fits()
        },
        { width },
      )
    },
  )

  it.each(['light', 'dark'] as const)(
    'has no accessibility violations found by axe at any step, in %s',
    async (colorScheme) => {
      await withPage(
        formOf(await demo.place(), 'pp3'),
        async (page) => {
          const faultless = async (): Promise<void> => {
            const { violations } = await new AxeBuilder({ page }).analyze()
            expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
          }
          await faultless()
          await page.getByRole('button', { name: 'Send me a code' }).click()
          await page.getByRole('alert').filter({ hasText: 'marked' }).waitFor()
          await faultless()
          await fill(page, { surnames: 'identity event' })
          await page.getByRole('button', { name: 'Send me a code' }).click()
          await heading(page, 'Enter the code').waitFor()
          await faultless()
          await page.getByLabel('Code', { exact: true }).fill('12345')
          await page.getByRole('button', { name: 'Confirm the code' }).click()
          await heading(page, 'Checking your purchase').waitFor()
          await faultless()
          await heading(page, 'Verify your identity').waitFor()
          await faultless()
          const url = (await page.getByRole('link', { name: 'Verify my identity' }).getAttribute('href')) ?? ''
          await demo.form(url, { status: 'VERIFIED' })
          await page.locator('.frame iframe').waitFor()
          await faultless()
        },
        { colorScheme },
      )
    },
  )
})
