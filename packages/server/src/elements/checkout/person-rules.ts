// A field is sent in the form that the endpoint accepts, and its message goes when it is right. The
// endpoint decides; this only knows when a message no longer helps. Contract §4, Fields.
import {
  isRightField,
  isTextField,
  type MerchantRules,
  numberAsSeen,
  type PersonField,
  wrongDateFields,
} from '@plazo/core/form-rules'
import { withoutSeparators } from '../../http/page/script/dom.ts'

export const BIRTH = ['dob_day', 'dob_month', 'dob_year'] as const
type BirthField = (typeof BIRTH)[number]
export const isBirth = (field: string): field is BirthField =>
  (BIRTH as readonly string[]).includes(field)

/** "2" becomes "02". What is a number is sent as people see it, and names as typed. */
export const normalizeField = (field: string, typed: string): string => {
  if (field === 'dob_year') return withoutSeparators(typed)
  if (isBirth(field)) return withoutSeparators(typed).replace(/^\d$/, '0$&')
  return (isTextField(field) ? typed : numberAsSeen(typed)).trim()
}

/** `date`: its parts are well-formed or left out. */
export const isBirthDate = (date: { readonly [part in BirthField]?: string }): boolean =>
  !Object.values(wrongDateFields(date, new Date().toISOString().slice(0, 10))).includes(true)

/** If such a year is wrong, it is because the shopper is too young. */
export const isRecentYear = (year: string): boolean =>
  /^\d{4}$/.test(year) && Number(year) > new Date().getUTCFullYear() - 100

/** `value`: as `normalizeField` leaves it. A year alone is right: it depends on the day and month. */
export const isRight = (merchant: MerchantRules, field: PersonField, value: string): boolean =>
  isRightField(merchant, field, value) &&
  (!isBirth(field) || field === 'dob_year' || isBirthDate({ [field]: value }))
