// Operators rotate a merchant’s secret while the server runs, so the server must show the new one at once. Contract §6 and §7.
import { describe, expect, it } from 'vitest'
import { servedShopOnFile } from '../e2e/served-shop.ts'
import type { Json } from '../harness/shop.ts'

const { shop, plazo } = await servedShopOnFile()

const DAY = 86_400

const rotate = (...options: readonly string[]) => plazo.run('merchant', 'rotate-secret', ...options)

const shownSecret = async (): Promise<unknown> => {
  const answer = await shop.asMerchant('GET', '/merchants/demo/credentials')
  return ((await answer.json()) as Json).signature_secret
}

describe('plazo merchant rotate-secret', () => {
  it('generates a secret unless one is given, and can print it as JSON', async () => {
    // The command uses the moved clock too: the overlap starts at the server's time.
    const { now } = await shop.advance(30 * DAY)
    const { stdout } = await rotate('--ref', 'demo', '--json')
    const { signature_secret: secret, former_signs_until: until, ...rest } = JSON.parse(stdout) as Json
    expect(secret).toMatch(/^[0-9a-f]{32}$/)
    expect(rest).toEqual({ ref: 'demo' })
    const overlap = Date.parse(String(until)) - Date.parse(now)
    expect(overlap).toBeGreaterThanOrEqual(DAY * 1000)
    expect(overlap).toBeLessThan(2 * DAY * 1000)
    expect(await shownSecret()).toBe(secret)
  })

  it.each<[string, readonly string[], RegExp]>([
    ['an unknown merchant', ['--ref', 'nobody'], /no merchant has that reference/],
    ['a secret of another shape', ['--ref', 'demo', '--secret', 'short'], /must be 32 hex digits \(got /],
  ])('refuses %s, and changes nothing', async (_, options, expected) => {
    const before = await shownSecret()
    expect(await rotate(...options)).toMatchObject({ code: 1, stderr: expect.stringMatching(expected) })
    expect(await shownSecret()).toBe(before)
  })

  it('refuses the current one', async () => {
    const current = String(await shownSecret())
    expect(await rotate('--ref', 'demo', '--secret', current)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing was rotated'),
    })
  })
})
