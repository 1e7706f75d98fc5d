// @plazo/core/form-rules: the part of the protocol that a page in a browser checks a form by. It is
// an entry of its own, because the rest needs libraries that make scripts large. Contract §4, Fields.
//
// ```ts
// import { isRightField, numberAsSeen } from '@plazo/core/form-rules'
//
// const lamps = { country: 'ES', surnames_needed: 2 }
// console.log(isRightField(lamps, 'nin', '12345678-Z')) // true
// console.log(isRightField(lamps, 'surnames', 'Prueba')) // false: it needs two
// console.log(numberAsSeen('１２３４５')) // 12345
// ```

import {
  fieldAsSeen,
  fieldRules,
  fitsRule,
  type MerchantRules,
  type PersonField,
} from './person-fields.ts'

export {
  isTextField,
  type MerchantRules,
  type PersonField,
  wrongDateFields,
} from './person-fields.ts'
export { numberAsSeen } from './text-as-seen.ts'

/** Rules over several fields, such as the date of birth, are checked apart. */
export const isRightField = (merchant: MerchantRules, field: PersonField, typed: string): boolean =>
  fitsRule(fieldRules(merchant)[field], fieldAsSeen(field, typed))
