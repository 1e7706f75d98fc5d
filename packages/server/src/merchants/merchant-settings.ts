// The command line and the console share these rules for a merchant's settings: each setting, what it must be, and how a
// merchant is added. Contract §7.
import { randomBytes } from 'node:crypto'
import { hashPassword, verifyPassword } from '@plazo/adapters/encryption'
import { CATALOGUE, type Merchant, type Merchants, PERSON_FIELDS, type Unavailable, type WireNames } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

const CODES = CATALOGUE.map(({ code }) => code)

export const parseList = (list: string): readonly string[] =>
  list
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

const hasNoRepeats = (list: readonly string[]): boolean => list.length > 0 && new Set(list).size === list.length

const rule = (expected: string, isValid: (value: string) => boolean, isSecret = false) => ({
  expected,
  isValid,
  isSecret,
})

const settingRules = ({ privacyField }: WireNames) => {
  const fields: readonly string[] = [...PERSON_FIELDS, privacyField]
  return {
    ref: rule('up to 64 letters, digits, dots, - and _', (value) => /^(?!\.{1,2}$)[\w.-]{1,64}$/.test(value)),
    name: rule('a name', (value) => value.trim() !== ''),
    username: rule('a username without a colon', (value) => value !== '' && !value.includes(':')),
    password: rule('a password', (value) => value !== '', true),
    secret: rule('32 hex digits', (value) => /^[0-9a-f]{32}$/i.test(value)),
    currency: rule('a currency code like EUR', (value) => Intl.supportedValuesOf('currency').includes(value)),
    products: rule(
      `a list of ${CODES.join(', ')}, each once at most`,
      (value) => hasNoRepeats(parseList(value)) && parseList(value).every((code) => CODES.includes(code)),
    ),
    country: rule('a country code like ES', (value) => /^[A-Z]{2}$/.test(value)),
    optionalFields: rule(`a list of ${fields.join(', ')}, or "" for none`, (value) =>
      parseList(value).every((field) => fields.includes(field)),
    ),
  }
}

/** The settings as they were typed. Lists are comma-separated. */
export type MerchantSettings = Readonly<Record<keyof ReturnType<typeof settingRules>, string>>

/** One sentence for each given setting that is wrong. `nameOf`: the setting's name where it was typed. */
export const invalidSettings = (
  settings: Partial<MerchantSettings>,
  names: WireNames,
  nameOf: (setting: keyof MerchantSettings) => string,
): readonly string[] =>
  Object.entries(settingRules(names)).flatMap(([setting, { isValid, expected, isSecret }]) => {
    const name = setting as keyof MerchantSettings
    const value = settings[name]
    if (value === undefined || isValid(value)) return []
    return [`${nameOf(name)} must be ${expected} (got ${isSecret ? '"…"' : JSON.stringify(value)}).`]
  })

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

export type NewMerchant = Pick<MerchantSettings, 'ref' | 'name' | 'username' | 'password' | 'currency' | 'products'> &
  Partial<Pick<MerchantSettings, 'secret' | 'country' | 'optionalFields'>> & { readonly sendActionEvents: boolean }

/** One sentence for each thing that is wrong. */
type AddMerchantRefusal = { readonly _tag: 'Refused'; readonly sentences: readonly string[] }

type AddMerchantParts = {
  readonly merchants: Merchants
  readonly names: WireNames
  readonly nameOf: (setting: keyof MerchantSettings) => string
}

const refuse = (...sentences: readonly string[]): E.Either<AddMerchantRefusal, never> =>
  E.left({ _tag: 'Refused', sentences })

export const createSecret = (): string => randomBytes(16).toString('hex')

export const addMerchant =
  ({ merchants, names, nameOf }: AddMerchantParts) =>
  (newMerchant: NewMerchant): TaskEither<AddMerchantRefusal | Unavailable, Merchant> =>
  async () => {
    const invalid = invalidSettings(newMerchant, names, nameOf)
    if (invalid.length > 0) return refuse(...invalid)
    const account = await merchants.ofAccount(newMerchant.username)()
    if (E.isLeft(account)) return account
    // Merchants of one username are one account, with one password.
    const [sibling] = account.right
    if (sibling !== undefined && !(await verifyPassword(newMerchant.password, sibling.passwordHash)))
      return refuse(
        `${nameOf('password')} is wrong for the account ${newMerchant.username}, which merchant ${sibling.ref} already uses.`,
      )
    const merchant: Merchant = {
      ref: newMerchant.ref,
      name: newMerchant.name,
      username: newMerchant.username,
      passwordHash: sibling?.passwordHash ?? (await hashPassword(newMerchant.password)),
      signatureSecret: newMerchant.secret ?? createSecret(),
      country: newMerchant.country ?? null,
      currency: newMerchant.currency,
      products: parseList(newMerchant.products),
      optionalFields: parseList(newMerchant.optionalFields ?? ''),
      sendActionEvents: newMerchant.sendActionEvents,
    }
    const added = await merchants.add(merchant)()
    if (E.isRight(added)) return E.right(merchant)
    switch (added.left._tag) {
      case 'Unavailable':
        return E.left(added.left)
      case 'MerchantExists':
        return refuse(`${nameOf('ref')} is "${newMerchant.ref}", but a merchant with that reference already exists.`)
      case 'AccountDiffers':
        return refuse(`${nameOf('username')} is "${newMerchant.username}", but that account has another password.`)
    }
  }
