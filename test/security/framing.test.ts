// Runs a shop's page from another origin in a real browser, which enforces our headers: the page can
// read only the checkout, and frame only the card form.
import { afterAll, describe, expect, it } from 'vitest'
import { servedShop } from '../end-to-end/served-shop.ts'
import { surnames } from '../end-to-end/stages.ts'
import { launchBrowser } from '../harness/browser.ts'

const { server, receiver: shopPages, shop, stages } = await servedShop()
const overrides = await launchBrowser()
afterAll(() => overrides.close())

const showBody = async (body: string) => {
  shopPages.answer('/shop', {
    status: 200,
    body: `<!doctype html>${body}`,
    headers: { 'content-type': 'text/html' },
  })
  const page = await overrides.browser.newPage()
  const violations: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') violations.push(message.text())
  })
  await page.goto(`${shopPages.url}/shop`)
  return { page, violations }
}

describe('a shop’s page', () => {
  it('cannot frame the page of an ID session, nor the console', async () => {
    const { ref } = await stages.revealed(surnames('identity event'))
    await shop.advance(0)
    const { session_url } = await shop.wait(ref)
    const console_ = server.url.replace('//', '//operator:operator@')
    const pages = [String(session_url), `${console_}/console/orders/${ref}`]
    for (const url of pages) {
      const { page, violations } = await showBody(`<iframe src="${url}"></iframe>`)
      const [, frame] = page.frames()
      expect(await frame?.locator('h1').count()).toBe(0)
      if (url === pages[0]) expect(violations.join('\n')).toMatch(/frame-ancestors/)
      await page.close()
    }
  })

  it('can read only the checkout', async () => {
    const ref = await shop.place()
    const { page } = await showBody('')
    const read = (path: string) =>
      page.evaluate<number>(
        `fetch(${JSON.stringify(server.url + path)}).then(({ status }) => status, () => 0)`,
      )
    expect(await read(`/api/v1/checkout/${ref}/wait`)).toBe(200)
    for (const path of [
      '/healthz',
      '/metrics',
      '/sandbox/triggers',
      '/merchants/credentials',
      '/sdk/card-form.js',
    ])
      expect(await read(path), path).toBe(0)
    await page.close()
  })
})
