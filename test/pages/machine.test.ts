// The statechart in a real browser: the pictures, the scrubber, the list, and an order that is
// followed live.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { stagesOf } from '../end-to-end/stages.ts'
import { OPERATOR, overflowOf, servedPages, VIEWS, violationsOf } from '../harness/served-pages.ts'

const README_WIDTH = 838

const { server, shop, withPage } = await servedPages({ httpCredentials: OPERATOR })
const confirmed = await stagesOf(shop).settled()

type Options = Parameters<typeof withPage>[2]

const onMachine = (
  path: string,
  use: (page: Page) => Promise<void>,
  options: Options = {},
): Promise<void> =>
  withPage(
    `/machine${path}`,
    async (page) => {
      await page.getByRole('tab', { name: /^checkout/ }).waitFor()
      await use(page)
    },
    options,
  )

const isInSight = async (page: Page, state: Locator): Promise<boolean> => {
  const [frame, box] = await Promise.all([
    page.locator('#panel').boundingBox(),
    state.boundingBox(),
  ])
  return (
    frame !== null &&
    box !== null &&
    box.y >= frame.y &&
    box.y + box.height <= frame.y + frame.height
  )
}

const positionOf = (page: Page) => page.getByRole('status').textContent()
const activeIn = (page: Page): Promise<readonly string[]> =>
  page
    .locator('[data-state].active')
    .evaluateAll((states) => states.map((state) => state.getAttribute('data-state') ?? ''))

describe('the statechart', () => {
  it('is shown without scripts, as three pictures', async () => {
    await withPage(
      '/machine',
      async (page) => {
        expect(await page.getByRole('img', { name: /^The statechart of the / }).count()).toBe(3)
        expect(await page.getByText('verifying_phone').first().isVisible()).toBe(true)
      },
      { javaScriptEnabled: false },
    )
  })

  it('is shown as pictures again if its script cannot be loaded', async () => {
    await withPage(
      'about:blank',
      async (page) => {
        await page.route('**/assets/*.js', (route) => route.abort())
        await page.goto(`${server.url}/machine`)
        const picture = page.getByRole('img', { name: 'The statechart of the checkout' })
        expect(await picture.isVisible()).toBe(false)
        await page.evaluate('for (const wait of document.getAnimations()) wait.finish()')
        expect(await picture.isVisible()).toBe(true)
      },
      { allows: /ERR_FAILED/ },
    )
  })

  it('has texts that fit their boxes, and letters of at least 9 px at a README’s width', async () => {
    await onMachine(
      '',
      async (page) => {
        const measured = await page.locator('#panel svg.machine').evaluate((svg) => {
          const scale = svg.getBoundingClientRect().width / Number(svg.getAttribute('width'))
          const tooWide = [...svg.querySelectorAll('g[data-state]')].flatMap((state) => {
            const box = state.querySelector('rect')?.getBoundingClientRect()
            return [...state.querySelectorAll('text')]
              .filter((text) => box !== undefined && text.getBoundingClientRect().right > box.right)
              .map((text) => text.textContent)
          })
          return { smallest: 10 * scale, tooWide }
        })
        expect(measured.tooWide).toEqual([])
        expect(measured.smallest).toBeGreaterThan(8.5)
      },
      { width: README_WIDTH },
    )
  })

  it('has states that are reached by Tab, and selected by Enter or Space', async () => {
    await onMachine('', async (page) => {
      const focused = page.locator('#panel [role=button]:focus')
      const stateOf = (locator: Locator) => locator.getAttribute('data-state')
      await page.locator('#panel').focus()
      await page.keyboard.press('Tab')
      expect(await stateOf(focused)).toBe('checkout.open.identifying')
      await page
        .getByRole('button', { name: /^identifying waiting for the shopper’s details/ })
        .waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      expect(await stateOf(focused)).toBe('checkout.open.proving.verifyingPhone')
      await page.keyboard.press('Enter')
      await page.getByRole('region', { name: 'How do I get to verifying_phone?' }).waitFor()
      expect(
        await stateOf(focused.and(page.locator('[aria-pressed=true]:focus-visible'))),
      ).toContain('verifyingPhone')
      for (let tabs = 0; tabs < 4; tabs++) await page.keyboard.press('Tab')
      expect(await isInSight(page, focused)).toBe(true)
      await page.keyboard.press('Shift+Tab')
      const state = await stateOf(focused)
      await page.keyboard.press('Space')
      await page.locator(`#panel [data-state="${state}"][aria-pressed=true]`).waitFor()
      expect(await page.locator('#panel [aria-pressed=true]').count()).toBe(1)
    })
  })

  it.each(VIEWS)('violates no rule of axe at %i px, %s', async (width, colorScheme) => {
    for (const path of ['', `/orders/${confirmed}`])
      await onMachine(
        path,
        async (page) => {
          await page
            .locator('plazo-machine')
            .evaluate((machine) => machine.setAttribute('view', 'picture'))
          await page.locator('#panel [data-state="checkout.open.identifying"]').click()
          expect(await violationsOf(page)).toEqual([])
          await page.getByRole('button', { name: 'List' }).click()
          expect(await violationsOf(page)).toEqual([])
          expect(await overflowOf(page)).toBe(0)
        },
        { width, colorScheme },
      )
  })
})

describe('an order on the statechart', () => {
  it('is named by the beginning of its uuid if it has no reference', () =>
    onMachine(`/orders/${confirmed}`, async (page) => {
      await page
        .getByRole('heading', { level: 1, name: `Order ${confirmed.slice(0, 8)}`, exact: true })
        .waitFor()
      await page.getByText(confirmed, { exact: true }).waitFor()
    }))

  it('is scrubbed by keyboard, keeps the focus, and follows again by one button', async () => {
    await onMachine(`/orders/${confirmed}`, async (page) => {
      await page.locator('#panel [data-state="checkout.confirmed"].active').waitFor()
      expect(await page.locator('#panel .arrow.taken').count()).toBeGreaterThan(5)
      expect(await positionOf(page)).toMatch(/^event (\d+) of \1 · following$/)
      await page.getByRole('slider').focus()
      await page.keyboard.press('Home')
      expect(await positionOf(page)).toMatch(/^event 0 of \d+$/)
      await page.keyboard.press('ArrowRight')
      expect(await positionOf(page)).toMatch(/^event 1 of/)
      expect(await page.getByRole('slider').evaluate((range) => range.matches(':focus'))).toBe(true)
      await page.keyboard.press('End')
      expect(await activeIn(page)).toContain('checkout.confirmed')
      await page.getByRole('button', { name: 'Follow' }).click()
      expect(await positionOf(page)).toContain('following')
    })
  })

  it('is followed in eight tabs, because a hidden tab lets go of its stream and asks again when shown', async () => {
    const orderRef = await shop.place()
    const setHidden = (page: Page, isHidden: boolean) =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await onMachine(`/orders/${orderRef}`, async (first) => {
      for (let tabs = 1; tabs < 8; tabs++) {
        const tab = await first.context().newPage()
        await tab.goto(first.url())
        await tab.getByText('event 1 of 1 · following').waitFor()
        await setHidden(tab, true)
      }
      await setHidden(first, true)
      await shop.submit(orderRef)
      await setHidden(first, false)
      await first.getByText(/^event [2-9] of [2-9] · following$/).waitFor()
    })
  })
})
