// A merchant's settings come from a command, a form of the console or a host's own program. Without one
// table of rules, a value that one of them refuses would reach webhooks through another.
import { modelOf, type OrderModel } from '../order/model.ts'
import { wireNames } from '../order/terms.ts'
import { isCountry } from '../protocol/country.ts'
import { PRODUCTS } from '../protocol/credit-product.ts'
import { PRICED_CURRENCIES } from '../protocol/currency.ts'
import { memberOf } from '../protocol/order-payload.ts'
import { PERSON_FIELDS } from '../protocol/person-fields.ts'
import { isSeen } from '../protocol/text-as-seen.ts'
import { CALLS } from './providers.ts'

/** What a setting must be. `expected` completes the sentence `<name> must be …`. */
export type SettingRule = {
  readonly expected: string
  readonly accepts: (value: unknown) => boolean
}

const textRule = (expected: string, accepts: (text: string) => boolean): SettingRule => ({
  expected,
  accepts: (value) => typeof value === 'string' && accepts(value),
})

const listRule = (
  expected: string,
  accepts: (entries: readonly unknown[]) => boolean,
): SettingRule => ({
  expected,
  accepts: (value) => Array.isArray(value) && accepts(value),
})

/** The name of the service, because it is part of header names. */
export const SERVICE_RULE = textRule('a letter, then letters and digits', (service) =>
  /^[A-Za-z][A-Za-z0-9]*$/.test(service),
)

/** The rules of a merchant's settings. `fields`: those that may be optional. */
export const merchantRules = (
  fields: readonly string[],
  products: readonly string[] = [...PRODUCTS.keys()],
) => ({
  ref: textRule('up to 64 letters, digits, dots, - and _', (ref) =>
    /^(?!\.{1,2}$)[\w.-]{1,64}$/.test(ref),
  ),
  name: textRule('a name for people', isSeen),
  signatureSecret: textRule('32 hex digits', (secret) => /^[0-9a-f]{32}$/i.test(secret)),
  country: {
    expected: 'a country code like ES, for ID numbers and postal codes, or empty',
    accepts: (country: unknown) => country === null || isCountry(String(country)),
  },
  currency: textRule('a currency code like EUR', (code) => PRICED_CURRENCIES.includes(code)),
  products: listRule(
    `a list of ${products.join(', ')}, each once at most, the default first`,
    (codes) =>
      codes.length > 0 &&
      new Set(codes).size === codes.length &&
      codes.every((code) => products.includes(String(code))),
  ),
  optionalFields: listRule('a list of fields that may be empty', (names) =>
    names.every((name) => fields.includes(String(name))),
  ),
})

const FUNCTION_RULE: SettingRule = {
  expected: 'a function',
  accepts: (value) => typeof value === 'function',
}
const FUNCTIONS = [
  ...Object.entries(CALLS).flatMap(([port, calls]) =>
    calls.map((call) => `providers.${port}.${call}`),
  ),
  ...['guard.checkUrl', 'guard.checkPage', 'gateway'],
]

const LINK_RULE: SettingRule = {
  expected: 'a function that returns an absolute URL',
  accepts: (link) => typeof link === 'function' && URL.canParse(link('order', 'token', 'card')),
}
const LINKS = ['wait', 'pay', 'payWithCard', 'verify', 'cancellationRequest']

/** A sentence for each part that a merchant or a shopper would otherwise be the first to notice. */
export const wrongParts = (parts: {
  readonly service: string
  readonly providers: object
  readonly model?: OrderModel | undefined
}): readonly string[] => {
  const { privacyField } = wireNames(String(parts.service), '')
  const products = [...modelOf(parts).products.keys()]
  const rules = merchantRules([...PERSON_FIELDS, privacyField], products)
  const check = (part: string, { accepts, expected }: SettingRule): readonly string[] => {
    const value = part.split('.').reduce<unknown>(memberOf, parts)
    if (accepts(value)) return []
    const seen = typeof value === 'function' ? value('order', 'token', 'card') : value
    // A secret must not get into a log.
    const printed = part.endsWith('Secret') ? typeof value : JSON.stringify(seen)
    return [`${part} must be ${expected} (got ${printed}).`]
  }
  return [
    ...check('service', SERVICE_RULE),
    ...Object.entries(rules).flatMap(([name, rule]) => check(`merchant.${name}`, rule)),
    ...LINKS.flatMap((name) => check(`links.${name}`, LINK_RULE)),
    ...FUNCTIONS.flatMap((part) => check(part, FUNCTION_RULE)),
    ...('store' in parts ? check('store.step', FUNCTION_RULE) : []),
  ]
}
