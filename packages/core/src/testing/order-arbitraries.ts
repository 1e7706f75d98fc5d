// Valid orders as shops send them. Contract §3. They share no rule with the codecs, so that an
// error in a codec is found.
import fc from 'fast-check'
import type { JsonObject } from './identification-arbitraries.ts'

/**
 * `{"order": …}` with all required members, some optional ones and unknown ones. Its items add up.
 */
export const validOrder = (): fc.Arbitrary<JsonObject> =>
  fc
    .record({
      merchant: members(
        { id: fc.constantFrom('demo', 'shop-1', 'tienda ñ'), return_url: webUrl },
        {
          notify_url: nullable(webUrl),
          notification_parameters: nullable(flatStrings),
          events_webhook: nullable(members({ url: webUrl }, { parameters: nullable(flatStrings) })),
        },
      ),
      amounts: fc
        .array(fc.integer({ min: -5_000, max: 200_000 }), { minLength: 1, maxLength: 6 })
        .filter((amounts) => totalOf(amounts) > 0),
      currency: fc.constantFrom('EUR', 'USD', 'JPY', 'KWD'),
      rest: members(
        {},
        {
          state: fc.constantFrom('', null),
          merchant_reference: nullable(
            members({}, { order_ref_1: reference, order_ref_2: reference }),
          ),
          product_code: nullable(fc.constantFrom('i1', 'pp3')),
          customer: fc.oneof(members({}, { language_code: languageTag }), fc.jsonValue()),
          delivery_address: fc.jsonValue(),
          gui: fc.oneof(members({}, { language_code: languageTag }), fc.jsonValue()),
          not_a_member: fc.jsonValue(),
        },
      ),
    })
    .map(({ merchant, amounts, currency, rest }) => ({
      order: {
        ...rest,
        merchant,
        cart: {
          currency,
          order_total_with_tax: totalOf(amounts),
          items: amounts.map((amount, index) => ({
            type: 'product',
            reference: `SKU-${index}`,
            total_with_tax: amount,
          })),
        },
      },
    }))

/** Language tags as shops send them: right, nearly right, and garbage. */
export const languageTag: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('es-ES', 'es_ES', 'en', 'pt-BR', 'ca_ES.UTF-8', 'xx', '', '-', 'español'),
  fc.string(),
)

const totalOf = (amounts: readonly number[]): number =>
  amounts.reduce((sum, amount) => sum + amount, 0)

const webUrl = fc.constantFrom(
  'http://127.0.0.1:8098/ipn',
  'https://shop.example.test/events?order=42&a=b+c',
  'https://shop.example.test/back?product=SQ_PRODUCT_CODE',
  'HTTPS://ñandú.example.test',
)

const reference = fc.oneof(fc.string(), fc.constantFrom('', 'A/1', null))

const flatStrings: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.string().filter((name) => !/_ref|_code|_state|_since/.test(name)),
  fc.string({ unit: 'grapheme' }),
  { maxKeys: 5, noNullPrototype: true },
)

const nullable = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) })

const members = (
  required: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  optional: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<JsonObject> =>
  fc.record(
    { ...required, ...optional },
    { requiredKeys: Object.keys(required), noNullPrototype: true },
  )
