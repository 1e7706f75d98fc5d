// The reference page in a real browser. It is a ready-made script, so a test watches that it asks
// nobody but this server, also on localhost, where it would show its developer tools.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { servedPages } from '../harness/served-pages.ts'

const { server, withPage } = await servedPages({
  permissions: ['clipboard-read', 'clipboard-write'],
  // The script says its name.
  allows: /^@scalar/,
})

const shown = (page: Page): Promise<void> =>
  page.getByRole('heading', { name: 'plazo checkout' }).waitFor()

// The script asks whether it may compile code, and does without.
const PROBE = 'script-src eval'

/** Also those that others bring, and once those that look the same or copy something else. */
const PRESS_ALL = `(async () => {
  const pressed = new Set()
  const kindOf = ({ ariaLabel, className }) => (ariaLabel ?? '').replace(/^(Copy \\w+).*/s, '$1') + className
  for (;;) {
    const buttons = [...document.querySelectorAll('button, [role=button]')]
    const next = buttons.find((button) => !pressed.has(kindOf(button)))
    if (next === undefined) return [...pressed]
    pressed.add(kindOf(next))
    next.click()
    await new Promise(requestAnimationFrame)
  }
})()`

it('asks no other host and keeps its policy after each button is pressed, on localhost too', async () => {
  const host = 'localhost'
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
    expect(pressed.length).toBeGreaterThan(20)
    await page.waitForLoadState('networkidle')
    expect([...requested]).toEqual([url.host])
    const violations = (await page.evaluate('window.violations ?? []')) as readonly string[]
    expect(violations.filter((violation) => violation !== PROBE)).toEqual([])
  })
})
