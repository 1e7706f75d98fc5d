// A command that cannot be undone asks first. Without a terminal it does nothing unless a script has
// said yes in advance.
import { describe, expect, it } from 'vitest'
import { servedShopOnFile } from '../served-shop.ts'

const { shop, stages, plazo } = await servedShopOnFile()

const ended = await stages.identified()
await shop.advance(25 * 3600)

const secretOf = async () => {
  const [demo] = await plazo.json<readonly { readonly signature_secret: string }[]>(
    'merchant',
    'list',
  )
  return demo?.signature_secret
}

describe('a command that cannot be undone', () => {
  it.each<[string, readonly string[], string]>([
    ['rotate-secret', ['merchant', 'rotate-secret', '--merchant', 'demo'], 'For 24 h'],
    ['erase', ['orders', 'erase', ended], 'This goes for good:'],
    [
      'recover',
      ['deliveries', 'recover', '--merchant', 'demo', '--since', '2026-01-01'],
      'tried at 2026-01-01T00:00:00.000Z or later',
    ],
  ])('does nothing without a terminal and --yes: %s', async (_, words, consequence) => {
    const secret = await secretOf()
    const { code, stdout, stderr } = await plazo.run(...words)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(consequence)
    expect(stderr).toContain('Add --yes to do it without a question.\n')
    expect(await secretOf()).toBe(secret)
    expect((await plazo.run(...words, '--yes')).code).toBe(0)
  })
})

describe('plazo orders erase', () => {
  it('says in a dry run what goes and what is unfinished, and changes nothing', async () => {
    const ref = await stages.identified({}, { merchant_reference: { order_ref_1: 'dry-1' } })
    const { code, stdout } = await plazo.run('orders', 'erase', 'DRY-1', '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toMatch(/This goes for good:\n {2}- The shopper’s name, .*\n {2}- The request /)
    expect(stdout).toContain('It cannot be erased yet:\n  - The order’s checkout has not ended')
    expect(await plazo.json('orders', 'erase', ref.slice(0, 8), '--dry-run')).toMatchObject({
      order_ref: ref,
      goes: ['person', 'payload', 'inputs'],
      unfinished: expect.arrayContaining([
        expect.stringMatching(/^Its job timer\.checkoutLifetime is pending, due at 2\S+Z\.$/),
      ]),
      before: false,
    })
    expect((await plazo.run('orders', 'erase', ref, '--yes')).stderr).toMatch(
      /^It cannot be erased yet:\n {2}- The order’s checkout has not ended/,
    )
  })
})
