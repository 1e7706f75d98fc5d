// Shoppers paste marks that nobody sees, and each country has its own rules for a name, a number, a
// language and a day.
import { afterAll, describe, expect, it } from 'vitest'
import { startWithAccounts } from '../harness/accounts.ts'
import type { Json, Shop } from '../harness/shop.ts'

const accounts = await startWithAccounts()
afterAll(() => accounts.close())

const sells = ['--currency', 'EUR', '--products', 'i1,pp3', '--country'] as const
const madrid = await accounts.add('madrid', 'iberia', ...sells, 'ES')
describe('Catalan, Galician and Basque', () => {
  const languageFor = async (shop: Shop, tag: string) => {
    const order = await shop.place({ customer: { language_code: tag } })
    await shop.submit(order)
    await shop.advance(0)
    const [message] = await shop.messages(order)
    const summary = (await (
      await shop.send('GET', `/api/v1/checkout/${order}/summary`)
    ).json()) as Json
    return [summary.language, summary.total, message?.text.split(' ')[0]]
  }

  it.each(['ca', 'CA', 'gl_ES', 'eu', 'ca-ES-valencia', 'eu_ES.UTF-8'])(
    '%s is read in Spanish in Spain',
    async (tag) => {
      expect(await languageFor(madrid, tag)).toEqual([
        'es',
        { value: 12_100, string: '121,00\u00a0€' },
        'Tu',
      ])
    },
  )

  it('choose Spanish for the list of payment methods too', async () => {
    const authorization = `Basic ${btoa('iberia:iberia-secret')}`
    const answer = await madrid.send('GET', '/merchants/madrid/payment_methods', undefined, {
      authorization,
      'accept-language': 'fr, gl-ES;q=0.9',
    })
    expect(JSON.stringify(await answer.json())).toContain('Paga después')
  })
})

describe('a reference that no URL can carry', () => {
  it('is refused when the order is placed, and when it is given later', async () => {
    for (const reference of ['.', '..']) {
      const sentence = `Invalid data: order.merchant_reference.order_ref_1 is "${reference}", but must be a string other than . and .., which no URL can carry, or absent.`
      await expect(
        madrid.place({ merchant_reference: { order_ref_1: reference } }),
      ).rejects.toThrow(JSON.stringify(sentence))
      const answer = await madrid.put(await madrid.place(), {
        merchant_reference: { order_ref_1: reference },
      })
      expect([answer.status, await answer.json()]).toEqual([409, { errors: [sentence] }])
    }
  })

  it('is only one of these two, so others that look like them are accepted', async () => {
    for (const reference of ['...', '.a', '%2E', '%2e%2E', 'a/../b'])
      await madrid.place({ merchant_reference: { order_ref_1: reference, order_ref_2: '..' } })
  })
})
