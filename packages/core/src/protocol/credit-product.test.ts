import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  annualRateTenths,
  CATALOGUE,
  defaultAgreement,
  instalmentsOf,
  isCredit,
  isOffered,
  planOf,
  productsFor,
} from './credit-product.ts'
import { LANGUAGES } from './language.ts'

const ALL = ['i1', 'pp3', 'sp1', 'fp1']

const agreements = CATALOGUE.flatMap(({ code, instalmentCounts }) =>
  instalmentCounts.map((instalmentCount) => ({ product: code, instalmentCount })),
)
const euros = (total: number) => ({ total, currency: 'EUR' })
const agreement = fc.constantFrom(...agreements)
const total = fc.integer({ min: 100, max: 1_000_000 })

it('a plan is a credit if something is due later', () => {
  const [, partPayment = CATALOGUE[0]] = CATALOGUE
  const once = { ...partPayment, instalmentCounts: [1] as const }
  const perhaps = { ...partPayment, instalmentCounts: [1, 3] as const }
  expect([...CATALOGUE, once, perhaps].map(isCredit)).toEqual([
    ...[true, true, true, false],
    ...[false, true],
  ])
})

describe('the catalogue', () => {
  it('has the products of the contract, each with its plans, the default first', () => {
    expect(
      CATALOGUE.map(({ code, category, instalmentCounts, dueNow, hasFee }) => [
        ...[code, category, instalmentCounts.join(' '), dueNow, hasFee],
      ]),
    ).toEqual([
      ['i1', 'pay_later', '1', 'nothing', false],
      ['pp3', 'part_payment', '3 6 12 24', 'first_instalment', true],
      ['sp1', 'part_payment', '3', 'first_instalment', false],
      ['fp1', 'pay_now', '1', 'all', false],
    ])
  })

  it('has a different description for each product, in every language', () => {
    const texts = LANGUAGES.flatMap((language) =>
      CATALOGUE.flatMap(({ text }) => [text[language].title, text[language].longTitle]),
    )
    expect(new Set(texts).size).toBe(LANGUAGES.length * CATALOGUE.length * 2)
    for (const words of texts) expect(words).toMatch(/^\p{Lu}.{5,}/u)
  })
})

it.each([
  [[], { total: 99, currency: 'EUR' }],
  [['fp1', 'i1'], { total: 100, currency: 'EUR' }],
  [['fp1', 'i1'], { total: 1_000_000, currency: 'EUR' }],
  [[], { total: 1_000_001, currency: 'EUR' }],
  [[], { total: 199, currency: 'JPY' }],
  [['fp1', 'i1'], { total: 200, currency: 'JPY' }],
  [['fp1', 'i1'], null],
])('the products are %j, in the merchant’s order, for an order of %j', (codes, price) => {
  const products = productsFor(['fp1', 'zz9', 'i1', '__proto__'], price)
  expect(products.map(({ code }) => code)).toEqual(codes)
})

it('an agreement is offered exactly if the merchant has the product, the product has the plan, and the total fits', () => {
  fc.assert(
    fc.property(
      fc.subarray(ALL),
      fc.integer({ min: 0, max: 1_000_100 }),
      fc.record({
        product: fc.constantFrom(...ALL, 'xx'),
        instalmentCount: fc.constantFrom(-3, 0, 1, 2, 3, 3.5, 6, 12, 24, Number.NaN),
      }),
      (products, amount, chosen) => {
        const isListed = agreements.some(
          ({ product, instalmentCount }) =>
            product === chosen.product &&
            instalmentCount === chosen.instalmentCount &&
            products.includes(product),
        )
        expect(isOffered(products, euros(amount), chosen)).toBe(
          isListed && amount >= 100 && amount <= 1_000_000,
        )
      },
    ),
  )
})

describe('a plan', () => {
  it('puts the remainder of the division into the first instalment, and costs exactly its fees', () => {
    fc.assert(
      fc.property(agreement, total, ({ product, instalmentCount }, amount) => {
        const others = Math.floor(amount / instalmentCount)
        const first = others + (amount % instalmentCount)
        const costOfCredit = (product === 'pp3' ? 250 : 0) * instalmentCount
        expect(planOf({ product, instalmentCount }, euros(amount))).toMatchObject({
          instalments: [first, ...Array(instalmentCount - 1).fill(others)],
          regularInstalment: instalmentCount === 1 ? first : others,
          fee: costOfCredit / instalmentCount,
          costOfCredit,
          grandTotal: amount + costOfCredit,
          dueNow: { i1: 0, pp3: first + 250, sp1: first, fp1: amount }[product],
        })
      }),
    )
  })

  it('of a removed product requires no payment now', () => {
    expect(planOf({ product: 'zz9', instalmentCount: 2 }, euros(101))).toMatchObject({
      instalments: [51, 50],
      dueNow: 0,
      grandTotal: 101,
    })
  })

  // A stored merchant may have a currency without a row, such as KRW.
  it.each([
    ['EUR', 250, 10_250, 750],
    ['JPY', 500, 10_500, 1_500],
    ['CLP', 3_000, 13_000, 9_000],
    ['KRW', 250, 10_250, 750],
  ])('has the fee of %s, in its own minor units', (currency, fee, dueNow, costOfCredit) => {
    const plan = planOf({ product: 'pp3', instalmentCount: 3 }, { total: 30_000, currency })
    expect(plan).toMatchObject({ fee, dueNow, costOfCredit })
  })
})

it.each<readonly [readonly string[], string | null, string, number]>([
  [['fp1', 'i1'], 'i1', 'i1', 1],
  [ALL, 'pp3', 'pp3', 3],
  [['pp3', 'i1'], null, 'pp3', 3],
  [['zz9'], null, 'zz9', 1],
  [[], null, 'i1', 1],
])(
  'the default agreement of a merchant with %j, with the hint %j, is %s in %i',
  (products, hint, product, instalmentCount) => {
    expect(defaultAgreement(products, hint)).toEqual({ product, instalmentCount })
  },
)

const TODAY = '2026-01-31'
const pp3 = planOf({ product: 'pp3', instalmentCount: 3 }, euros(12_100))

describe('the instalments of a plan', () => {
  it('are due on the same day of each month, or on its last day', () => {
    expect(instalmentsOf(pp3, TODAY)).toEqual([
      { due: '2026-01-31', amount: 4284, isNow: true },
      { due: '2026-02-28', amount: 4283, isNow: false },
      { due: '2026-03-31', amount: 4283, isNow: false },
    ])
  })

  it('begin a month later if nothing is due now', () => {
    const plan = planOf({ product: 'i1', instalmentCount: 1 }, euros(12_100))
    expect(instalmentsOf(plan, TODAY)).toEqual([
      { due: '2026-02-28', amount: 12_100, isNow: false },
    ])
  })

  it('add up to all that the shopper pays, and those now to what is due now', () => {
    fc.assert(
      fc.property(agreement, total, (chosen, amount) => {
        const plan = planOf(chosen, euros(amount))
        const all = instalmentsOf(plan, TODAY)
        const sum = (amounts: readonly { readonly amount: number }[]) =>
          amounts.reduce((to, { amount }) => to + amount, 0)
        expect(sum(all)).toBe(plan.grandTotal)
        expect(sum(all.filter(({ isNow }) => isNow))).toBe(plan.dueNow)
      }),
    )
  })
})

it.each([
  [
    'is zero if the credit is free',
    planOf({ product: 'i1', instalmentCount: 1 }, euros(12_100)),
    12_100,
    0,
  ],
  [
    'is zero if the credit is free',
    planOf({ product: 'sp1', instalmentCount: 3 }, euros(12_100)),
    12_100,
    0,
  ],
  [
    'does not exist if all is paid now',
    planOf({ product: 'fp1', instalmentCount: 1 }, euros(12_100)),
    12_100,
    null,
  ],
  [
    'of a tenth more after a year is a tenth',
    { instalments: [...Array(11).fill(0), 11_000], fee: 0, dueNow: 0 },
    10_000,
    100,
  ],
  // (12,100 − 4,284) = 4,283 / x + 4,283 / x² has x = 1.0633…, and x¹² is the yearly factor.
  ['counts fees as a cost', pp3, 12_100, 1_089],
])('the annual rate %s', (_, plan, amount, rate) => {
  expect(annualRateTenths(plan, amount)).toBe(rate)
})
