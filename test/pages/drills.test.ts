// Fault drills on the sandbox's pages, in a real browser: choosing one, seeing what it touched, and ending it. Contract §8, Fault drills.
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, type OwnBrowser } from '../harness/browser.ts'
import { type RunningServer, startServer } from '../harness/running-server.ts'
import { basic, CARD, type Shop, shopAt } from '../harness/shop.ts'
import { waitUntil } from '../harness/wait-until.ts'

const LAMPS = { username: 'lamps', password: 'of-lamps' }

let server: RunningServer
let own: OwnBrowser
let demo: Shop
let lamps: Shop

beforeAll(async () => {
  server = await startServer()
  demo = shopAt(server.url)
  lamps = shopAt(server.url, LAMPS)
  own = await launchBrowser()
  const fields = { ref: 'lamps', name: 'Lamps', ...LAMPS, currency: 'EUR', products: 'i1,pp3,sp1,fp1' }
  const added = await fetch(`${server.url}/console/merchants`, {
    method: 'POST',
    headers: { authorization: basic('operator', 'operator') },
    body: new URLSearchParams(fields),
  })
  expect(added.status).toBe(201)
})
afterEach(async () => {
  await demo.asMerchant('DELETE', '/sandbox/drills')
  await lamps.asMerchant('DELETE', '/sandbox/drills')
})
afterAll(async () => {
  await own.close()
  await server.stop()
})

type Credentials = { readonly username: string; readonly password: string }
type View = {
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
  readonly httpCredentials?: Credentials
  readonly javaScriptEnabled?: boolean
}

const withPage = async (
  path: string,
  use: (page: Page) => Promise<void>,
  { width = 1280, ...view }: View = {},
): Promise<void> => {
  const context = await own.browser.newContext({ viewport: { width, height: 900 }, ...view })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  try {
    await page.goto(`${server.url}${path}`)
    await use(page)
    expect(errors).toEqual([])
  } finally {
    await context.close()
  }
}

const banner = (page: Page) => page.getByRole('region', { name: 'Fault drills' })
const chooseAnswer = (page: Page, answer: string) =>
  page.getByLabel('How does the shop answer its webhooks?').selectOption(answer)

const AGREEMENT = { credit_agreement: { product: 'pp3', instalment_count: 3 } }

const finish = async (orderRef: string): Promise<void> => {
  await demo.submit(orderRef, AGREEMENT)
  await demo.submit(orderRef, { ...AGREEMENT, validation_code: '12345' })
  await waitUntil(async () => (await demo.wait(orderRef)).action === 'resume_after_screening')
  const { iframe_url } = await demo.submit(orderRef, AGREEMENT)
  await demo.pay(iframe_url, CARD)
}

describe('a drill that is chosen on the front page', () => {
  it('touches the next order, whose timeline labels the attempt', () =>
    withPage('/', async (page) => {
      await chooseAnswer(page, '500, then 200')
      await page.getByText('The IPN fails once. It is accepted when it is sent again.').waitFor()
      await page.getByRole('button', { name: 'Go to the checkout' }).click()
      await page.waitForURL(/order=/)
      const orderRef = new URL(page.url()).searchParams.get('order') ?? ''
      await banner(page).getByText('Drill: 500, then 200').waitFor()
      await banner(page)
        .getByText(/^ends in (59|60) min|^ends in 1 h/)
        .waitFor()
      await finish(orderRef)
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

  it('is not set for an order that is answered as usual', () =>
    withPage('/', async (page) => {
      await page.getByRole('button', { name: 'Go to the checkout' }).click()
      await page.waitForURL(/order=/)
      expect(await (await demo.send('GET', '/sandbox/demo/drills')).json()).toEqual({ drills: [] })
    }))
})

describe('the banner', () => {
  it('is on every page of the merchant, and ends each drill', async () => {
    for (const fault of ['slow', 'gone']) await demo.send('POST', '/sandbox/demo/drills', { fault, event: 'cancel' })
    const orderRef = await demo.place()
    for (const path of ['/', '/sandbox/triggers', '/sandbox/messages', '/sandbox/clock', '/sandbox/demo/inbox'])
      await withPage(path, async (page) => {
        await banner(page).getByText('Drill: 410 Gone').waitFor()
        await banner(page).getByText('slow · cancel, any order · 0 of 1 touched').waitFor()
      })
    await withPage(
      `/machine/orders/${orderRef}`,
      async (page) => {
        await banner(page).getByRole('button', { name: 'End the drill 410 Gone' }).click()
        await banner(page).getByText('Drill: 410 Gone').waitFor({ state: 'detached' })
        await banner(page).getByRole('button', { name: 'End the drill 200 after 10 seconds' }).press('Enter')
        await banner(page).waitFor({ state: 'hidden' })
      },
      { httpCredentials: { username: 'demo', password: 'demo' } },
    )
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
    const orderRef = await lamps.place({ merchant: { id: 'lamps' } })
    for (const path of ['/sandbox/inbox', `/machine/orders/${orderRef}`, `/sandbox/messages?order_ref=${orderRef}`])
      await withPage(
        path,
        async (page) => {
          await banner(page).getByRole('button', { name: 'End the drill 409 Conflict' }).waitFor()
          expect(await page.content()).not.toContain('410 Gone')
          expect(await banner(page).getByText('410 Gone').count()).toBe(0)
        },
        { httpCredentials: LAMPS },
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
      { httpCredentials: { username: 'operator', password: 'operator' } },
    )
  })

  it('is readable without a script', async () => {
    await demo.send('POST', '/sandbox/demo/drills', { fault: 'redirect' })
    await withPage('/sandbox/clock', (page) => page.getByText(/^Drill: 302 Found, until/).waitFor(), {
      javaScriptEnabled: false,
    })
  })

  it.each([
    [360, 'light'],
    [1280, 'dark'],
  ] as const)('has no accessibility violation at %i px, %s', async (width, colorScheme) => {
    await demo.send('POST', '/sandbox/demo/drills', { fault: 'wrong_signature', share: 0.5, seed: 'monday' })
    await withPage(
      '/',
      async (page) => {
        await chooseAnswer(page, 'a late cancel')
        await banner(page).getByText('50 % of the attempts, 0 touched').waitFor()
        const { violations } = await new AxeBuilder({ page }).analyze()
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
        expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBeLessThanOrEqual(width)
        const folder = process.env.PICTURES
        if (folder !== undefined) await page.screenshot({ path: `${folder}/drills-${width}-${colorScheme}.png` })
      },
      { width, colorScheme },
    )
  })
})
