// The rival's form. The rules of single fields are plazo's own: they are long, and no fault is planted
// in them.
import { isRightField, numberAsSeen, wrongDateFields } from '@plazo/core/form-rules'
import { PERSON_FIELDS, type PersonField } from '@plazo/core/internal'

type Fields = Readonly<Record<string, unknown>>

/** The fields of an identification that are wrong on this day. */
export const wrongFieldsOf = (form: Fields, today: string): readonly string[] => {
  const merchant = { country: null, surnames_needed: 2 } as const
  const texts = Object.fromEntries(
    PERSON_FIELDS.flatMap((field) => {
      const value = form[field]
      const isRight = typeof value === 'string' && isRightField(merchant, field, value)
      return isRight ? [[field, numberAsSeen(value)]] : []
    }),
  ) as Partial<Record<PersonField, string>>
  const dates = wrongDateFields(texts, today)
  const { product, instalment_count: count } = Object(form.credit_agreement)
  const agreement = form.credit_agreement ?? null
  return [
    ...PERSON_FIELDS.filter((field) => texts[field] === undefined || dates[field as never]),
    ...(form.service_privacy_policy_accepted === true ? [] : ['service_privacy_policy_accepted']),
    ...(agreement === null || (product === 'i1' && count === 1) ? [] : ['credit_agreement']),
  ]
}
