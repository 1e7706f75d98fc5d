// The command line and the console share these rules for a merchant's settings: each setting, what
// it must be, and how a merchant is added. Contract §7.
import { randomBytes } from 'node:crypto'
import { hashPassword, verifyPassword } from '@plazo/adapters/encryption'
import type { WireNames } from '@plazo/core'
import type { Merchant, MerchantChange, Merchants, Unavailable } from '@plazo/core/ports'
import {
  CATALOGUE,
  isCountry,
  isCurrency,
  isSeen,
  PERSON_FIELDS,
  PRICED_CURRENCIES,
  suggestCountry,
  suggestCurrency,
} from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Config } from '../settings/config.ts'
import { isWellKnownPassword, isWellKnownSecret, KNOWN_VALUE_REFUSAL } from './known-credentials.ts'

const CODES = CATALOGUE.map(({ code }) => code)

const parseList = (list: string): readonly string[] =>
  list
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

const hasNoRepeats = (list: readonly string[]): boolean =>
  list.length > 0 && new Set(list).size === list.length

const rule = (expected: string, isValid: (value: string) => boolean, isSecret = false) => ({
  expected,
  isValid,
  isSecret,
  adviceOn: (_value: string): string => '',
})

/** Says what to use instead of a code that ISO 3166 does not assign. */
export const countryAdvice = (value: string): string => {
  const code = suggestCountry(value)
  return code === null ? 'ISO 3166 assigns it to no country.' : `Use ${code}.`
}

/** Says what to use instead of a currency that has no limits and fee of its own. */
export const currencyAdvice = (value: string): string => {
  const code = suggestCurrency(value)
  if (code === null) return `ISO 4217 does not list it. Use one of ${PRICED_CURRENCIES.join(', ')}.`
  if (PRICED_CURRENCIES.includes(code)) return `Use ${code}.`
  const name = isCurrency(value) ? '' : `ISO 4217 calls it ${code}. `
  return `${name}plazo has no limits and fee for ${code}, only for ${PRICED_CURRENCIES.join(', ')}.`
}

const settingRules = ({ privacyField }: WireNames) => {
  const fields: readonly string[] = [...PERSON_FIELDS, privacyField]
  return {
    ref: rule('up to 64 letters, digits, dots, - and _', (value) =>
      /^(?!\.{1,2}$)[\w.-]{1,64}$/.test(value),
    ),
    name: rule('a name', isSeen),
    username: rule('a username without a colon', (value) => value !== '' && !value.includes(':')),
    password: rule('a password', (value) => value !== '', true),
    secret: rule('32 hex digits', (value) => /^[0-9a-f]{32}$/i.test(value)),
    currency: {
      ...rule('a currency code like EUR', (value) => PRICED_CURRENCIES.includes(value)),
      adviceOn: currencyAdvice,
    },
    products: rule(
      `a list of ${CODES.join(', ')}, each once at most`,
      (value) =>
        hasNoRepeats(parseList(value)) && parseList(value).every((code) => CODES.includes(code)),
    ),
    country: { ...rule('a country code like ES', isCountry), adviceOn: countryAdvice },
    optional_fields: rule(`a list of ${fields.join(', ')}, or "" for none`, (value) =>
      parseList(value).every((field) => fields.includes(field)),
    ),
  }
}

type SettingName = keyof ReturnType<typeof settingRules>

/** The given settings, as they are typed into the console's form. Lists are comma-separated. */
export type MerchantSettings = { readonly [name in SettingName]?: string } & {
  readonly sendActionEvents?: boolean
}

/** A setting's name where it is typed. By default the name in the console's form. */
type NameOf = (setting: SettingName) => string
const formName: NameOf = (setting) => setting

type SettingTerms = Pick<Config, 'names' | 'policy'>

const isWellKnown: { readonly [setting in SettingName]?: (value: string) => boolean } = {
  password: isWellKnownPassword,
  secret: isWellKnownSecret,
}

/** One sentence for each given setting that is wrong. */
export const invalidSettings = (
  settings: MerchantSettings,
  { names, policy }: SettingTerms,
  nameOf = formName,
): readonly string[] =>
  Object.entries(settingRules(names)).flatMap(
    ([setting, { isValid, expected, isSecret, adviceOn }]) => {
      const name = setting as SettingName
      const value = settings[name]
      if (value === undefined) return []
      if (policy.refusesKnownCredentials && isWellKnown[name]?.(value))
        return [`${nameOf(name)} ${KNOWN_VALUE_REFUSAL}`]
      if (isValid(value)) return []
      const text = isSecret ? '"…"' : JSON.stringify(value)
      return [`${nameOf(name)} must be ${expected} (got ${text}). ${adviceOn(value)}`.trimEnd()]
    },
  )

/** A merchant as an operator sees them: everything but the password. */
export const merchantView = (merchant: Merchant) => ({
  ref: merchant.ref,
  name: merchant.name,
  username: merchant.username,
  signature_secret: merchant.signatureSecret,
  country: merchant.country,
  currency: merchant.currency,
  products: merchant.products,
  optional_fields: merchant.optionalFields,
  options: { send_action_events_in_identification: merchant.sendActionEvents },
})

/** What the given settings, which are valid, change. */
export const changeOf = (settings: MerchantSettings): Omit<MerchantChange, 'passwordHash'> => {
  const { name, country, currency, products, optional_fields, sendActionEvents } = settings
  return {
    ...(name !== undefined && { name }),
    ...(country !== undefined && { country }),
    ...(currency !== undefined && { currency }),
    ...(products !== undefined && { products: parseList(products) }),
    ...(optional_fields !== undefined && { optionalFields: parseList(optional_fields) }),
    ...(sendActionEvents !== undefined && { sendActionEvents }),
  }
}

const NO_SETTINGS = {
  ...{ name: '', country: null, currency: '', products: [], optionalFields: [] },
  sendActionEvents: false,
}

/** A new merchant has all of these settings. One that is not given is as wrong as an empty one. */
const REQUIRED = { ref: '', name: '', username: '', password: '', currency: '', products: '' }

/** One sentence for each thing that is wrong. */
type AddMerchantRefusal = { readonly _tag: 'Refused'; readonly sentences: readonly string[] }

type AddMerchantParts = {
  readonly merchants: Merchants
  readonly terms: SettingTerms
  readonly nameOf?: NameOf
}

const refuse = (...sentences: readonly string[]): E.Either<AddMerchantRefusal, never> =>
  E.left({ _tag: 'Refused', sentences })

export const createSecret = (): string => randomBytes(16).toString('hex')

export const addMerchant =
  ({ merchants, terms, nameOf = formName }: AddMerchantParts) =>
  (settings: MerchantSettings): TaskEither<AddMerchantRefusal | Unavailable, Merchant> =>
  async () => {
    const all = { ...REQUIRED, ...settings }
    const { ref, username, password, secret = createSecret() } = all
    const invalid = invalidSettings(all, terms, nameOf)
    if (invalid.length > 0) return refuse(...invalid)
    const account = await merchants.ofAccount(username)()
    if (E.isLeft(account)) return account
    // Merchants of one username are one account, with one password.
    const [sibling] = account.right
    if (sibling !== undefined && !(await verifyPassword(password, sibling.passwordHash)))
      return refuse(
        `${nameOf('password')} is wrong for the account ${username}, which merchant ${sibling.ref} already uses.`,
      )
    const merchant: Merchant = {
      ...NO_SETTINGS,
      ...changeOf(all),
      ...{ ref, username, signatureSecret: secret },
      passwordHash: sibling?.passwordHash ?? (await hashPassword(password)),
    }
    const added = await merchants.add(merchant)()
    if (E.isRight(added)) return E.right(merchant)
    switch (added.left._tag) {
      case 'Unavailable':
        return E.left(added.left)
      case 'MerchantExists':
        return refuse(
          `${nameOf('ref')} is "${ref}", but a merchant with that reference already exists.`,
        )
      case 'AccountDiffers':
        return refuse(
          `${nameOf('username')} is "${username}", but that account has another password.`,
        )
    }
  }
