// A button may be pressed before the page's script has loaded, and some browsers run no script at
// all. Nothing wrong happens then.
import { describe, expect, it } from 'vitest'
import { agreement, stagesOf, surnames } from '../end-to-end/stages.ts'
import { holdRequests, servedPages } from '../harness/served-pages.ts'
import { CHALLENGED_CARD } from '../harness/shop.ts'

const { shop, withPage } = await servedPages({ javaScriptEnabled: false })

describe('without JavaScript', () => {
  it('the ID session ends as its button says, and thanks the shopper in their language', async () => {
    const { ref, action } = await stagesOf(shop).revealed(surnames('identity event'), {
      customer: { language_code: 'es' },
    })
    await withPage(String(action.session_url), async (page) => {
      await page.getByRole('button', { name: 'Verificada', exact: true }).click()
      await page.getByRole('heading', { name: 'Gracias' }).waitFor()
      await page.getByText('vuelve a tu pedido').waitFor()
    })
    expect((await shop.wait(ref)).status).toBe('VERIFIED')
  })

  it('an ID session that another has replaced says so', async () => {
    const { ref, action } = await stagesOf(shop).revealed(surnames('identity event'))
    await withPage(
      String(action.session_url),
      async (page) => {
        await shop.form(String(action.session_url), { status: 'ERROR' })
        await shop.submit(ref, surnames('identity event'))
        await page.getByRole('button', { name: 'Verified', exact: true }).click()
        await page.getByRole('heading', { name: 'This verification has ended' }).waitFor()
      },
      { allows: /status of 404/ },
    )
  })

  it('the checkout leads back to the shop', async () => {
    const order = await shop.place()
    await withPage(`/orders/${order}/form_v2?product=i1`, async (page) => {
      expect(await page.locator('noscript p').first().textContent()).toMatch(
        /^This page needs JavaScript/,
      )
      const back = page.getByRole('link', { name: 'Back to the shop' })
      expect(await back.isVisible()).toBe(true)
      expect(await back.getAttribute('href')).toContain('/demo/return')
    })
  })

  it('the front page says that it needs JavaScript, and how to go on', () =>
    withPage('/', async (page) => {
      expect(await page.locator('noscript p').textContent()).toMatch(/^This page needs JavaScript/)
      expect(await page.locator('noscript p').isVisible()).toBe(true)
    }))
})

// Run in the page.
const LOOK = `(button) => {
  const { color, backgroundColor, borderColor } = getComputedStyle(button)
  return [color, backgroundColor, borderColor, JSON.stringify(button.getBoundingClientRect())]
}`

describe('before its script has loaded', () => {
  const beforeScript = (url: string, names: readonly string[]) =>
    withPage(
      'about:blank',
      async (page) => {
        const release = await holdRequests(page, '**/assets/*.js')
        await page.goto(url, { waitUntil: 'commit' })
        const buttons = names.map((name) => page.getByRole('button', { name, exact: true }))
        const looks = () => Promise.all(buttons.map((button) => button.evaluate(LOOK)))
        for (const button of buttons) expect(await button.isDisabled()).toBe(true)
        const before = await looks()
        release()
        for (const button of buttons) await expect.poll(() => button.isEnabled()).toBe(true)
        expect(await looks()).toEqual(before)
        expect(page.url()).toBe(url)
      },
      { javaScriptEnabled: true },
    )

  it('a card form cannot be sent, and looks no different', async () => {
    const { action } = await stagesOf(shop).revealed(agreement('fp1'))
    await beforeScript(String(action.iframe_url), ['Order with obligation to pay €121.00 today'])
  })

  it('the bank’s question cannot be answered, and looks no different', async () => {
    const { action } = await stagesOf(shop).revealed(agreement('fp1'))
    const { src } = await shop.pay(action.iframe_url, CHALLENGED_CARD)
    await beforeScript(String(src), ['Yes, pay', 'No'])
  })
})
