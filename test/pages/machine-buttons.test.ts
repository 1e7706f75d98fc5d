// The buttons of the statechart in a real browser: bring an order to a state. A page
// of any origin shows a journal that it gives as data, without them. Contract §7, Statechart.
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stagesOf } from '../end-to-end/stages.ts'
import { startReceiver } from '../harness/receiver.ts'
import { servedPages } from '../harness/served-pages.ts'

const { server, shop, withPage } = await servedPages({ width: 1440 })
const confirmed = await stagesOf(shop).settled({}, { merchant_reference: { order_ref_1: 'M-1' } })

const onMachine = (use: (page: Page) => Promise<void>): Promise<void> => withPage('/machine', use)

const runButton = (page: Page) => page.getByRole('button', { name: 'Run it' })

describe('the page of the statechart', () => {
  it('brings an order to a state, ticks each step, and shows the order', () =>
    onMachine(async (page) => {
      await page.locator('#panel [data-state="checkout.open.reviewing"]').click()
      await runButton(page).click()
      await page.getByText('The order is in reviewing.').waitFor()
      const steps = page
        .getByRole('region', { name: 'How do I get to reviewing?' })
        .getByRole('listitem')
      expect(await steps.evaluateAll((items) => items.map((item) => item.className))).toEqual(
        Array(5).fill('done'),
      )
      await page.locator('#panel [data-state="checkout.open.reviewing"].active.selected').waitFor()
    }))

  it('shows the event at which an order passed through a state', () =>
    onMachine(async (page) => {
      await page.locator('#panel [data-state="checkout.open.approved"]').click()
      await runButton(page).click()
      await page.getByText(/^Event \d+ led to approved. The order does not stay there.$/).waitFor()
      await page.locator('#panel [data-state="checkout.open.approved"].selected').waitFor()
      await page.getByRole('button', { name: 'Follow' }).waitFor()
    }))
})

describe('the sandbox’s front page', () => {
  const nextOrder = async (page: Page, former: string): Promise<string> => {
    await page.waitForURL(
      (url) => url.searchParams.has('order') && url.searchParams.get('order') !== former,
    )
    return new URL(page.url()).searchParams.get('order') ?? ''
  }

  it('brings an order to a state as the shopper who takes the way, and shows it', () =>
    withPage('/', async (page) => {
      await page
        .locator('plazo-machine')
        .evaluate((machine) => machine.setAttribute('view', 'list'))
      await page.getByRole('button', { name: 'reviewing', exact: true }).click()
      const guide = page.getByRole('region', { name: 'How do I get to reviewing?' })
      expect(await guide.getByRole('listitem').allTextContents()).toContain(
        'The screening answers: review.',
      )
      expect(await guide.getByText('review event').isVisible()).toBe(true)
      await guide.getByRole('button', { name: 'Run it' }).click()
      const orderRef = await nextOrder(page, '')
      expect(new URL(page.url()).searchParams.get('person')).toBe('review event')
      await guide.getByText('The order is in reviewing.').waitFor()
      await page.locator('plazo-machine li.active.selected', { hasText: 'reviewing' }).waitFor()
      await page.getByRole('tab', { name: 'checkout: reviewing' }).waitFor()
      expect((await shop.order(orderRef)).state.checkout).toBe('reviewing')
    }))
})

describe('<plazo-machine> in a page of another origin', () => {
  it('shows a journal that the page gives as data', async () => {
    const journal = await shop.history(confirmed)
    const body = `<!doctype html><title>Support</title><link rel="icon" href="data:,">
<script type="module" src="${server.url}/sdk/machine.js"></script><plazo-machine view="picture"></plazo-machine>`
    const elsewhere = await startReceiver({
      status: 200,
      body,
      headers: { 'content-type': 'text/html' },
    })
    onTestFinished(() => elsewhere.close())
    await withPage(elsewhere.url, async (other) => {
      await other.getByRole('tab', { name: /^checkout/ }).waitFor()
      await other
        .locator('plazo-machine')
        .evaluate((machine, lines) => Object.assign(machine, { journal: lines }), journal)
      await other.locator('#panel [data-state="checkout.confirmed"].active').waitFor()
      expect(await other.getByRole('status').textContent()).toBe(
        `event ${journal.length} of ${journal.length} · following`,
      )
      await other.locator('#panel [data-state="checkout.confirmed"]').click()
      const guide = other.getByRole('region', { name: 'How do I get to confirmed?' })
      expect(await guide.getByRole('listitem').count()).toBeGreaterThan(3)
      expect(await guide.getByRole('button').or(guide.getByRole('link')).count()).toBe(0)
    })
  })
})
