// A host's `Intl` shows some currencies with fewer digits than ISO 4217 gives them, and another
// release may change them. So the digits that turn minor units into an amount are here, with the
// limits and the fee of each currency. Contract §4, Money.

// The currencies of ISO 4217 in 2026 that do not have two decimals.
const CODES_BY_DIGITS: { readonly [digits: number]: string } = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

const digitsByCode = new Map(
  Object.entries(CODES_BY_DIGITS).flatMap(([digits, codes]) =>
    codes.split(' ').map((code) => [code, Number(digits)] as const),
  ),
)

/** The number of decimals of an amount in this currency. */
export const currencyDigits = (currency: string): number => digitsByCode.get(currency) ?? 2

/**
 * An amount in digits, such as `121.00`. The same on every host, unlike a text of `Intl`. `value`:
 * minor units, not negative.
 */
export const decimalText = (value: number, currency: string): string => {
  const digits = currencyDigits(currency)
  const text = String(value).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** All in minor units of the currency. The limits are inclusive. */
export type CurrencyTerms = {
  readonly minTotal: number
  readonly maxTotal: number
  readonly feePerInstalment: number
}

const terms = (minTotal: number, maxTotal: number, feePerInstalment: number): CurrencyTerms => ({
  minTotal,
  maxTotal,
  feePerInstalment,
})

const EURO = terms(100, 1_000_000, 250)

// About the euro's values at the rates of November 2026, each rounded to one significant digit.
const TERMS: { readonly [currency: string]: CurrencyTerms } = {
  EUR: EURO,
  GBP: terms(90, 900_000, 200),
  USD: terms(100, 1_000_000, 300),
  CHF: terms(90, 900_000, 200),
  PLN: terms(400, 4_000_000, 1_000),
  CZK: terms(2_000, 20_000_000, 6_000),
  HUF: terms(40_000, 400_000_000, 100_000),
  RON: terms(500, 5_000_000, 1_000),
  SEK: terms(1_000, 10_000_000, 3_000),
  DKK: terms(700, 7_000_000, 2_000),
  NOK: terms(1_000, 10_000_000, 3_000),
  MXN: terms(2_000, 20_000_000, 5_000),
  COP: terms(400_000, 4_000_000_000, 1_000_000),
  PEN: terms(400, 4_000_000, 1_000),
  CLP: terms(1_000, 10_000_000, 3_000),
  BRL: terms(600, 6_000_000, 2_000),
  ARS: terms(200_000, 2_000_000_000, 400_000),
  UYU: terms(5_000, 50_000_000, 10_000),
  JPY: terms(200, 2_000_000, 500),
}

/** The currencies that have limits and a fee of their own. */
export const PRICED_CURRENCIES: readonly string[] = Object.keys(TERMS)

/**
 * A stored merchant may have any currency. Without a row of its own, it keeps the euro's numbers.
 * Contract §4, Money.
 */
export const currencyTerms = (currency: string): CurrencyTerms =>
  (Object.hasOwn(TERMS, currency) ? TERMS[currency] : undefined) ?? EURO
