// The statechart in a real browser, for an operator, for a newcomer who runs the way to a state, and
// in a page of any origin. Contract §7, Statechart.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stagesOf } from '../end-to-end/stages.ts'
import { startReceiver } from '../harness/receiver.ts'
import { OPERATOR, servedPages } from '../harness/served-pages.ts'

const { server, shop, withPage } = await servedPages({ width: 1440 })
const confirmed = await stagesOf(shop).settled()

const onMachine = (path: string, use: (page: Page) => Promise<void>): Promise<void> =>
  withPage(
    `/machine${path}`,
    async (page) => {
      await page.getByRole('tab', { name: /^checkout/ }).waitFor()
      await use(page)
    },
    { httpCredentials: OPERATOR },
  )

const positionOf = (page: Page) => page.getByRole('status').textContent()

describe('the statechart', () => {
  it('is three pictures without scripts, and if its script cannot be loaded', async () => {
    const picture = { name: /^The statechart of the / }
    await withPage(
      '/machine',
      async (page) => expect(await page.getByRole('img', picture).count()).toBe(3),
      { javaScriptEnabled: false },
    )
    await withPage(
      'about:blank',
      async (page) => {
        await page.route('**/assets/*.js', (route) => route.abort())
        await page.goto(`${server.url}/machine`)
        await page.evaluate('for (const wait of document.getAnimations()) wait.finish()')
        expect(await page.getByRole('img', picture).first().isVisible()).toBe(true)
      },
      { allows: /ERR_FAILED/ },
    )
  })

  it('has states that are reached by Tab, and selected by Enter or Space', async () => {
    await onMachine('', async (page) => {
      const focused = page.locator('#panel [role=button]:focus')
      const stateOf = (locator: Locator) => locator.getAttribute('data-state')
      await page.locator('#panel').focus()
      for (let tabs = 0; tabs < 3; tabs++) await page.keyboard.press('Tab')
      expect(await stateOf(focused)).toBe('checkout.open.proving.verifyingPhone')
      await page.keyboard.press('Enter')
      await page.getByRole('region', { name: 'How do I get to verifying_phone?' }).waitFor()
      await page.keyboard.press('Shift+Tab')
      const state = await stateOf(focused)
      await page.keyboard.press('Space')
      await page.locator(`#panel [data-state="${state}"][aria-pressed=true]`).waitFor()
      expect(await page.locator('#panel [aria-pressed=true]').count()).toBe(1)
    })
  })

  it('brings an order to a state as the shopper who takes the way, ticks each step, and shows the order', () =>
    withPage('/', async (page) => {
      await page
        .locator('plazo-machine')
        .evaluate((machine) => machine.setAttribute('view', 'list'))
      await page.getByRole('button', { name: 'reviewing', exact: true }).click()
      const guide = page.getByRole('region', { name: 'How do I get to reviewing?' })
      await guide.getByRole('button', { name: 'Run it' }).click()
      await guide.getByText('The order is in reviewing.').waitFor()
      const steps = guide.getByRole('listitem')
      expect(await steps.evaluateAll((items) => items.map((item) => item.className))).toEqual(
        Array(5).fill('done'),
      )
      await page.getByRole('tab', { name: 'checkout: reviewing' }).waitFor()
      const { searchParams } = new URL(page.url())
      expect(searchParams.get('person')).toBe('review event')
      const { state } = await shop.order(searchParams.get('order') ?? '')
      expect(state.checkout).toBe('reviewing')
    }))
})

describe('an order on the statechart', () => {
  it('is scrubbed by keyboard, keeps the focus, and follows again by one button', async () => {
    await onMachine(`/orders/${confirmed}`, async (page) => {
      const end = page.locator('#panel [data-state="checkout.confirmed"].active')
      await end.waitFor()
      expect(await page.locator('#panel .arrow.taken').count()).toBeGreaterThan(5)
      expect(await positionOf(page)).toMatch(/^event (\d+) of \1 · following$/)
      const slider = page.getByRole('slider')
      await slider.focus()
      await page.keyboard.press('Home')
      expect(await positionOf(page)).toMatch(/^event 0 of \d+$/)
      await page.keyboard.press('ArrowRight')
      expect(await positionOf(page)).toMatch(/^event 1 of/)
      expect(await slider.evaluate((range) => range.matches(':focus'))).toBe(true)
      await page.keyboard.press('End')
      await end.waitFor()
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

  it('is followed in seven windows at once, which take turns', async () => {
    const orderRef = await shop.place()
    await onMachine(`/orders/${orderRef}`, async (first) => {
      const windows = [first]
      for (const _ of Array(6)) {
        const next = await first.context().newPage()
        await next.goto(first.url())
        await next.getByText('event 1 of 1 · following').waitFor()
        windows.push(next)
      }
      await shop.submit(orderRef)
      for (const each of windows)
        await each.getByText(/^event [2-9] of [2-9] · following$/).waitFor()
    })
  })
})

it('<plazo-machine> shows a journal that a page of another origin gives as data, and runs nothing', async () => {
  const journal = await shop.history(confirmed)
  const body = `<!doctype html><title>Support</title><link rel="icon" href="data:,">
<script type="module" src="${server.url}/sdk/machine.js"></script><plazo-machine view="picture"></plazo-machine>`
  const headers = { 'content-type': 'text/html' }
  const elsewhere = await startReceiver({ status: 200, body, headers })
  onTestFinished(() => elsewhere.close())
  await withPage(elsewhere.url, async (page) => {
    await page.getByRole('tab', { name: /^checkout/ }).waitFor()
    await page
      .locator('plazo-machine')
      .evaluate((machine, lines) => Object.assign(machine, { journal: lines }), journal)
    const state = page.locator('#panel [data-state="checkout.confirmed"]')
    await state.and(page.locator('.active')).waitFor()
    await state.click()
    const guide = page.getByRole('region', { name: 'How do I get to confirmed?' })
    expect(await guide.getByRole('listitem').count()).toBeGreaterThan(3)
    expect(await guide.getByRole('button').or(guide.getByRole('link')).count()).toBe(0)
  })
})
