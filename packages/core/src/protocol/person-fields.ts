// What each field of the shopper's form must be. The codecs of the form and the pages in browsers
// check by these rules, so this file imports no library, and nothing that a shopper's browser lacks.
// Interface §2.1, contract §4.
import { isSeen, numberAsSeen, withoutUnseen } from './text-as-seen.ts'

/** The fields of a person, in the order of the form. */
export const PERSON_FIELDS = [
  'given_names',
  'surnames',
  'dob_day',
  'dob_month',
  'dob_year',
  'mobile_phone',
  'nin',
  'address',
  'postal_code',
  'city',
] as const

/** The name of a field of the identification form that describes the shopper. Interface §2.1. */
export type PersonField = (typeof PERSON_FIELDS)[number]

/** A name or an address. The other fields are numbers, dates and codes. */
export const isTextField = (field: string): boolean =>
  ['given_names', 'surnames', 'address', 'city'].includes(field)

/** The field as people see it. */
export const fieldAsSeen = (field: PersonField, typed: string): string =>
  isTextField(field) ? withoutUnseen(typed) : numberAsSeen(typed)

/**
 * What a text must be: in words, as a regular expression with the flag `u`, and as the exact rule if
 * the pattern cannot express all of it.
 */
export type TextRule = readonly [expected: string, form: RegExp, holds?: (value: string) => boolean]

export const fitsRule = ([, form, holds]: TextRule, text: string): boolean =>
  holds === undefined ? form.test(text) : holds(text)

/** People must see something in it, which a pattern can hardly say. */
export const NON_EMPTY: TextRule = ['a non-empty string', /\S/u, isSeen]

const TWO_DIGITS: TextRule = ['two digits', /^[0-9]{2}$/u]

// What may stand between two digits, and what begins an international number.
const GAP = '[\\s()./-]*'
const PLUS = `(?:\\+|0${GAP}0)`

// A message to a premium number costs its sender more, and a satellite phone is no mobile phone.
// Contract §4.
const NOT_MOBILE = '+(870|881|882|883|979|3480|3490)'

/** `others`: the prefixes that no mobile phone has, as a pattern of digits. */
const phoneRule = (others: string): TextRule => {
  const other = others.replace(/\d/g, `${GAP}$&`).replace(/\+/g, GAP + PLUS)
  return [
    'a mobile phone number of 7 to 15 digits, national or international',
    new RegExp(`^(?!${other})${GAP}(?:${PLUS}${GAP}|(?!0${GAP}0))(?:[0-9]${GAP}){7,15}$`, 'u'),
  ]
}

const GENERAL: { readonly [field in PersonField]: TextRule } = {
  given_names: NON_EMPTY,
  surnames: NON_EMPTY,
  dob_day: TWO_DIGITS,
  dob_month: TWO_DIGITS,
  dob_year: ['four digits', /^[0-9]{4}$/u],
  mobile_phone: phoneRule(NOT_MOBILE),
  nin: ['5 to 20 letters and digits', /^[\s.-]*(?:[\p{L}0-9][\s.-]*){5,20}$/u],
  address: NON_EMPTY,
  postal_code: [
    '3 to 10 letters, digits, spaces or hyphens',
    /^\s*[\p{L}0-9][\p{L}0-9 -]{1,8}[\p{L}0-9]\s*$/u,
  ],
  city: NON_EMPTY,
}

const SPANISH: Pick<typeof GENERAL, 'mobile_phone' | 'nin' | 'postal_code'> = {
  mobile_phone: phoneRule(`${NOT_MOBILE}|80|90`),
  nin: [
    'a DNI, an NIE, or K, L or M with seven digits, with its check letter',
    /^[\s.-]*(?:[K-MX-Zk-mx-z][\s.-]*(?:[0-9][\s.-]*){7}|(?:[0-9][\s.-]*){8})[A-Za-z][\s.-]*$/u,
    (value) => hasCheckLetter(value.replace(/[\s.-]/g, '')),
  ],
  postal_code: ['five digits', /^\s*[0-9]{5}\s*$/u],
}

// DNI: eight digits and a letter. NIE: X, Y or Z replaces a leading 0, 1 or 2. K, L and M are for
// people who have neither.
const hasCheckLetter = (text: string): boolean => {
  if (!/^([K-MX-Z]\d|\d{2})\d{6}[A-Z]$/i.test(text)) return false
  const nin = text.toUpperCase()
  const number = Number(
    nin.slice(0, -1).replace(/[K-MX-Z]/, (letter) => String(Math.max(0, 'XYZ'.indexOf(letter)))),
  )
  return nin.endsWith('TRWAGMYFPDXBNJZSQVHLCKE'.charAt(number % 23))
}

/** What the fields' rules depend on, in the form of a checkout's summary. */
export type MerchantRules = {
  readonly country: string | null
  readonly surnames_needed: number
}

/** The rule of each field, for a merchant of this country. */
export const fieldRules = ({ country, surnames_needed }: MerchantRules): typeof GENERAL => ({
  ...GENERAL,
  ...(country === 'ES' && SPANISH),
  ...(surnames_needed === 2 && { surnames: ['two surnames', /\S\s+\S/u] }),
})

// `setUTCFullYear` also takes years below 100. Day 0 of a month is the last of the month before.
const daysIn = (month: number, year: number): number =>
  new Date(new Date(0).setUTCFullYear(year, month, 0)).getUTCDate()

const ADULT = 18
const OLDEST = 120

/** False for a minor, and for a year in which nobody who is alive was born. */
const isPlausibleBirth = (day: number, month: number, year: number, today: string): boolean => {
  const years = Number(today.slice(0, -6)) - year
  const hadBirthday =
    Number(today.slice(-5, -3)) * 100 + Number(today.slice(-2)) >= month * 100 + day
  return years - (hadBirthday ? 0 : 1) >= ADULT && years <= OLDEST
}

/** The parts of a birth date, each well-formed or left out. */
type BirthDate = { readonly [field in PersonField & `dob_${string}`]?: string }

/**
 * Which parts of a birth date are well-formed, but wrong. If the shopper is under age, or the year is
 * more than 120 years ago, the year is wrong. A month outside 01 to 12 is wrong itself. For any other
 * impossible date the day is wrong. A missing or wrong part counts as the most favourable value: the
 * 1st, January (31 days), a leap year. `today`: `YYYY-MM-DD`. Contract §4.
 */
export const wrongDateFields = (
  { dob_day: day = '', dob_month: month = '', dob_year: year = '' }: BirthDate,
  today: string,
): { readonly [field in keyof BirthDate]-?: boolean } => {
  const monthIsWrong = month !== '' && (Number(month) < 1 || Number(month) > 12)
  const likelyMonth = month === '' || monthIsWrong ? 1 : Number(month)
  const daysOfMonth = daysIn(likelyMonth, year === '' ? 1980 : Number(year))
  const dayIsWrong = day !== '' && (Number(day) < 1 || Number(day) > daysOfMonth)
  const likelyDay = day === '' || dayIsWrong ? 1 : Number(day)
  const yearIsWrong = year !== '' && !isPlausibleBirth(likelyDay, likelyMonth, Number(year), today)
  return { dob_day: dayIsWrong, dob_month: monthIsWrong, dob_year: yearIsWrong }
}
