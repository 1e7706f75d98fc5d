// The contract of every adapter that stores merchants.
import type { Merchants } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { citeSection, type Runner } from './runner.ts'
import { aMerchant, HOUR, NOON, unwrap } from './shop.ts'

/** What the tests of merchants get for each test. */
export type OpenedMerchants = { readonly merchants: Merchants; readonly close: () => Promise<void> }

/**
 * Defines the tests of an adapter that stores merchants. `open` is called before each test, and
 * returns an empty one. Contract §2.
 */
export const merchantsContract = (
  runner: Runner,
  name: string,
  open: () => Promise<OpenedMerchants>,
): void => {
  const { describe, it, beforeEach, afterEach, expect } = citeSection(runner, 'Contract §2')
  describe(`${name} keep the contract of merchants`, () => {
    let opened: OpenedMerchants
    let merchants: Merchants
    beforeEach(async () => {
      opened = await open()
      merchants = opened.merchants
    })
    afterEach(() => opened.close())

    it('finds a merchant as it was added', async () => {
      const plain = aMerchant('plain', { country: null, sendActionEvents: false })
      const special = aMerchant("o'ñ ✓", {
        products: ['fp1', 'i1'],
        optionalFields: ['nin', 'city'],
        username: '"%_',
      })
      await unwrap(merchants.add(plain))
      await unwrap(merchants.add(special))
      expect(await unwrap(merchants.find('plain'))).toEqual(plain)
      expect(await unwrap(merchants.find("o'ñ ✓"))).toEqual(special)
    })

    it('does not find a merchant that was not added', async () => {
      await unwrap(merchants.add(aMerchant('demo')))
      expect(await unwrap(merchants.find('Demo'))).toBe(null)
      expect(await unwrap(merchants.find(''))).toBe(null)
      expect(await unwrap(merchants.ofAccount('nobody'))).toEqual([])
    })

    it('lists all, and those of an account, in the order they were added', async () => {
      const group = { username: 'group', passwordHash: 'scrypt$a$b' }
      for (const each of [aMerchant('b', group), aMerchant('c'), aMerchant('a', group)])
        await unwrap(merchants.add(each))
      expect((await unwrap(merchants.list())).map(({ ref }) => ref)).toEqual(['b', 'c', 'a'])
      expect((await unwrap(merchants.ofAccount('group'))).map(({ ref }) => ref)).toEqual(['b', 'a'])
    })

    it('refuses a second merchant with the same ref, and keeps the first', async () => {
      await unwrap(merchants.add(aMerchant('demo')))
      const second = merchants.add(aMerchant('demo', { name: 'Another', username: 'another' }))
      expect(await second()).toEqual(E.left({ _tag: 'MerchantExists', ref: 'demo' }))
      expect(await unwrap(merchants.list())).toEqual([aMerchant('demo')])
    })

    it('refuses a merchant with another password than its account has, and keeps the account', async () => {
      await unwrap(merchants.add(aMerchant('demo', { username: 'group' })))
      const second = merchants.add(
        aMerchant('second', { username: 'group', passwordHash: 'scrypt$other$other' }),
      )
      expect(await second()).toEqual(E.left({ _tag: 'AccountDiffers', username: 'group' }))
      expect((await unwrap(merchants.ofAccount('group'))).map(({ ref }) => ref)).toEqual(['demo'])
    })

    it('adds one of two merchants that race for a ref', async () => {
      const added = await Promise.all([
        merchants.add(aMerchant('demo'))(),
        merchants.add(aMerchant('demo'))(),
      ])
      expect(added.filter(E.isRight)).toHaveLength(1)
      expect(await unwrap(merchants.list())).toHaveLength(1)
    })

    describe('a change', () => {
      it('applies only to the fields that it names, and is visible to the next reader', async () => {
        await unwrap(merchants.add(aMerchant('demo')))
        await unwrap(merchants.add(aMerchant('other')))
        const change = { country: null, optionalFields: ['nin', 'city'], sendActionEvents: false }
        const changed = aMerchant('demo', change)
        expect(await unwrap(merchants.change('demo', change))).toEqual(changed)
        expect(await unwrap(merchants.list())).toEqual([changed, aMerchant('other')])
        const renamed = { name: 'ñ ✓ "%_', currency: 'JPY', products: ['fp1'], optionalFields: [] }
        await unwrap(merchants.change('demo', renamed))
        expect(await unwrap(merchants.find('demo'))).toEqual({ ...changed, ...renamed })
      })

      it('of a password applies to the whole account, and to no other', async () => {
        const group = { username: 'group', passwordHash: 'scrypt$a$b' }
        for (const each of [aMerchant('a', group), aMerchant('b', group), aMerchant('c')])
          await unwrap(merchants.add(each))
        await unwrap(merchants.change('a', { passwordHash: 'scrypt$c$d' }))
        expect(await unwrap(merchants.list())).toEqual([
          aMerchant('a', { ...group, passwordHash: 'scrypt$c$d' }),
          aMerchant('b', { ...group, passwordHash: 'scrypt$c$d' }),
          aMerchant('c'),
        ])
      })

      it('of an unknown merchant is refused', async () => {
        expect(await merchants.change('nobody', { name: 'Nobody' })()).toEqual(
          E.left({ _tag: 'MerchantNotFound', ref: 'nobody' }),
        )
        expect(await unwrap(merchants.list())).toEqual([])
      })
    })

    describe('a rotated secret', () => {
      const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(32)) as [string, string, string]
      const secretsAfter = async (...steps: readonly (readonly [secret: string, at: number])[]) => {
        await unwrap(merchants.add(aMerchant('demo', { signatureSecret: A })))
        for (const [secret, at] of steps) await unwrap(merchants.rotateSecret('demo', secret, at))
      }
      const live = (at: number) => unwrap(merchants.liveSecrets('demo', at))

      it('applies at once, and the ones before it sign for 24 h to the millisecond, the newest first', async () => {
        await secretsAfter([B, NOON], [C, NOON + HOUR])
        expect(await unwrap(merchants.list())).toEqual([aMerchant('demo', { signatureSecret: C })])
        expect(await live(NOON + HOUR)).toEqual([C, B, A])
        expect(await live(NOON + 24 * HOUR - 1)).toEqual([C, B, A])
        expect(await live(NOON + 24 * HOUR)).toEqual([C, B])
        expect(await live(NOON + 25 * HOUR)).toEqual([C])
      })

      it('tells until when the latest former one also signs', async () => {
        const overlapEnd = (at: number, ref = 'demo') => unwrap(merchants.secretOverlapEnd(ref, at))
        await secretsAfter([B, NOON], [C, NOON + HOUR])
        expect(await overlapEnd(NOON + 2 * HOUR)).toBe(NOON + 25 * HOUR)
        expect(await overlapEnd(NOON + 25 * HOUR)).toBe(null)
        expect(await overlapEnd(NOON, 'nobody')).toBe(null)
      })

      it('may be a former one, which is then listed once', async () => {
        await secretsAfter([B, NOON], [A, NOON + HOUR])
        expect(await live(NOON + HOUR)).toEqual([A, B])
        expect(await live(NOON + 25 * HOUR)).toEqual([A])
      })

      it('is refused if it is the current one, or for an unknown merchant', async () => {
        await secretsAfter()
        expect(await merchants.rotateSecret('demo', A, NOON)()).toEqual(
          E.left({ _tag: 'SecretUnchanged' }),
        )
        expect(await live(NOON)).toEqual([A])
        expect(await merchants.rotateSecret('nobody', A, NOON)()).toEqual(
          E.left({ _tag: 'MerchantNotFound', ref: 'nobody' }),
        )
      })
    })
  })
}
