// The sandbox's pages of test data, SMS, webhooks and clock in a real browser. Contract §8, Pages.
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stagesOf } from '../e2e/stages.ts'
import { launchBrowser, type OwnBrowser } from '../harness/browser.ts'
import { type RunningServer, startServer } from '../harness/running-server.ts'
import { basic, type Shop, shopAt } from '../harness/shop.ts'

const OTHER = { username: 'lamps', password: 'of-lamps' }
const HTML = { accept: 'text/html' }
const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=1</script>'

let server: RunningServer
let own: OwnBrowser
let demo: Shop
let other: Shop

beforeAll(async () => {
  server = await startServer()
  demo = shopAt(server.url)
  other = shopAt(server.url, OTHER)
  own = await launchBrowser()
  const fields = { ref: 'lamps', name: 'Lamps', ...OTHER, currency: 'EUR', products: 'i1,pp3,sp1,fp1' }
  const operator = { authorization: basic('operator', 'operator') }
  const added = await fetch(`${server.url}/console/merchants`, {
    method: 'POST',
    headers: operator,
    body: new URLSearchParams(fields),
  })
  expect(added.status).toBe(201)
})
afterAll(async () => {
  await own.close()
  await server.stop()
})

type View = {
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
  readonly httpCredentials?: typeof OTHER
}

/** Expects no message on the browser's console, which would also report a violation of the page's policy. */
const withPage = async (
  path: string,
  use: (page: Page) => Promise<void>,
  { width = 1280, ...view }: View = {},
): Promise<void> => {
  const context = await own.browser.newContext({ viewport: { width, height: 800 }, ...view })
  const page = await context.newPage()
  const messages: string[] = []
  page.on('console', (message) => messages.push(message.text()))
  page.on('pageerror', (error) => messages.push(String(error)))
  try {
    await page.goto(`${server.url}${path}`)
    await use(page)
    expect(messages).toEqual([])
  } finally {
    await context.close()
  }
}

const ofLamps = () => other.place({ merchant: { id: 'lamps' } })

describe('the sandbox’s pages', () => {
  it.each(['/sandbox/triggers', '/sandbox/clock'])('are JSON for every client but a browser: %s', async (path) => {
    for (const accept of ['*/*', 'application/json', ''])
      expect((await demo.send('GET', path, undefined, { accept })).headers.get('content-type'), accept).toMatch(/json/)
    expect((await demo.send('GET', path, undefined, HTML)).headers.get('content-type')).toMatch(/html/)
  })

  it('lead to each other and to the front page by keyboard', () =>
    withPage('/', async (page) => {
      for (const name of ['Test data', 'SMS', 'Webhooks', 'Clock', 'Machine', 'Try it']) {
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
        readonly triggers: readonly { readonly surnames: string; readonly path: readonly string[] }[]
      }
      for (const { surnames, path } of triggers) {
        const person = page.locator('.people > li', { has: page.getByText(surnames, { exact: true }) })
        expect(await person.locator('.path li').allTextContents()).toEqual(path)
      }
      await page.getByRole('link', { name: 'Buy as Eva' }).click()
      expect(await page.getByRole('radio', { name: 'Eva' }).isChecked()).toBe(true)
    }))

  it('has the code and the cards', () =>
    withPage('/sandbox/triggers', async (page) => {
      await page.getByText('12345', { exact: true }).waitFor()
      for (const number of ['4111 1111 1111 1111', '4000 0000 0000 0002', '4000 0000 0000 3220'])
        await page.getByText(number).waitFor()
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
    const orderRef = await ofLamps()
    await other.submit(orderRef)
    const [{ code } = { code: '' }] = await other.messages(orderRef)
    const path = `/sandbox/messages?order_ref=${orderRef}`
    expect(await (await demo.send('GET', '/sandbox/messages', undefined, HTML)).text()).not.toContain(code)
    const refused = await demo.send('GET', path, undefined, HTML)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Basic')])
    const asDemo = { ...HTML, authorization: basic('demo', 'demo') }
    expect((await demo.send('GET', path, undefined, asDemo)).status).toBe(404)
    await withPage(path, (page) => page.locator('.code-badge', { hasText: code }).waitFor(), {
      httpCredentials: OTHER,
    })
  })

  it('answers a text that is not a uuid with a page that says so', async () => {
    const answer = await demo.send('GET', `/sandbox/messages?order_ref=${encodeURIComponent(HOSTILE)}`, undefined, HTML)
    expect(answer.status).toBe(400)
    const text = await answer.text()
    expect(text).toContain('order_ref must be the uuid of an order.')
    expect(text).not.toContain('<img')
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
      await page.locator('#upcoming li', { hasText: 'The screening expires' }).filter({ hasText: 'LATE-1' }).waitFor()
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
      let release = (): void => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route('**/sandbox/clock/advance', async (route) => {
        await held
        await route.continue()
      })
      const hour = page.getByRole('button', { name: '+1 h' })
      await hour.click()
      await page.getByText('The clock is moving.').waitFor()
      expect(await hour.getAttribute('aria-busy')).toBe('true')
      release()
      await page.locator('#status', { hasText: /^Ready\./ }).waitFor()
      expect(await hour.getAttribute('aria-busy')).toBe(null)
    }))
})

describe('the webhook inbox', () => {
  it('shows a new request as it comes, and marks one that is unsigned', () =>
    withPage('/sandbox/demo/inbox', async (page) => {
      const body = `event=${encodeURIComponent(HOSTILE)}&order_ref=x`
      const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-note': HOSTILE }
      await fetch(`${server.url}/demo/events`, { method: 'POST', headers, body })
      const request = page.locator('#requests > li', { hasText: 'onerror' }).first()
      await request.getByText('unsigned').waitFor()
      await request.locator('summary').click()
      await request.getByText(`x-note: ${HOSTILE}`).waitFor()
      expect(await page.locator('main img').count()).toBe(0)
      expect(await page.title()).toBe('Webhooks of demo')
    }))

  it('gives a merchant two URLs with one click, and shows only that merchant’s requests', () =>
    withPage(
      '/sandbox/inbox',
      async (page) => {
        await page.getByRole('button', { name: 'Receive here' }).click()
        const url = (await page.getByText(/\/inbox\/[\w-]{22}\/ipn$/).textContent()) ?? ''
        await page.getByText(/\/inbox\/[\w-]{22}\/events$/).waitFor()
        await page.getByText('Nothing yet.').waitFor()
        await fetch(url, { method: 'POST', body: new URLSearchParams({ note: 'for lamps' }) })
        await page.locator('#requests > li').waitFor()
        expect(await page.locator('#requests > li').count()).toBe(1)
        await page.goto(`${server.url}/sandbox/demo/inbox`)
        expect(await page.getByText('for lamps').count()).toBe(0)
      },
      { httpCredentials: OTHER },
    ))

  it('asks a browser without credentials for them', async () => {
    const answer = await demo.send('GET', '/sandbox/inbox', undefined, HTML)
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Basic')])
  })
})

describe.each([
  [360, 'light'],
  [360, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const)('at %i px in %s colours', (width, colorScheme) => {
  it.each(['/sandbox/triggers', '/sandbox/messages', '/sandbox/clock', '/sandbox/demo/inbox'])(
    'nothing keeps anybody from using %s',
    async (path) => {
      await stagesOf(demo).settled()
      await withPage(
        path,
        async (page) => {
          if (path === '/sandbox/clock') {
            await page.getByRole('button', { name: '+1 h' }).click()
            await page.locator('#happened h2').waitFor()
          }
          const details = page.locator('#requests summary').first()
          if (path === '/sandbox/demo/inbox') await details.click()
          const { violations } = await new AxeBuilder({ page }).analyze()
          expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
          expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        },
        { width, colorScheme },
      )
    },
  )
})
