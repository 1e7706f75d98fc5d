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

describe('the bar and the hint', () => {
  it.each([...SCREENS, [1100, 800] as const, PHONE])(
    'stay in place and in sight during a purchase, at %i × %i',
    (...size) =>
      onFrontPage(size, async (page) => {
        const bar = page.locator('body > header')
        const { height } = await boxOf(bar)
        await startPurchase(page)
        await page.getByRole('button', { name: /timer · .* h/ }).waitFor()
        // One row on a screen, two on a small one, three on a phone.
        expect(height).toBeLessThan(size[0] >= 1280 ? 60 : size[0] > 640 ? 100 : 140)
        await askForCode(page)
        const { top, bottom, left } = await boxOf(page.locator('#hint code'))
        expect(top).toBeGreaterThanOrEqual(0)
        expect(bottom).toBeLessThanOrEqual(size[1])
        // Nothing lies above it.
        const isOnTop: boolean = await page.evaluate(
          `document.elementFromPoint(${left + 8}, ${(top + bottom) / 2}).matches('#hint code')`,
        )
        expect(isOnTop).toBe(true)
        expect((await boxOf(bar)).height).toBe(height)
        if (size[0] < 1000) return
        expect([(await boxOf(bar)).top, await page.evaluate('scrollY')]).toEqual([0, 0])
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
