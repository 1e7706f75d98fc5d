// Fault drills on the sandbox's pages, in a real browser: choosing one, seeing what it touched, and
// ending it. Sandbox rules, Fault drills.
import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import {
  addLamps,
  OPERATOR,
  overflowOf,
  servedPages,
  violationsOf,
} from '../harness/served-pages.ts'
import { buy, finish } from './shopper-steps.ts'

const { server, shop: demo, withPage } = await servedPages()
const lamps = await addLamps(server)
afterEach(async () => {
  await demo.asMerchant('DELETE', '/sandbox/drills')
  await lamps.asMerchant('DELETE', '/sandbox/drills')
})

const banner = (page: Page) => page.getByRole('region', { name: 'Fault drills' })
const chooseAnswer = (page: Page, answer: string) =>
  page.getByLabel('How does the shop answer its webhooks?').selectOption(answer)

describe('a drill that is chosen on the front page', () => {
  it('touches the next order, whose timeline labels the attempt', () =>
    withPage('/', async (page) => {
      await chooseAnswer(page, '500, then 200')
      await page.getByText('The IPN fails once. It is accepted when it is sent again.').waitFor()
      const orderRef = await buy(page)
      await banner(page).getByText('Drill: 500, then 200').waitFor()
      await banner(page)
        .getByText(/^ends in (59|60) min|^ends in 1 h/)
        .waitFor()
      await finish(demo, orderRef)
      const attempts = page.locator('plazo-timeline li', { hasText: 'drill: error_then_ok' })
      await attempts.filter({ hasText: '500' }).waitFor()
      await demo.advance(60)
      await attempts.filter({ hasText: '200' }).waitFor()
      // Both attempts were touched, so nothing is left of the drill.
      await banner(page).waitFor({ state: 'hidden' })
      const [ipn] = (await (
        await demo.asMerchant('GET', `/merchants/demo/deliveries?order_ref=${orderRef}`)
      ).json()) as [{ readonly attempts: readonly { readonly drill?: string }[] }]
      expect(ipn.attempts.map(({ drill }) => drill)).toEqual(['error_then_ok', 'error_then_ok'])
    }))

  it('offers the faults of both directions, and none at first', () =>
    withPage('/', async (page) => {
      const choice = page.getByLabel('How does the shop answer its webhooks?')
      expect(await choice.inputValue()).toBe('')
      const values = await choice
        .locator('option')
        .evaluateAll((options) => options.map((each) => each.getAttribute('value')))
      expect(values).toEqual([
        '',
        ...['slow', 'hang', 'error_then_ok', 'not_json', 'conflict', 'gone', 'redirect'],
        ...['duplicate', 'delay', 'reorder', 'late_cancel', 'wrong_signature'],
      ])
      expect(await banner(page).isVisible()).toBe(false)
    }))
})

describe('the banner', () => {
  it('is on every page of the merchant, and ends each drill', async () => {
    for (const fault of ['slow', 'gone'])
      await demo.send('POST', '/sandbox/demo/drills', { fault, event: 'cancel' })
    const orderRef = await demo.place()
    for (const path of [
      '/',
      '/sandbox/triggers',
      '/sandbox/messages',
      '/sandbox/clock',
      '/sandbox/demo/inbox',
    ])
      await withPage(path, async (page) => {
        await banner(page).getByText('Drill: 410 Gone').waitFor()
        await banner(page).getByText('slow · cancel, any order · 0 of 1 touched').waitFor()
      })
    await withPage(`/machine/orders/${orderRef}`, async (page) => {
      await banner(page).getByRole('button', { name: 'End the drill 410 Gone' }).click()
      await banner(page).getByText('Drill: 410 Gone').waitFor({ state: 'detached' })
      await banner(page)
        .getByRole('button', { name: 'End the drill 200 after 10 seconds' })
        .press('Enter')
      await banner(page).waitFor({ state: 'hidden' })
    })
    expect(await (await demo.send('GET', '/sandbox/demo/drills')).json()).toEqual({ drills: [] })
  })

  it('appears and goes while the page is open', () =>
    withPage('/sandbox/clock', async (page) => {
      expect(await banner(page).isVisible()).toBe(false)
      await demo.send('POST', '/sandbox/demo/drills', { fault: 'hang' })
      await banner(page).getByText('Drill: no answer').waitFor()
      await demo.send('DELETE', '/sandbox/demo/drills')
      await banner(page).waitFor({ state: 'hidden' })
    }))

  it('shows only the merchant’s own drills', async () => {
    await lamps.asMerchant('POST', '/sandbox/drills', { fault: 'conflict' })
    await demo.asMerchant('POST', '/sandbox/drills', { fault: 'gone' })
    const orderRef = await lamps.place()
    for (const path of [
      '/sandbox/inbox',
      `/machine/orders/${orderRef}`,
      `/sandbox/messages?order_ref=${orderRef}`,
    ])
      await withPage(
        path,
        async (page) => {
          await banner(page).getByRole('button', { name: 'End the drill 409 Conflict' }).waitFor()
          expect(await page.content()).not.toContain('410 Gone')
          expect(await banner(page).getByText('410 Gone').count()).toBe(0)
        },
        { httpCredentials: lamps.credentials },
      )
    await withPage('/', async (page) => {
      await banner(page).getByText('Drill: 410 Gone').waitFor()
      expect(await banner(page).getByText('409 Conflict').count()).toBe(0)
    })
    await withPage(
      `/machine/orders/${orderRef}`,
      async (page) => {
        await page.getByRole('heading', { level: 1 }).waitFor()
        expect(await page.locator('plazo-drills').count()).toBe(0)
      },
      { httpCredentials: OPERATOR },
    )
  })

  it('is readable without a script', async () => {
    await demo.send('POST', '/sandbox/demo/drills', { fault: 'redirect' })
    await withPage(
      '/sandbox/clock',
      (page) => page.getByText(/^Drill: 302 Found, until/).waitFor(),
      {
        javaScriptEnabled: false,
      },
    )
  })

  it.each([
    [360, 'light'],
    [1280, 'dark'],
  ] as const)('has no accessibility violation at %i px, %s', async (width, colorScheme) => {
    await demo.send('POST', '/sandbox/demo/drills', {
      fault: 'wrong_signature',
      share: 0.5,
      seed: 'monday',
    })
    await withPage(
      '/',
      async (page) => {
        await chooseAnswer(page, 'a late cancel')
        await banner(page).getByText('50 % of the attempts, 0 touched').waitFor()
        expect(await violationsOf(page)).toEqual([])
        expect(await overflowOf(page)).toBe(0)
      },
      { width, colorScheme },
    )
  })
})
