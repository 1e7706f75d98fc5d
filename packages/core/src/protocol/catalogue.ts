// The credit products as data. Contract §4, Products.
import type { Language } from './language.ts'

export type Category = 'pay_later' | 'part_payment' | 'pay_now'

export type ProductText = { readonly title: string; readonly longTitle: string }

export type CreditProduct = {
  readonly code: string
  readonly category: Category
  readonly text: { readonly [language in Language]: ProductText }
  /** The offered numbers of instalments. The first is the default. */
  readonly instalmentCounts: readonly number[]
  readonly dueNow: 'nothing' | 'first_instalment' | 'all'
  /** Minor units, added to each instalment. */
  readonly feePerInstalment: number
  /** Minor units, both inclusive. */
  readonly minAmount: number
  readonly maxAmount: number
  /** The instants between which the product is offered. Shops read both as dates. */
  readonly startsAt: string
  readonly endsAt: string
}

const TERMS = {
  minAmount: 100,
  maxAmount: 1_000_000,
  startsAt: '2000-01-01T00:00:00.000Z',
  endsAt: '2999-12-31T23:59:59.000Z',
}

export const CATALOGUE: readonly CreditProduct[] = [
  {
    code: 'i1',
    category: 'pay_later',
    text: {
      en: { title: 'Pay later', longTitle: 'Receive first, pay later' },
      es: { title: 'Paga después', longTitle: 'Recibe primero, paga después' },
    },
    instalmentCounts: [1],
    dueNow: 'nothing',
    feePerInstalment: 0,
    ...TERMS,
  },
  {
    code: 'pp3',
    category: 'part_payment',
    text: {
      en: { title: 'Part payment', longTitle: 'Pay in instalments, the first one now' },
      es: { title: 'Pago fraccionado', longTitle: 'Paga a plazos, el primero ahora' },
    },
    instalmentCounts: [3, 6, 12, 24],
    dueNow: 'first_instalment',
    feePerInstalment: 250,
    ...TERMS,
  },
  {
    code: 'sp1',
    category: 'part_payment',
    text: {
      en: { title: 'Split payment', longTitle: 'Pay in three without cost' },
      es: { title: 'Divide en tres', longTitle: 'Divide tu pago en tres, sin coste' },
    },
    instalmentCounts: [3],
    dueNow: 'first_instalment',
    feePerInstalment: 0,
    ...TERMS,
  },
  {
    code: 'fp1',
    category: 'pay_now',
    text: {
      en: { title: 'Pay now', longTitle: 'Pay everything now by card' },
      es: { title: 'Paga ahora', longTitle: 'Paga todo ahora con tarjeta' },
    },
    instalmentCounts: [1],
    dueNow: 'all',
    feePerInstalment: 0,
    ...TERMS,
  },
]

const byCode = new Map(CATALOGUE.map((product) => [product.code, product]))

export const productOf = (code: string): CreditProduct | undefined => byCode.get(code)
