// A shopper must see from whom they buy, what, and on which terms, before they agree. A frontend gets all of it here.
// Contract §4, Summary.
import * as t from 'io-ts'
import { MoneyCodec, OFFERED } from './action.ts'
import { description } from './json-schema.ts'
import { Count, exactObject, namedObject, oneOf, orNull, WholeNumber } from './scalars.ts'

const Item = namedObject('CartItem', {
  name: description('The name that the shop gave, or empty.', t.string),
  quantity: orNull(WholeNumber),
  total: MoneyCodec,
})

const InstalmentOnOffer = namedObject('Instalment', {
  due: description('A date, YYYY-MM-DD.', t.string),
  amount: description('With its fee.', MoneyCodec),
  is_now: description('True: it is paid during the checkout.', t.boolean),
})

/** An offered plan with everything that the shopper agrees to: the date and the amount of each instalment. */
export const PlanInFull = namedObject('PlanInFull', {
  ...OFFERED,
  default: description('Whether this is the default plan.', t.boolean),
  instalments: t.readonlyArray(InstalmentOnOffer),
  annual_rate: description(
    'The annual percentage rate of charge as the shopper reads it; null if nothing is credited.',
    orNull(t.string),
  ),
})
export type PlanInFull = t.TypeOf<typeof PlanInFull>

export const CheckoutSummary = namedObject('CheckoutSummary', {
  seller: description('The merchant’s name.', t.string),
  language: description('The language of all texts: en or es.', oneOf('en', 'es')),
  total: MoneyCodec,
  items: description(
    'The cart, at most its first 100 items. Empty once the shopper’s data is erased.',
    t.readonlyArray(Item),
  ),
  product: exactObject({ code: t.string, title: t.string }),
  country: description('The merchant’s country, whose rules the fields follow.', orNull(t.string)),
  optional_fields: description('The names of the fields that may be left out.', t.readonlyArray(t.string)),
  plans: description('The plans of the product, the default first.', t.readonlyArray(PlanInFull)),
  return_url: description('The shop’s page, for a way back at any time.', t.string),
  code: description(
    'While a code is awaited: the phone that it was sent to, and when another may be sent.',
    orNull(
      exactObject({
        phone: description('Only the last three digits can be read.', t.string),
        next_in_seconds: description('0: another code may be sent now.', Count),
        can_be_sent_again: t.boolean,
      }),
    ),
  ),
})
export type CheckoutSummary = t.TypeOf<typeof CheckoutSummary>
