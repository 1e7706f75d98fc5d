// A browser test opens each page in a context of its own, on a server of its own file. Nothing may
// appear on the browser's console: a script's error and a violation of the page's policy are only
// seen there.
import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { launchBrowser } from './browser.ts'
import { type RunningServer, startServer } from './running-server.ts'
import { basic, DEMO, shopAt } from './shop.ts'

const WIDE = 1280
const NARROW = 320

export const OPERATOR = { username: 'operator', password: 'operator' }

/** Text of shoppers and shops that no page may take as markup. */
export const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=1</script>'

/** `pnpm browser` visits everything; the gate visits a part. */
export const isWhole = process.env.BROWSER_MATRIX === 'whole'

/**
 * The widths and colour schemes that every page supports. The gate shows each width and each scheme
 * once.
 */
export const VIEWS: readonly (readonly [width: number, scheme: 'light' | 'dark'])[] = [
  [NARROW, 'dark'],
  [WIDE, 'light'],
  ...(isWhole
    ? ([
        [NARROW, 'light'],
        [WIDE, 'dark'],
      ] as const)
    : []),
]

type PageOptions = Omit<BrowserContextOptions, 'viewport'> & {
  /** Default: 1280. */
  readonly width?: number
  /**
   * What may appear on the browser's console. A browser logs each answer that is no success.
   * Default: nothing.
   */
  readonly allows?: RegExp
}

/**
 * Until the test file ends. `defaults`: for each page, signed in as the demo merchant unless they
 * say otherwise.
 */
export const servedPages = async (defaults: PageOptions = {}) => {
  const [server, { browser, close }] = await Promise.all([startServer(), launchBrowser()])
  afterAll(async () => {
    await close()
    await server.kill()
  })
  const { username, password } = DEMO
  /** `url`: a path of the server, or a whole URL. */
  const withPage = async (
    url: string,
    use: (page: Page) => Promise<void>,
    options: PageOptions = {},
  ): Promise<void> => {
    const { width = WIDE, allows, ...rest } = { ...defaults, ...options }
    const httpCredentials = { username, password }
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      locale: 'en',
      httpCredentials,
      ...rest,
    })
    const page = await context.newPage()
    const messages: string[] = []
    page.on('console', (message) => messages.push(message.text()))
    page.on('pageerror', (error) => messages.push(String(error)))
    try {
      await page.goto(new URL(url, server.url).href)
      await use(page)
      expect(messages.filter((text) => !allows?.test(text))).toEqual([])
    } finally {
      await context.close()
    }
  }
  return { server, shop: shopAt(server.url), withPage }
}

/** A second merchant, whose orders and webhooks the demo merchant must not see. */
export const addLamps = async (
  { url }: RunningServer,
  fields: Readonly<Record<string, string>> = {},
) => {
  const credentials = { username: 'lamps', password: 'of-lamps' }
  const added = await fetch(`${url}/console/merchants`, {
    method: 'POST',
    headers: { authorization: basic(OPERATOR.username, OPERATOR.password) },
    body: new URLSearchParams({
      ref: 'lamps',
      name: 'Lamps',
      ...credentials,
      currency: 'EUR',
      products: 'i1,pp3,sp1,fp1',
      ...fields,
    }),
  })
  expect(added.redirected).toBe(true)
  const shop = shopAt(url, credentials)
  return { ...shop, credentials, place: () => shop.place({ merchant: { id: 'lamps' } }) }
}

/** What axe finds, with the markup. Frames of another origin are left out. */
export const violationsOf = async (page: Page): Promise<readonly string[]> => {
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
  const { violations } = await axe.analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** How many pixels the page is wider than its window, or a list than its card. */
export const overflowOf = (page: Page): Promise<number> =>
  page
    .locator('html, .scroll:has(.stacked)')
    .evaluateAll((all) => Math.max(...all.map((each) => each.scrollWidth - each.clientWidth)))

/** Holds requests to these URLs until the returned function is called. */
export const holdRequests = async (page: Page, urls: string): Promise<() => void> => {
  let release = (): void => {}
  const hold = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(urls, async (route) => {
    await hold
    await route.continue()
  })
  return release
}
