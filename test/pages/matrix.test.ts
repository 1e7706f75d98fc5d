// Visits every page in every state, and loads it again: in the gate at one width and in one colour
// scheme by turns, with `pnpm browser` at both widths and in both schemes.
// With SCREENSHOTS=<folder>, it saves a picture of each visit there, to be looked at.
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { stagesOf } from '../end-to-end/stages.ts'
import { startReceiver } from '../harness/receiver.ts'
import { isWhole, overflowOf, servedPages, VIEWS, violationsOf } from '../harness/served-pages.ts'
import { PAGE_STATES } from './matrix.ts'

const STATES = PAGE_STATES.map((state, turn) => ({
  ...state,
  views: isWhole ? VIEWS : VIEWS.slice(turn % 2, (turn % 2) + 1),
}))
const screenshots = process.env.SCREENSHOTS

// Shoppers and operators use these on a phone.
const FOR_FINGERS = /^\/(orders|console|sandbox\/pay)/
const smallestControl = async (page: Page): Promise<number> => {
  const controls = page.locator(
    'button:visible, a.button:visible, input[type=text]:visible, input[type=password]:visible',
  )
  const heights = await controls.evaluateAll((all) =>
    all.map((each) => each.getBoundingClientRect().height),
  )
  return Math.min(...heights)
}

const receiver = await startReceiver()
afterAll(() => receiver.close())
const { shop, withPage } = await servedPages({ reducedMotion: 'reduce' })

describe.each(STATES)(
  '$name',
  ({ name, reach, act, account = 'demo', status, isFramed = false, views }) => {
    let reached: Promise<string> | null = null

    it.each(views)(
      'is complete at %i pixels in %s, also after a reload',
      async (width, colorScheme) => {
        // The views share an order, unless they change it.
        if (reached === null || act !== undefined) reached = reach(stagesOf(shop), shop, receiver)
        const allows = status === undefined ? /ERR_FAILED/ : new RegExp(`status of ${status}`)
        const httpCredentials = { username: account, password: account }
        await withPage(
          await reached,
          async (page) => {
            await page
              .locator('main:not(:has(plazo-checkout)), plazo-checkout .step')
              .first()
              .waitFor()
            await act?.(page)
            const found = await violationsOf(page)
            const isAllowed = (violation: string): boolean =>
              isFramed && violation.startsWith('page-has-heading-one')
            expect(found.filter((each) => !isAllowed(each))).toEqual([])
            expect(await overflowOf(page)).toBe(0)
            if (FOR_FINGERS.test(new URL(page.url()).pathname))
              expect(await smallestControl(page)).toBeGreaterThanOrEqual(44)
            expect(await page.title()).not.toBe('')
            if (screenshots !== undefined) {
              const file = `${name.replaceAll(/\W+/g, '-')}-${width}-${colorScheme}.png`
              await page.screenshot({ path: join(screenshots, file), fullPage: true })
            }
            if (act !== undefined) return
            const firstHeading = async () => (await page.getByRole('heading').allTextContents())[0]
            const before = await firstHeading()
            await page.reload()
            await expect.poll(firstHeading).toBe(before)
          },
          { width, colorScheme, httpCredentials, allows },
        )
      },
    )
  },
)
