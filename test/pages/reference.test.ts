// The reference page in a real browser. It is a ready-made script, so a test watches that it asks
// nobody but this server, also on localhost, where it would show its developer tools.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { overflowOf, servedPages, VIEWS, violationsOf } from '../harness/served-pages.ts'

const { server, withPage } = await servedPages({
  permissions: ['clipboard-read', 'clipboard-write'],
  // The script says its name.
  allows: /^@scalar/,
})

const shown = (page: Page): Promise<void> =>
  page.getByRole('heading', { name: 'plazo checkout' }).waitFor()

// The script asks whether it may compile code, and does without.
const PROBE = 'script-src eval'

/** Also those that others bring, and once those that do the same elsewhere, or copy something else. */
const PRESS_ALL = `(async () => {
  const pressed = new Set()
  const nameOf = (button) =>
    (button.getAttribute('aria-label') ?? button.textContent).replace(/^(Copy \\w+).*/s, '$1')
  for (;;) {
    const buttons = [...document.querySelectorAll('button, [role=button]')]
    const next = buttons.find((button) => !pressed.has(nameOf(button)))
    if (next === undefined) return [...pressed]
    pressed.add(nameOf(next))
    next.click()
    await new Promise(requestAnimationFrame)
  }
})()`

it.each(['localhost', '127.0.0.1'])(
  'asks no other host and keeps its policy after each button is pressed, at %s',
  async (host) => {
    await withPage('/healthz', async (page) => {
      const requested = new Set<string>()
      page.on('request', (request) => requested.add(new URL(request.url()).host))
      await page.route(
        ({ hostname }) => hostname !== host,
        (route) => route.abort(),
      )
      await page.addInitScript(
        `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
          (window.violations ??= []).push(violatedDirective + ' ' + blockedURI))`,
      )
      const url = new URL('/docs', server.url)
      url.hostname = host
      await page.goto(url.href)
      await shown(page)
      const pressed = (await page.evaluate(PRESS_ALL)) as readonly string[]
      expect(pressed.length).toBeGreaterThan(50)
      await page.waitForLoadState('networkidle')
      expect([...requested]).toEqual([url.host])
      const violations = (await page.evaluate('window.violations ?? []')) as readonly string[]
      expect(violations.filter((violation) => violation !== PROBE)).toEqual([])
    })
  },
)

it('leads to an operation and its examples', async () => {
  await withPage('/docs', async (page) => {
    await shown(page)
    await page.getByRole('button', { name: 'Open Group - Merchant' }).click()
    await page.getByRole('link', { name: 'Place an order' }).click()
    const operation = page.getByRole('region', { name: 'Place an order' })
    await operation.getByText(`curl ${server.url}/orders`).first().waitFor()
    await operation.getByText('only what is required').waitFor()
  })
})

/** What axe finds in Scalar’s markup. */
const KNOWN = ['color-contrast']

it.each(VIEWS)('fits %i pixels in %s, and axe finds only what is known', async (width, scheme) => {
  await withPage(
    '/docs',
    async (page) => {
      await shown(page)
      expect(await overflowOf(page)).toBe(0)
      const found = (await violationsOf(page)).map((violation) => violation.split(':')[0])
      expect(found).toEqual(KNOWN)
    },
    { width, colorScheme: scheme },
  )
})
