// The command line and the console share these rules for a merchant's settings: each setting, what it must be, and how a
// merchant is added. Contract §7.
import { randomBytes } from 'node:crypto'
import { hashPassword, verifyPassword } from '@plazo/adapters/encryption'
import { CATALOGUE, type Merchant, type Merchants, PERSON_FIELDS, type Unavailable, type WireNames } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

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
  (given: NewMerchant): TaskEither<AddMerchantRefusal | Unavailable, Merchant> =>
  async () => {
    const invalid = invalidSettings(given, names, nameOf)
    if (invalid.length > 0) return refuse(...invalid)
    const account = await merchants.ofAccount(given.username)()
    if (E.isLeft(account)) return account
    // Merchants of one username are one account, with one password.
    const [sibling] = account.right
    if (sibling !== undefined && !(await verifyPassword(given.password, sibling.passwordHash)))
      return refuse(
        `${nameOf('password')} is wrong for the account ${given.username}, which merchant ${sibling.ref} already uses.`,
      )
    const merchant: Merchant = {
      ref: given.ref,
      name: given.name,
      username: given.username,
      passwordHash: sibling?.passwordHash ?? (await hashPassword(given.password)),
      signatureSecret: given.secret ?? createSecret(),
      country: given.country ?? null,
      currency: given.currency,
      products: parseList(given.products),
      optionalFields: parseList(given.optionalFields ?? ''),
      sendActionEvents: given.sendActionEvents,
    }
    const added = await merchants.add(merchant)()
    if (E.isRight(added)) return E.right(merchant)
    switch (added.left._tag) {
      case 'Unavailable':
        return E.left(added.left)
      case 'MerchantExists':
        return refuse(`${nameOf('ref')} is "${given.ref}", but a merchant with that reference already exists.`)
      case 'AccountDiffers':
        return refuse(`${nameOf('username')} is "${given.username}", but that account has another password.`)
    }
  }
