// A shop embeds <plazo-checkout> in a page with styles, policies and a framework of its own. None of
// them may change how the checkout looks, or which order it shows. docs/hosted-form.md.
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { startReceiver } from '../harness/receiver.ts'
import { servedPages } from '../harness/served-pages.ts'
import { CARD } from '../harness/shop.ts'
import { enterCode, fill, pay, sendDetails } from './shopper-steps.ts'

const merchant = await startReceiver()
afterAll(() => merchant.close())
const { server, shop, withPage } = await servedPages({ reducedMotion: 'reduce' })

/** The page around the element has the first heading. */
const isConfirmed = (page: Page): Promise<void> =>
  page.getByRole('heading', { level: 2, name: 'Your order is confirmed' }).waitFor()

const SCRIPT = `${server.url}/sdk/plazo-checkout.js`

type ShopPage = {
  readonly order: string
  readonly product?: string
  readonly style?: string
  readonly scripts?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

let pages = 0

/** Opens a page of a shop, at another origin than the server's. */
const onShopPage = (
  { order, product = 'i1', style = '', scripts = [SCRIPT], headers = {} }: ShopPage,
  use: (page: Page) => Promise<void>,
): Promise<void> => {
  const path = `/shop/${++pages}`
  merchant.answer(path, () => ({
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
    body: `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">
<style>${style}</style>
<plazo-checkout order="${order}" product="${product}"></plazo-checkout>
${scripts.map((url) => `<script type="module" src="${url}"></script>`).join('\n')}</html>`,
  }))
  return withPage(`${merchant.url}${path}`, async (page) => {
    await page.evaluate(`addEventListener('plazo-finish', (event) => event.preventDefault())`)
    await use(page)
  })
}

// Run in the page.
const FIELD_SIZES = `
  [...document.querySelector('plazo-checkout').shadowRoot.querySelectorAll('input:not([type=radio], [type=checkbox])')]
    .map((input) => parseFloat(getComputedStyle(input).fontSize))`

const SIZES = ['font-size', 'line-height', 'min-height', 'padding-top', 'gap']
const LOOK = [
  ...['letter-spacing', 'word-spacing', 'text-transform', 'text-indent', 'text-align', 'direction'],
  ...['color', 'font-family', 'font-style', 'font-weight', 'font-variant', 'white-space'],
  ...['text-shadow', 'word-break', 'hyphens', 'line-height', 'writing-mode', 'list-style-type'],
]

/** By all elements of the checkout, in their order. */
const looksOf = async (page: Page, properties: readonly string[]): Promise<readonly string[]> => {
  await page.locator('form button').first().waitFor()
  return page.evaluate(`
    [...document.querySelector('plazo-checkout').shadowRoot.querySelectorAll('.checkout, .checkout *')].map((each) => {
      const style = getComputedStyle(each)
      return each.tagName + ' ' + ${JSON.stringify(properties)}.map((name) => style.getPropertyValue(name)).join(' | ')
    })`)
}

const looksWith = async (style: string, properties: readonly string[]) => {
  let looks: readonly string[] = []
  await onShopPage({ order, style }, async (page) => {
    looks = await looksOf(page, properties)
  })
  return looks
}

const order = await shop.place()

describe('the element', () => {
  it.each(['62.5%', '13px', '0', '20px', '150%'])(
    'has its own sizes where the root has %s, or larger ones',
    async (root) => {
      const style = `html { font-size: ${root} }`
      await onShopPage({ order, style }, async (page) => {
        const [looks, rootSize] = [
          await looksOf(page, SIZES),
          await page.evaluate('parseFloat(getComputedStyle(document.documentElement).fontSize)'),
        ]
        const scale = Math.max(16, Number(rootSize)) / 16
        const sizes = (await page.evaluate(FIELD_SIZES)) as readonly number[]
        expect(sizes.length).toBeGreaterThan(5)
        expect(new Set(sizes)).toEqual(new Set([16 * scale]))
        const box = await page.locator('form button').first().boundingBox()
        expect(box?.height).toBeGreaterThanOrEqual(44 * scale)
        if (scale === 1) expect(looks).toEqual(await looksWith('', SIZES))
      })
    },
  )

  it.each([
    'text-transform: uppercase; letter-spacing: 3px; word-spacing: 9px; text-indent: 2em',
    'color: red; direction: rtl; text-align: right; font: italic 700 small-caps 9px/3 cursive',
    'white-space: pre; word-break: break-all; text-shadow: 1px 1px red; hyphens: auto; writing-mode: vertical-rl; list-style: square',
  ])('takes none of a page’s texts: %s', async (declarations) => {
    const plain = await looksWith('', LOOK)
    expect(plain.length).toBeGreaterThan(50)
    expect(await looksWith(`* { ${declarations} }`, LOOK)).toEqual(plain)
    expect(await looksWith(`plazo-checkout, body { ${declarations} }`, LOOK)).toEqual(plain)
  })

  it('is hidden with the part of the page that it lies in', () =>
    onShopPage({ order, style: 'body { visibility: hidden }' }, async (page) => {
      await page.locator('form button').first().waitFor({ state: 'attached' })
      expect(await page.locator('form button').first().isVisible()).toBe(false)
    }))

  it('starts with another order and another product when its attributes change', async () => {
    const [first, second] = [
      await shop.place(),
      await shop.place({
        cart: { currency: 'EUR', order_total_with_tax: 34500, items: [{ total_with_tax: 34500 }] },
      }),
    ]
    await onShopPage({ order: first }, async (page) => {
      await page.getByText('€121.00').first().waitFor()
      await fill(page)
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      const change = (order: string, product: string) =>
        page.evaluate(`{
          const element = document.querySelector('plazo-checkout')
          element.setAttribute('order', '${order}')
          element.setAttribute('product', '${product}')
        }`)
      await change(second, 'pp3')
      await page.getByText('€345.00').first().waitFor()
      await page.locator('.plan').first().waitFor()
      expect(await page.getByText('€121.00').count()).toBe(0)
      expect(asked.filter((url) => url.includes('/summary'))).toEqual([
        expect.stringContaining(`${second}/summary?product_code=pp3`),
      ])
      await change(second, 'i1')
      await page.locator('.plan:not(.alone)').first().waitFor({ state: 'detached' })
      await fill(page)
      await sendDetails(page)
      await enterCode(page)
      await isConfirmed(page)
      expect(asked.filter((url) => url.includes(first))).toEqual([])
    })
    expect((await shop.order(first)).state.checkout).toBe('identifying')
  })

  it('opens an order after one that could not be opened', () =>
    withPage(
      'about:blank',
      async (page) => {
        merchant.answer('/unknown', () => ({
          status: 200,
          headers: { 'content-type': 'text/html' },
          body: `<!doctype html><title>Shop</title><link rel="icon" href="data:,"><plazo-checkout order="00000000-0000-4000-8000-000000000000"></plazo-checkout><script type="module" src="${SCRIPT}"></script>`,
        }))
        await page.goto(`${merchant.url}/unknown`)
        const element = page.locator('plazo-checkout')
        await page.locator('plazo-checkout[failed]').waitFor()
        await element.evaluate((each, ref) => each.setAttribute('order', ref), order)
        await page.locator('form button').first().waitFor()
        expect(await element.getAttribute('failed')).toBeNull()
      },
      { allows: /404/ },
    ))

  it('is defined once, by scripts of two addresses', async () => {
    const { port } = new URL(server.url)
    const scripts = ['localhost', '127.0.0.1'].map(
      (name) => `http://${name}:${port}/sdk/plazo-checkout.js`,
    )
    await onShopPage({ order, scripts: [...scripts, `${SCRIPT}?again`] }, async (page) => {
      await page.waitForLoadState('networkidle')
      expect(await page.locator('form').count()).toBe(1)
    })
  })

  it('takes a payment on a page that isolates itself and makes no markup from texts', async () => {
    const due = await shop.place()
    const headers = {
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-opener-policy': 'same-origin',
      'content-security-policy': "require-trusted-types-for 'script'; trusted-types 'none'",
    }
    await onShopPage({ order: due, product: 'fp1', headers }, async (page) => {
      expect(await page.evaluate('crossOriginIsolated')).toBe(true)
      await fill(page)
      await sendDetails(page)
      await enterCode(page)
      await shop.advance(1)
      await pay(page, CARD)
      await isConfirmed(page)
    })
  })
})
