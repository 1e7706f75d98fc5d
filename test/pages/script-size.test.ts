// A checkout is quick on a phone only while its scripts are small.
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { CHALLENGED_CARD } from '../harness/shop.ts'
import { withScene } from '../tools/pictures/scene.ts'
import { enterCode, pay, sendDetails } from './shopper-steps.ts'

const LIMIT_BYTES = 60 * 1024

it('all scripts of a purchase are under 60 KiB gzipped, from the front page over 3-D Secure to the end', async () => {
  await withScene(({ url, withPage }) =>
    withPage({ viewport: { width: 1280, height: 800 } }, {}, async (page) => {
      const sizes = new Map<string, Promise<number>>()
      const missing: string[] = []
      page.on('response', (response) => {
        const { pathname } = new URL(response.url())
        if (response.request().resourceType() !== 'script' && !pathname.endsWith('.js')) return
        if (!response.ok()) missing.push(response.url())
        else
          sizes.set(
            pathname,
            response.body().then((body) => gzipSync(body).length),
          )
      })
      await page.goto(url)
      await page.getByRole('radio', { name: 'Pay now' }).check()
      await page.getByRole('button', { name: 'Go to the checkout' }).click()
      await page.getByRole('checkbox', { name: /privacy policy/ }).check()
      await sendDetails(page)
      await enterCode(page)
      await pay(page, CHALLENGED_CARD)
      await page.frameLocator('iframe').getByRole('button', { name: 'Yes, pay' }).click()
      await page.getByRole('heading', { name: 'Your order is confirmed' }).waitFor()
      expect(missing).toEqual([])
      const loaded = await Promise.all(
        [...sizes].map(async ([name, size]) => [name, await size] as const),
      )
      const names = loaded.map(([name]) => name.slice(name.lastIndexOf('/') + 1))
      expect(names).toEqual(
        expect.arrayContaining(['front-page.js', 'checkout-element.js', 'payment-frame.js']),
      )
      const total = loaded.reduce((sum, [, size]) => sum + size, 0)
      expect(total, JSON.stringify(Object.fromEntries(loaded), null, 2)).toBeLessThan(LIMIT_BYTES)
    }),
  )
})
