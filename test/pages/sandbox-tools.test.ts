// The sandbox's pages of test data, SMS, webhooks and clock in a real browser. Sandbox rules, Pages.
import { describe, expect, it } from 'vitest'
import { stagesOf } from '../end-to-end/stages.ts'
import { addLamps, HOSTILE, holdRequests, servedPages } from '../harness/served-pages.ts'
import { shopAt } from '../harness/shop.ts'

const HTML = { accept: 'text/html' }

const { server, shop: demo, withPage } = await servedPages()
const lamps = await addLamps(server)

describe('the sandbox’s pages', () => {
  it.each(['/sandbox/triggers', '/sandbox/clock'])(
    'are JSON for every client but a browser: %s',
    async (path) => {
      for (const accept of ['*/*', 'application/json', ''])
        expect(
          (await demo.send('GET', path, undefined, { accept })).headers.get('content-type'),
          accept,
        ).toMatch(/json/)
      expect((await demo.send('GET', path, undefined, HTML)).headers.get('content-type')).toMatch(
        /html/,
      )
    },
  )

  it('lead to each other and to the front page by keyboard', () =>
    withPage('/', async (page) => {
      const bar = page.getByRole('navigation', { name: 'Pages' })
      for (const name of ['Test data', 'Deliveries', 'Statechart', 'Try it']) {
        await bar.getByRole('link', { name }).focus()
        await page.keyboard.press('Enter')
        await page.locator(`[aria-current=page]`, { hasText: name }).waitFor()
      }
    }))

  it('give the guide to whoever connects a shop', () =>
    withPage('/', async (page) => {
      await page.getByText('Connect your own shop').click()
      await page.getByRole('link', { name: 'Receiving in a shop' }).click()
      await page.getByText('# Receiving in a shop').waitFor()
    }))
})

describe('the page of test data', () => {
  it('has every person, and buys as them with one click', () =>
    withPage('/sandbox/triggers', async (page) => {
      const { triggers } = (await (await demo.send('GET', '/sandbox/triggers')).json()) as {
        readonly triggers: readonly { readonly surnames: string }[]
      }
      for (const { surnames } of triggers.filter((trigger) => trigger.surnames !== ''))
        await page.getByText(surnames, { exact: true }).waitFor()
      await page.getByRole('link', { name: 'Buy as Eva' }).click()
      await page.getByText('Eva is denied').waitFor()
      expect(await page.getByRole('radio', { name: 'Eva' }).isChecked()).toBe(true)
    }))
})

describe('the page of SMS', () => {
  it('shows a new SMS as it comes, with its code', () =>
    withPage('/sandbox/messages', async (page) => {
      const orderRef = await stagesOf(demo).identified()
      const [{ code } = { code: '' }] = await demo.messages(orderRef)
      await page.locator('li .pill', { hasText: code }).waitFor()
      await page.goto(`${server.url}/sandbox/messages?order_ref=${orderRef}`)
      await page.locator('li .pill').first().waitFor()
      expect(await page.locator('li .pill').allTextContents()).toEqual([code])
    }))

  it('shows an order of another merchant only with that merchant’s credentials', async () => {
    const orderRef = await lamps.place()
    await lamps.submit(orderRef)
    const [{ code } = { code: '' }] = await lamps.messages(orderRef)
    const path = `/sandbox/messages?order_ref=${orderRef}`
    const refused = await demo.send('GET', path, undefined, HTML)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('Basic'),
    ])
    await withPage(path, (page) => page.locator('.pill', { hasText: code }).waitFor(), {
      httpCredentials: lamps.credentials,
    })
  })
})

describe('the page of the clock', () => {
  it('moves to the next timer of any order, and says what fired', () =>
    withPage('/sandbox/clock', async (page) => {
      const order = { merchant_reference: { order_ref_1: 'LATE-1' } }
      const orderRef = await stagesOf(demo).proven({ surnames: 'expiry event' }, order)
      const entry = (title: string) =>
        page.getByRole('region', { name: title }).locator('li', { hasText: 'LATE-1' })
      await entry('What comes next').filter({ hasText: 'The screening expires' }).waitFor()
      // Timers of other orders may come first.
      const fired = entry('What happened').filter({ hasText: 'The time for the screening was up' })
      for (let moves = 0; moves < 10 && (await fired.count()) === 0; moves += 1) {
        await page.getByRole('button', { name: 'Any order’s timer' }).click()
        await page.locator('#news', { hasText: 'It is' }).waitFor()
      }
      await fired.waitFor()
      expect((await demo.order(orderRef)).state.checkout).toBe('screened')
      await fired.getByRole('link', { name: 'LATE-1' }).click()
      await page.waitForURL(new RegExp(`order=${orderRef}`))
    }))

  it('says that the clock moves while it does, and then that it is ready', () =>
    withPage('/sandbox/clock', async (page) => {
      const release = await holdRequests(page, '**/sandbox/clock/advance')
      const hour = page.getByRole('button', { name: '+1 h' })
      await hour.click()
      await page.getByText('The clock is moving.').waitFor()
      expect(await hour.getAttribute('aria-busy')).toBe('true')
      release()
      await page.locator('#news', { hasText: /^It is/ }).waitFor()
      expect(await hour.getAttribute('aria-busy')).toBe(null)
    }))
})

describe('the page of deliveries', () => {
  it('shows each request with its signature and answer as it comes, and hostile text stays text', () =>
    withPage('/sandbox/demo/webhooks', async (page) => {
      const orderRef = await stagesOf(demo).settled(
        { surnames: 'denial event' },
        { merchant_reference: { order_ref_1: HOSTILE } },
      )
      const webhook = page.locator('.lines > li', { hasText: HOSTILE }).first()
      await webhook.locator('.pill', { hasText: '200' }).waitFor()
      await webhook.getByText(`signature valid · ${server.url}/demo/events`).waitFor()
      await webhook.locator('summary').click()
      await webhook.locator('pre', { hasText: 'onerror' }).waitFor()
      expect(await page.locator('main img').count()).toBe(0)
      expect(await page.title()).toBe('Deliveries · plazo sandbox')
      await webhook.getByRole('link', { name: HOSTILE }).click()
      await page.waitForURL(new RegExp(`order=${orderRef}`))
    }))

  it('gives a merchant the URLs of a shop that answers as they choose, and shows only their webhooks', async () => {
    const theirs = await stagesOf(demo).settled({ surnames: 'denial event' })
    await withPage(
      '/sandbox/webhooks',
      async (page) => {
        await page.getByRole('radio', { name: '500, then 200' }).check()
        const notify_url = `${server.url}/demo/notify?merchant=lamps&answer=error-then-ok`
        const eventsUrl = `${server.url}/demo/events?merchant=lamps`
        await page.getByText(notify_url).waitFor()
        await page.getByText(eventsUrl).waitFor()
        const events_webhook = { url: eventsUrl, parameters: {} }
        const merchant = { id: 'lamps', notify_url, events_webhook }
        await stagesOf(shopAt(server.url, lamps.credentials)).settled({}, { merchant })
        const ipn = page.locator('.lines > li', { hasText: 'Webhook IPN' })
        await ipn.locator('.pill', { hasText: '500' }).waitFor()
        expect(await page.getByText(theirs.slice(0, 8)).count()).toBe(0)
      },
      { httpCredentials: lamps.credentials },
    )
  })
})
