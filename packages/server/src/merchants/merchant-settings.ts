// The command line and the console share these rules for a merchant's settings: each setting, and what it must be.
import { CATALOGUE, type Merchant, PERSON_FIELDS, type WireNames } from '@plazo/core'

/** The settings as they were typed. Lists are comma-separated. */
export type MerchantSettings = {
  readonly ref: string
  readonly name: string
  readonly username: string
  readonly password: string
  readonly secret: string
  readonly currency: string
  readonly products: string
  readonly country: string
  readonly optionalFields: string
}

type SettingRule = { readonly isValid: (given: string) => boolean; readonly expected: string; readonly isSecret?: true }

const CODES = CATALOGUE.map(({ code }) => code)

export const parseList = (given: string): readonly string[] =>
  given
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

const hasNoRepeats = (list: readonly string[]): boolean => list.length > 0 && new Set(list).size === list.length

const settingRules = ({ privacyField }: WireNames): { readonly [setting in keyof MerchantSettings]: SettingRule } => {
  const fields: readonly string[] = [...PERSON_FIELDS, privacyField]
  return {
    ref: {
      isValid: (given) => /^(?!\.{1,2}$)[\w.-]{1,64}$/.test(given),
      expected: 'up to 64 letters, digits, dots, - and _',
    },
    name: { isValid: (given) => given.trim() !== '', expected: 'a name' },
    username: { isValid: (given) => given !== '' && !given.includes(':'), expected: 'a username without a colon' },
    password: { isValid: (given) => given !== '', expected: 'a password', isSecret: true },
    secret: { isValid: (given) => /^[0-9a-f]{32}$/i.test(given), expected: '32 hex digits' },
    currency: {
      isValid: (given) => Intl.supportedValuesOf('currency').includes(given),
      expected: 'a currency code like EUR',
    },
    products: {
      isValid: (given) => hasNoRepeats(parseList(given)) && parseList(given).every((code) => CODES.includes(code)),
      expected: `a list of ${CODES.join(', ')}, each once at most`,
    },
    country: { isValid: (given) => /^[A-Z]{2}$/.test(given), expected: 'a country code like ES' },
    optionalFields: {
      isValid: (given) => parseList(given).every((field) => fields.includes(field)),
      expected: `a list of ${fields.join(', ')}, or "" for none`,
    },
  }
}

/** One sentence for each given setting that is wrong. `nameOf`: the setting's name where it was typed. */
export const invalidSettings = (
  settings: Partial<MerchantSettings>,
  names: WireNames,
  nameOf: (setting: keyof MerchantSettings) => string,
): readonly string[] =>
  Object.entries(settingRules(names)).flatMap(([setting, { isValid, expected, isSecret }]) => {
    const name = setting as keyof MerchantSettings
    const given = settings[name]
    if (given === undefined || isValid(given)) return []
    return [`${nameOf(name)} must be ${expected} (got ${isSecret ? '"…"' : JSON.stringify(given)}).`]
  })

/** A merchant as an operator sees them: everything but the password. */
export const merchantView = ({
  ref,
  name,
  username,
  signatureSecret,
  currency,
  country,
  products,
  optionalFields,
  sendActionEvents,
}: Merchant) => ({
  ref,
  name,
  username,
  signature_secret: signatureSecret,
  country,
  currency,
  products,
  optional_fields: optionalFields,
  options: { send_action_events_in_identification: sendActionEvents },
})
