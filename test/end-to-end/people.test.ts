// Shoppers paste marks that nobody sees, and each country has its own rules for a name, a number, a
// language and a day.
import { afterAll, describe, expect, it } from 'vitest'
import { startWithAccounts } from '../harness/accounts.ts'
import type { Json, Shop } from '../harness/shop.ts'

const accounts = await startWithAccounts()
afterAll(() => accounts.close())

const sells = ['--currency', 'EUR', '--products', 'i1,pp3', '--country'] as const
const madrid = await accounts.add('madrid', 'iberia', ...sells, 'ES')
const rome = await accounts.add('rome', 'italia', ...sells, 'IT')
const optional = await accounts.add(
  'optional',
  'hispania',
  ...sells,
  'ES',
  '--optional-fields',
  'surnames',
)

const ACCEPTED = { action: 'require_validate_otp' }
const submitNew = async (shop: Shop, fields: Json) => shop.submit(await shop.place(), fields)

describe('a number with marks that nobody sees', () => {
  it('is the number that people see, and so it is sent', async () => {
    for (const [mobile_phone, to] of [
      ['\u202a+34 600 123 456\u202c', '+34 600 123 456'],
      ['600\u2013123\u2013456', '600-123-456'],
      ['＋３４６００１２３４５６', '+34600123456'],
      ['٦٠٠١٢٣٤٥٦', '600123456'],
    ]) {
      const order = await madrid.place()
      expect(await madrid.submit(order, { mobile_phone, nin: '12345678\u2011Z\u200b' })).toEqual(
        ACCEPTED,
      )
      await madrid.advance(0)
      expect(await madrid.messages(order)).toMatchObject([{ to }])
    }
  })

  it('is that of the same person, with or without the code of the country', async () => {
    const order = await madrid.place()
    await madrid.submit(order, { mobile_phone: '600123456' })
    const again = {
      mobile_phone: '+34 600\u2011123\u2011456',
      given_names: 'Ana\u200b María',
      nin: '１２３４５６７８Ｚ',
    }
    // The code would not be accepted from another person.
    expect(await madrid.submit(order, { ...again, validation_code: '12345' })).toMatchObject({
      action: 'wait_for_screening',
    })
  })

  it('does not make a code right', async () => {
    const order = await madrid.place()
    await madrid.submit(order)
    expect(await madrid.submit(order, { validation_code: '１２３４５' })).toMatchObject({
      errors: { validation_code: 'invalid' },
    })
  })
})

describe('the surnames', () => {
  it('are two in Spain, unless they are optional, and one is enough in Italy', async () => {
    expect(await submitNew(rome, { surnames: 'Rossi' })).toEqual(ACCEPTED)
    expect(await submitNew(optional, { surnames: 'Prueba' })).toEqual(ACCEPTED)
    expect(await submitNew(madrid, { surnames: 'Prueba' })).toMatchObject({
      errors: { surnames: 'invalid' },
    })
    const readNeeded = async (shop: Shop) => {
      const answer = await shop.send('GET', `/api/v1/checkout/${await shop.place()}/summary`)
      return ((await answer.json()) as Json).surnames_needed
    }
    expect([await readNeeded(rome), await readNeeded(optional), await readNeeded(madrid)]).toEqual([
      1, 1, 2,
    ])
  })
})

it('a tax number with K, L or M is accepted in Spain', async () => {
  for (const nin of ['L1234567L', 'M1234567L', 'k0000000t'])
    expect(await submitNew(madrid, { nin })).toEqual(ACCEPTED)
})

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

  it('have no texts elsewhere', async () => {
    expect(await languageFor(rome, 'ca')).toMatchObject(['en', {}, 'Your'])
    expect((await languageFor(madrid, 'cat'))[0]).toBe('en')
  })

  it('choose Spanish for the list of payment methods too', async () => {
    const authorization = `Basic ${btoa('iberia:iberia-secret')}`
    const answer = await madrid.send('GET', '/merchants/madrid/payment_methods', undefined, {
      authorization,
      'accept-language': 'fr, gl-ES;q=0.9',
    })
    expect(JSON.stringify(await answer.json())).toContain('Paga después')
  })
})

describe('a day', () => {
  it('is that of the merchant’s country, for the age and for what is due', async () => {
    const { now } = await madrid.advance(0)
    const next = new Date(now)
    // The next 23:30 in UTC of a winter, when it is already tomorrow in Madrid.
    next.setUTCHours(23, 30, 0, 0)
    if (next.getUTCMonth() >= 2 && next.getUTCMonth() <= 10) next.setUTCMonth(11, 1)
    await madrid.advance((next.getTime() - Date.parse(now)) / 1000)

    const tomorrow = new Date(next.getTime() + 3_600_000)
    const [year, month = '', day = ''] = tomorrow.toISOString().slice(0, 10).split('-')
    const born = { dob_year: String(Number(year) - 18), dob_month: month, dob_day: day }
    expect(await submitNew(madrid, born)).toEqual(ACCEPTED)
    const lisbon = await accounts.add('lisbon', 'lusitania', ...sells, 'PT')
    expect(await submitNew(lisbon, born)).toMatchObject({ errors: { dob_year: 'invalid' } })

    const summaryOf = async (shop: Shop) =>
      (await (
        await shop.send('GET', `/api/v1/checkout/${await shop.place()}/summary?product_code=pp3`)
      ).json()) as {
        plans: { instalments: Json[] }[]
      }
    expect((await summaryOf(madrid)).plans[0]?.instalments[0]?.due).toBe(`${year}-${month}-${day}`)
    expect((await summaryOf(lisbon)).plans[0]?.instalments[0]?.due).toBe(
      next.toISOString().slice(0, 10),
    )
  })

  it('makes a year wrong that is more than 120 years ago', async () => {
    const year = new Date((await madrid.advance(0)).now).getUTCFullYear()
    expect(await submitNew(madrid, { dob_year: String(year - 119) })).toEqual(ACCEPTED)
    expect(await submitNew(madrid, { dob_year: String(year - 122) })).toMatchObject({
      errors: { dob_year: 'invalid' },
    })
  })
})

it('a text of the cart is cut between letters', async () => {
  const name = `${'a'.repeat(199)}😀`
  const cart = {
    currency: 'EUR',
    order_total_with_tax: 12_100,
    items: [
      { name, total_with_tax: 12_000 },
      { name: 'half \ud83d', total_with_tax: 100 },
    ],
  }
  const answer = await madrid.send(
    'GET',
    `/api/v1/checkout/${await madrid.place({ cart })}/summary`,
  )
  const text = await answer.text()
  expect(text).not.toContain('\\ud83d')
  expect((JSON.parse(text) as { items: Json[] }).items.map((item) => item.name)).toEqual([
    'a'.repeat(199),
    'half \ufffd',
  ])
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
