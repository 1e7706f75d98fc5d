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

type Wanted = { readonly is: (given: string) => boolean; readonly wanted: string; readonly isSecret?: true }

const CODES = CATALOGUE.map(({ code }) => code)

export const commaList = (given: string): readonly string[] =>
  given
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

const isOnce = (list: readonly string[]): boolean => list.length > 0 && new Set(list).size === list.length

const wantedOf = ({ privacyField }: WireNames): { readonly [setting in keyof MerchantSettings]: Wanted } => {
  const fields: readonly string[] = [...PERSON_FIELDS, privacyField]
  return {
    ref: {
      is: (given) => /^(?!\.{1,2}$)[\w.-]{1,64}$/.test(given),
      wanted: 'up to 64 letters, digits, _, -, and dots',
    },
    name: { is: (given) => given.trim() !== '', wanted: 'a name' },
    username: { is: (given) => given !== '' && !given.includes(':'), wanted: 'a username without a colon' },
    password: { is: (given) => given !== '', wanted: 'a password', isSecret: true },
    secret: { is: (given) => /^[0-9a-f]{32}$/i.test(given), wanted: '32 hex digits' },
    currency: { is: (given) => Intl.supportedValuesOf('currency').includes(given), wanted: 'a currency code like EUR' },
    products: {
      is: (given) => isOnce(commaList(given)) && commaList(given).every((code) => CODES.includes(code)),
      wanted: `a list of ${CODES.join(', ')}, each once at most`,
    },
    country: { is: (given) => /^[A-Z]{2}$/.test(given), wanted: 'a country code like ES' },
    optionalFields: {
      is: (given) => commaList(given).every((field) => fields.includes(field)),
      wanted: `a list of ${fields.join(', ')}, or "" for none`,
    },
  }
}

/** One sentence for each given setting that is wrong. `nameOf`: the setting's name where it was typed. */
export const wrongSettings = (
  settings: Partial<MerchantSettings>,
  names: WireNames,
  nameOf: (setting: keyof MerchantSettings) => string,
): readonly string[] =>
  Object.entries(wantedOf(names)).flatMap(([setting, { is, wanted, isSecret }]) => {
    const name = setting as keyof MerchantSettings
    const given = settings[name]
    if (given === undefined || is(given)) return []
    return [`${nameOf(name)} must be ${wanted} (got ${isSecret ? '"…"' : JSON.stringify(given)}).`]
  })

/** A merchant as an operator sees them: everything but the password. */
export const shownMerchant = ({
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
