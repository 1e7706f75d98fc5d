// A checkout is quick on a phone only while its scripts are small.
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { withScene } from '../pictures/scene.ts'

const LIMIT_BYTES = 60 * 1024

it('all scripts up to a finished purchase are under 60 KiB gzipped, from the front page to the bank’s question', async () => {
  await withScene(async ({ pages, payPath, url, withPage }) => {
    const sizes = new Map<string, number>()
    const missing: string[] = []
    for (const path of [...pages.map((each) => each.path), payPath])
      await withPage({ viewport: { width: 1280, height: 800 } }, async (page) => {
        page.on('response', async (response) => {
          if (response.request().resourceType() !== 'script') return
          if (!response.ok()) missing.push(response.url())
          else sizes.set(response.url(), gzipSync(await response.body()).length)
        })
        await page.goto(`${url}${path}`)
        await page.waitForLoadState('load')
        await page.waitForTimeout(500)
      })
    expect(missing).toEqual([])
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    expect(total, JSON.stringify(Object.fromEntries(sizes), null, 2)).toBeLessThan(LIMIT_BYTES)
  })
})
