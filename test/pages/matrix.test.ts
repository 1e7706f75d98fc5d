// Visits every page in every state at both widths and in both colour schemes, and loads it again. The gate visits a part;
// `pnpm browser` visits all.
import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stagesOf } from '../e2e/stages.ts'
import { launchBrowser, type OwnBrowser } from '../harness/browser.ts'
import { type RunningServer, startServer } from '../harness/running-server.ts'
import { shopAt } from '../harness/shop.ts'
import { PAGE_STATES } from './matrix.ts'

const isWhole = process.env.BROWSER_MATRIX === 'whole'
const WIDTHS = isWhole ? [360, 1280] : [360]
const SCHEMES = isWhole ? (['light', 'dark'] as const) : (['dark'] as const)
const STATES = PAGE_STATES.filter(({ isInGate }) => isWhole || isInGate)
const VIEWS = WIDTHS.flatMap((width) => SCHEMES.map((colorScheme) => ({ width, colorScheme })))

let server: RunningServer
let own: OwnBrowser

beforeAll(async () => {
  server = await startServer()
  own = await launchBrowser()
})
afterAll(async () => {
  await own.close()
  await server.kill()
})

describe.each(STATES)('$name', ({ reach, act, account = 'demo', status }) => {
  let reached: Promise<string> | null = null

  it.each(VIEWS)('is complete at $width pixels in $colorScheme, also after a reload', async (view) => {
    const shop = shopAt(server.url)
    // The views share an order, unless they change it.
    if (reached === null || act !== undefined) reached = reach(stagesOf(shop), shop)
    const path = await reached
    const context = await own.browser.newContext({
      viewport: { width: view.width, height: 800 },
      colorScheme: view.colorScheme,
      reducedMotion: 'reduce',
      locale: 'en',
      httpCredentials: { username: account, password: account },
    })
    try {
      const page = await context.newPage()
      const said: string[] = []
      page.on('console', (message) => said.push(message.text()))
      page.on('pageerror', (error) => said.push(String(error)))
      await page.goto(`${server.url}${path}`)
      await page.locator('main:not(:has(plazo-checkout)), plazo-checkout .step').first().waitFor()
      await act?.(page)
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`)).toEqual([])
      const root = 'document.documentElement'
      expect(await page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`)).toBe(0)
      expect(await page.title()).not.toBe('')
      if (act === undefined) {
        const firstHeading = async () => (await page.getByRole('heading').allTextContents())[0]
        const before = await firstHeading()
        await page.reload()
        await expect.poll(firstHeading).toBe(before)
      }
      // A browser logs each answer that is no success.
      const expected = status === undefined ? /ERR_FAILED/ : new RegExp(`status of ${status}`)
      expect(said.filter((text) => !expected.test(text))).toEqual([])
    } finally {
      await context.close()
    }
  })
})
