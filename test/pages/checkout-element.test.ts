// <plazo-checkout> and its driver in a page of a shop, and what helps shoppers who type, wait or
// lose the network. docs/hosted-form.md.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { startReceiver } from '../harness/receiver.ts'
import { servedPages } from '../harness/served-pages.ts'
import { PERSON } from '../harness/shop.ts'

const receiver = await startReceiver()
afterAll(() => receiver.close())
const { server, shop, withPage } = await servedPages()

const GUIDE = readFileSync(
  fileURLToPath(new URL('../../docs/hosted-form.md', import.meta.url)),
  'utf8',
)
const blockOf = (name: string): string =>
  (new RegExp(`\`\`\`${name}\\n([\\s\\S]*?)\`\`\``).exec(GUIDE)?.[1] ?? '').replaceAll(
    'http://localhost:3000',
    server.url,
  )

const identify = async (page: Page): Promise<void> => {
  const { service_privacy_policy_accepted: _, ...person } = PERSON
  for (const [field, value] of Object.entries(person))
    await page.locator(`#${field}`).fill(String(value))
  await page.getByRole('checkbox').check()
  await page.locator('form button').first().click()
}

const enterCode = async (page: Page): Promise<void> => {
  await page.locator('#code').fill('12345')
  await page.locator('form button').first().click()
}

describe('the custom element', () => {
  it('shows a checkout in a shop’s page, under the policy that its guide prints, and reports its events', async () => {
    const order = await shop.place()
    receiver.answer('/element', {
      status: 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': blockOf('text policy').trim().replaceAll('BASE_URL', server.url),
      },
      body: `<!doctype html><html lang="en"><title>Shop</title>${blockOf('html element').replace('<uuid>', order)}`,
    })
    await withPage(`${receiver.url}/element`, async (page) => {
      const violations: string[] = []
      page.on('console', (message) => violations.push(message.text()))
      await page.evaluate(`
        window.told = []
        addEventListener('plazo-action', ({ detail }) => told.push(detail.action))
        addEventListener('plazo-finish', (event) => { event.preventDefault(); told.push(event.detail.return_url) })`)
      await identify(page)
      await enterCode(page)
      await page.getByRole('heading', { level: 2, name: 'Your order is confirmed' }).waitFor()
      const notified = (await page.evaluate('told')) as readonly string[]
      expect(notified).toEqual(
        expect.arrayContaining(['require_validate_otp', 'wait_for_screening', 'finish']),
      )
      expect(notified.at(-1)).toContain('/demo/return')
      expect(page.url()).toBe(`${receiver.url}/element`)
      expect(violations).toEqual([])
    })
  })
})

describe('the driver of docs/hosted-form.md', () => {
  it('calls back once per action, up to the end', async () => {
    const order = await shop.place()
    receiver.answer('/driver', {
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: `<!doctype html><title>Shop</title><script>told = []; show = ({ action }) => told.push(action)</script>${blockOf('html driver').replace('<uuid>', order)}`,
    })
    await withPage(`${receiver.url}/driver`, async (page) => {
      await page.waitForFunction('told.length === 1')
      await page.evaluate(`checkout.submit(${JSON.stringify(PERSON)})`)
      await page.evaluate(`checkout.submitCode('12345')`)
      await page.waitForFunction(`told.at(-1) === 'finish'`)
      const notified = (await page.evaluate('told')) as readonly string[]
      expect(notified.slice(0, 3)).toEqual([
        'show_identification_form',
        'require_validate_otp',
        'wait_for_screening',
      ])
      expect(new Set(notified).size).toBe(notified.length)
    })
  })
})
