// The front page keeps in sight what the next step needs, and nothing jumps while an order goes on.
// A newcomer has three panes on one screen, or tabs on a phone and at a large zoom.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { isWhole, servedPages } from '../harness/served-pages.ts'

const { withPage } = await servedPages()

type Size = readonly [width: number, height: number]

const SMALLEST: Size = [1280, 720]
// The gate tries the smallest screen, which is the hardest; `pnpm browser` also larger ones.
const SCREENS: readonly Size[] = isWhole
  ? [SMALLEST, [1280, 800], [1440, 900], [1920, 1080]]
  : [SMALLEST]
const PHONE: Size = [360, 800]
/** A screen of 1280 by 800 at a zoom of 200 %. */
const ZOOMED: Size = [640, 400]

const onFrontPage = ([width, height]: Size, use: (page: Page) => Promise<void>): Promise<void> =>
  withPage('/', async (page) => {
    await page.setViewportSize({ width, height })
    await use(page)
  })

const privacyOf = (page: Page): Locator =>
  page.locator('plazo-checkout').getByRole('checkbox').first()

const startPurchase = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Go to the checkout' }).click()
  await privacyOf(page).waitFor()
  await page.locator('#hint').getByText('The data is filled in').waitFor()
}

const askForCode = async (page: Page): Promise<void> => {
  await privacyOf(page).check()
  await page.locator('plazo-checkout').getByRole('button', { name: 'Send me a code' }).click()
  await page.locator('#hint').getByText('is in the SMS').waitFor()
  await page.locator('plazo-checkout').getByLabel('Code', { exact: true }).waitFor()
}

const boxOf = async (part: Locator) => {
  const box = await part.boundingBox()
  if (box === null) throw new Error('It has no box.')
  return {
    top: box.y,
    bottom: box.y + box.height,
    left: box.x,
    right: box.x + box.width,
    height: box.height,
  }
}

const scrollOf = (page: Page): Promise<number> => page.evaluate('scrollY')

describe('the hint', () => {
  it.each([...SCREENS, PHONE])('stays in sight at the step that needs it, at %i × %i', (...size) =>
    onFrontPage(size, async (page) => {
      await startPurchase(page)
      await askForCode(page)
      const code = page.locator('#hint code').first()
      const { top, bottom } = await boxOf(code)
      expect(top).toBeGreaterThanOrEqual(0)
      expect(bottom).toBeLessThanOrEqual(size[1])
      // Nothing lies above it.
      const middle = `${(await boxOf(code)).left + 8}, ${(top + bottom) / 2}`
      const isOnTop: boolean = await page.evaluate(
        `document.elementFromPoint(${middle}) === document.querySelector('#hint code')`,
      )
      expect(isOnTop).toBe(true)
    }),
  )
})

describe('the filled form', () => {
  it('unfolds where the shopper changes something, and where something is wrong', () =>
    onFrontPage([1280, 800], async (page) => {
      await startPurchase(page)
      const checkout = page.locator('plazo-checkout')
      const names = checkout.getByLabel('Given names')
      const city = checkout.getByLabel('City')
      expect([await names.isVisible(), await city.isVisible()]).toEqual([false, false])
      await checkout.getByText('Ana García Ruiz').waitFor()
      await checkout.getByRole('button', { name: 'Change: About you' }).click()
      await names.waitFor()
      await page.evaluate(
        'document.querySelector("plazo-checkout").shadowRoot.querySelector("#city").value = ""',
      )
      await privacyOf(page).check()
      await checkout.getByRole('button', { name: 'Send me a code' }).click()
      await city.waitFor()
      await checkout
        .getByText('Enter your city')
        .or(checkout.locator('.city .wrong'))
        .first()
        .waitFor()
    }))
})

describe('the bar at the top', () => {
  it.each([...SCREENS, [1100, 800] as const, PHONE])(
    'keeps its height, and the page its place, at %i × %i',
    (...size) =>
      onFrontPage(size, async (page) => {
        const bar = page.locator('body > header')
        const { height } = await boxOf(bar)
        await startPurchase(page)
        await page.getByRole('button', { name: /timer · .* h/ }).waitFor()
        expect((await boxOf(bar)).height).toBe(height)
        // One row on a screen, two on a small one, three on a phone.
        expect(height).toBeLessThan(size[0] >= 1280 ? 60 : size[0] > 640 ? 100 : 140)
        if (size[0] < 1000) return
        await askForCode(page)
        await page.getByRole('button', { name: /^Fill in \d{5}$/ }).click()
        await page
          .locator('plazo-checkout')
          .getByRole('button', { name: 'Confirm the code' })
          .click()
        const frame = page.frameLocator('iframe')
        await frame.getByRole('button', { name: 'Pay' }).waitFor()
        await page.getByRole('button', { name: /^Fill in 4111/ }).click()
        await frame.getByRole('button', { name: 'Pay' }).click()
        await page.locator('#hint').getByText('The purchase is complete').waitFor()
        expect([(await boxOf(bar)).top, (await boxOf(bar)).height, await scrollOf(page)]).toEqual([
          0,
          height,
          0,
        ])
        const panes = await boxOf(page.locator('.panes'))
        await page.getByRole('button', { name: '+1 h' }).click()
        await page.locator('#news', { hasText: 'It is' }).waitFor()
        expect(await boxOf(page.locator('.panes'))).toEqual(panes)
      }),
  )
})

describe('a small screen', () => {
  it('covers nothing with bars that stay in place at a zoom of 200 %', () =>
    onFrontPage(ZOOMED, async (page) => {
      const button = page.getByRole('button', { name: 'Go to the checkout' })
      expect((await boxOf(button)).top).toBeGreaterThan(ZOOMED[1])
      await button.scrollIntoViewIfNeeded()
      expect((await boxOf(page.locator('.tabs'))).bottom).toBeLessThan(0)
      await startPurchase(page)
      const width: number = await page.evaluate('document.documentElement.scrollWidth')
      expect(width).toBeLessThanOrEqual(ZOOMED[0])
    }))
})

describe('a time of another day', () => {
  it('has its date, before and after the clock has moved', () =>
    onFrontPage([1440, 900], async (page) => {
      await startPurchase(page)
      const [placed, expiry] = ['The shop placed the order', 'The checkout expires'].map((text) =>
        page.locator('#timeline li', { hasText: text }).first().locator('time'),
      )
      expect(await expiry?.textContent()).toMatch(/^\d{1,2} \w{3,4} \d\d:\d\d:\d\d$/)
      expect(await placed?.textContent()).toMatch(/^\d\d:\d\d:\d\d$/)
      await page.getByRole('button', { name: '+1 week' }).click()
      await page.locator('#timeline li', { hasText: 'The time for the checkout was up' }).waitFor()
      expect(await placed?.textContent()).toMatch(/^\d{1,2} \w{3,4} \d\d:\d\d:\d\d$/)
    }))
})
