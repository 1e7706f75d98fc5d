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
      for (const name of ['Test data', 'SMS', 'Webhooks', 'Clock', 'Statechart', 'Try it']) {
        await page.getByRole('navigation').getByRole('link', { name }).focus()
        await page.keyboard.press('Enter')
        await page.locator(`[aria-current=page]`, { hasText: name }).waitFor()
      }
    }))
})

describe('the page of test data', () => {
  it('has every person, and buys as them with one click', () =>
    withPage('/sandbox/triggers', async (page) => {
      const { triggers } = (await (await demo.send('GET', '/sandbox/triggers')).json()) as {
        readonly triggers: readonly {
          readonly surnames: string
          readonly path: readonly string[]
        }[]
      }
      for (const { surnames, path } of triggers) {
        const person = page.locator('.people > li', {
          has: page.getByText(surnames, { exact: true }),
        })
        expect(await person.locator('.path li').allTextContents()).toEqual(path)
      }
      await page.getByRole('link', { name: 'Buy as Eva' }).click()
      expect(await page.getByRole('radio', { name: 'Eva' }).isChecked()).toBe(true)
    }))
})

describe('the page of SMS', () => {
  it('shows a new SMS as it comes, with its code', () =>
    withPage('/sandbox/messages', async (page) => {
      const orderRef = await stagesOf(demo).identified()
      const [{ code } = { code: '' }] = await demo.messages(orderRef)
      await page.locator('li', { hasText: code }).waitFor()
      await page.getByRole('textbox', { name: 'The order’s uuid' }).fill(orderRef)
      await page.keyboard.press('Enter')
      await page.getByText('Those of the order').waitFor()
      expect(await page.locator('.code-badge').allTextContents()).toEqual([code])
    }))

  it('shows an order of another merchant only with that merchant’s credentials', async () => {
    const orderRef = await lamps.place()
    await lamps.submit(orderRef)
    const [{ code } = { code: '' }] = await lamps.messages(orderRef)
    const path = `/sandbox/messages?order_ref=${orderRef}`
    expect(
      await (await demo.send('GET', '/sandbox/messages', undefined, HTML)).text(),
    ).not.toContain(code)
    const refused = await demo.send('GET', path, undefined, HTML)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('Basic'),
    ])
    await withPage(path, (page) => page.locator('.code-badge', { hasText: code }).waitFor(), {
      httpCredentials: lamps.credentials,
    })
  })
})

describe('the page of the clock', () => {
  it('moves to the next timer, and says what fired and what it caused', () =>
    withPage('/sandbox/clock', async (page) => {
      const orderRef = await stagesOf(demo).proven(
        { surnames: 'expiry event' },
        { merchant_reference: { order_ref_1: 'LATE-1' } },
      )
      await page.reload()
      await page
        .locator('#upcoming li', { hasText: 'The screening expires' })
        .filter({ hasText: 'LATE-1' })
        .waitFor()
      // Timers of other orders may come first.
      const happened = page.locator('#happened li', { hasText: 'LATE-1' })
      const caused = happened.locator('.caused', { hasText: 'checkout: screening to screened' })
      for (let moves = 0; moves < 10 && (await caused.count()) === 0; moves += 1) {
        await page.locator('#status').evaluate('status => { status.textContent = "" }')
        await page.getByRole('button', { name: /^Next timer/ }).click()
        await page.locator('#status', { hasText: /^Ready\./ }).waitFor()
        await page.locator('#happened h2').waitFor()
      }
      await happened.locator('.fired', { hasText: 'timer screeningWindow' }).waitFor()
      await caused.waitFor()
      expect((await demo.order(orderRef)).state.checkout).toBe('screened')
      await page.getByRole('link', { name: 'LATE-1' }).first().click()
      await page.waitForURL(new RegExp(`order=${orderRef}`))
    }))

  it('says that the clock moves while it does, and then that it is ready', () =>
    withPage('/sandbox/clock', async (page) => {
      const release = await holdRequests(page, '**/sandbox/clock/advance')
      const hour = page.getByRole('button', { name: '+1 h' })
      await hour.click()
      await page.getByText('The clock is moving.').waitFor()
      const json = {
        now: '2026-01-07T12:00:00Z',
        moving: { to: '2026-01-12T12:00:00Z', fired: 1_234 },
      }
      await page.route('**/sandbox/clock', (route) => route.fulfill({ json }))
      await page.getByText('Jobs so far: 1234.').waitFor()
      expect(await hour.getAttribute('aria-busy')).toBe('true')
      release()
      await page.locator('#status', { hasText: /^Ready\./ }).waitFor()
      expect(await hour.getAttribute('aria-busy')).toBe(null)
    }))
})

describe('the page of webhooks', () => {
  it('shows each request with its signature and answer as it comes, and hostile text stays text', () =>
    withPage('/sandbox/demo/webhooks', async (page) => {
      const orderRef = await stagesOf(demo).settled(
        { surnames: 'denial event' },
        { merchant_reference: { order_ref_1: HOSTILE } },
      )
      const webhook = page.locator('#requests > li', { hasText: orderRef.slice(0, 8) }).first()
      await webhook.getByText('answered 200').first().waitFor()
      await webhook.locator('summary').click()
      await webhook.getByText('signature valid').waitFor()
      await webhook.getByText(`order_ref_1 = ${HOSTILE}`).waitFor()
      await webhook.getByText(`POST ${server.url}/demo/events`).waitFor()
      expect(await page.locator('main img').count()).toBe(0)
      expect(await page.title()).toBe('Webhooks of demo')
      const link = webhook.getByRole('link')
      expect((await link.textContent())?.trim()).toBe(`${HOSTILE} ${orderRef.slice(0, 8)}`)
      await link.click()
      await page.waitForURL(new RegExp(`order=${orderRef}`))
    }))

  it('gives a merchant the URLs of a shop that answers as they choose, and shows only their webhooks', async () => {
    const theirs = await stagesOf(demo).settled({ surnames: 'denial event' })
    await withPage(
      '/sandbox/webhooks',
      async (page) => {
        await page.getByText('Nothing yet.').waitFor()
        await page.getByLabel('How does it answer an IPN?').selectOption('500, then 200')
        await page.getByRole('button', { name: 'Show its URLs' }).click()
        const notify_url = `${server.url}/demo/notify?merchant=lamps&answer=error-then-ok`
        const eventsUrl = `${server.url}/demo/events?merchant=lamps`
        await page.getByText(notify_url).waitFor()
        await page.getByText(eventsUrl).waitFor()
        const events_webhook = { url: eventsUrl, parameters: {} }
        const merchant = { id: 'lamps', notify_url, events_webhook }
        await stagesOf(shopAt(server.url, lamps.credentials)).settled({}, { merchant })
        const ipn = page.locator('#requests > li', { hasText: 'IPN' })
        await ipn.locator('summary').click()
        await ipn.getByText('answered 500').first().waitFor()
        expect(await page.getByText(theirs.slice(0, 8)).count()).toBe(0)
      },
      { httpCredentials: lamps.credentials },
    )
  })
})
