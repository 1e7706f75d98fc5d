// The command line and the console share these rules for a merchant's settings: each setting, what
// it must be, and how a merchant is added. Contract §7.
import { randomBytes } from 'node:crypto'
import { hashPassword, verifyPassword } from '@plazo/adapters/encryption'
import type { WireNames } from '@plazo/core'
import type {
  Merchant,
  MerchantChange,
  MerchantNotFound,
  Merchants,
  Unavailable,
} from '@plazo/core/ports'
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
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Config } from '../settings/config.ts'
import {
  isWellKnownPassword,
  isWellKnownSecret,
  KNOWN_VALUE_REFUSAL,
  rotateSecret,
} from './known-credentials.ts'

const CODES = CATALOGUE.map(({ code }) => code)

export const parseList = (list: string): readonly string[] =>
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

/** The fields of the shopper’s form that a merchant may make optional. */
export const possibleFields = ({ privacyField }: WireNames): readonly string[] => [
  ...PERSON_FIELDS,
  privacyField,
]

const settingRules = (names: WireNames) => {
  const fields = possibleFields(names)
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

export type SettingName = keyof ReturnType<typeof settingRules>

/**
 * The given settings, as they are typed into the console's form. Lists are comma-separated. Null:
 * no country.
 */
export type MerchantSettings = { readonly [name in Exclude<SettingName, 'country'>]?: string } & {
  readonly country?: string | null
  readonly sendActionEvents?: boolean
}

/** What is wrong with each setting, as it follows the setting's name. */
export type SettingErrors = { readonly [name in SettingName]?: string }

type SettingTerms = Pick<Config, 'names' | 'policy'>

const isWellKnown: { readonly [setting in SettingName]?: (value: string) => boolean } = {
  password: isWellKnownPassword,
  secret: isWellKnownSecret,
}

const settingErrors = (
  settings: MerchantSettings,
  { names, policy }: SettingTerms,
): SettingErrors =>
  Object.fromEntries(
    Object.entries(settingRules(names)).flatMap(
      ([setting, { isValid, expected, isSecret, adviceOn }]) => {
        const name = setting as SettingName
        const value = settings[name] ?? null
        if (value === null) return []
        if (policy.refusesKnownCredentials && isWellKnown[name]?.(value))
          return [[name, KNOWN_VALUE_REFUSAL]]
        if (isValid(value)) return []
        const text = isSecret ? '"…"' : JSON.stringify(value)
        return [[name, `must be ${expected} (got ${text}). ${adviceOn(value)}`.trimEnd()]]
      },
    ),
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
const changeOf = (settings: MerchantSettings): Omit<MerchantChange, 'passwordHash'> => {
  const { ref, username, password, secret, products, optional_fields, ...others } = settings
  return {
    ...others,
    ...(products !== undefined && { products: parseList(products) }),
    ...(optional_fields !== undefined && { optionalFields: parseList(optional_fields) }),
  }
}

const NO_SETTINGS = {
  ...{ name: '', country: null, currency: '', products: [], optionalFields: [] },
  sendActionEvents: false,
}

/** A new merchant has all of these settings. One that is not given is as wrong as an empty one. */
const REQUIRED = { ref: '', name: '', username: '', password: '', currency: '', products: '' }

/** Nothing was stored. */
export type SettingsRefused = { readonly _tag: 'SettingsRefused'; readonly errors: SettingErrors }

type SettingsParts = { readonly merchants: Merchants; readonly terms: SettingTerms }

const refuse = (errors: SettingErrors): E.Either<SettingsRefused, never> =>
  E.left({ _tag: 'SettingsRefused', errors })

/** Refuses settings of which one is wrong. */
export const checkSettings = <S extends MerchantSettings>(
  settings: S,
  terms: SettingTerms,
): E.Either<SettingsRefused, S> => {
  const errors = settingErrors(settings, terms)
  return Object.keys(errors).length > 0 ? refuse(errors) : E.right(settings)
}

const createSecret = (): string => randomBytes(16).toString('hex')

export const addMerchant =
  ({ merchants, terms }: SettingsParts) =>
  (settings: MerchantSettings): TE.TaskEither<SettingsRefused | Unavailable, Merchant> =>
  async () => {
    const checked = checkSettings({ ...REQUIRED, ...settings }, terms)
    if (E.isLeft(checked)) return checked
    const { ref, username, password, secret = createSecret() } = checked.right
    const account = await merchants.ofAccount(username)()
    if (E.isLeft(account)) return account
    // Merchants of one username are one account, with one password.
    const [sibling] = account.right
    if (sibling !== undefined && !(await verifyPassword(password, sibling.passwordHash)))
      return refuse({
        password: `is wrong for the account ${username}, which merchant ${sibling.ref} already uses.`,
      })
    const merchant: Merchant = {
      ...NO_SETTINGS,
      ...changeOf(checked.right),
      ...{ ref, username, signatureSecret: secret },
      passwordHash: sibling?.passwordHash ?? (await hashPassword(password)),
    }
    const added = await merchants.add(merchant)()
    if (E.isRight(added)) return E.right(merchant)
    if (added.left._tag === 'Unavailable') return E.left(added.left)
    return added.left._tag === 'MerchantExists'
      ? refuse({ ref: `is "${ref}", but a merchant with that reference already exists.` })
      : refuse({ username: `is "${username}", but that account has another password.` })
  }

/** Changes the given settings, and the password of the whole account if it is one of them. */
export const changeMerchant =
  ({ merchants, terms }: SettingsParts) =>
  (
    ref: string,
    settings: MerchantSettings,
  ): TE.TaskEither<SettingsRefused | MerchantNotFound | Unavailable, Merchant> =>
  async () => {
    const checked = checkSettings(settings, terms)
    if (E.isLeft(checked)) return checked
    const { password } = settings
    return merchants.change(ref, {
      ...changeOf(settings),
      ...(password !== undefined && { passwordHash: await hashPassword(password) }),
    })()
  }

/**
 * Gives a merchant another secret, a random one by default. Returns it, and until when the former
 * one also signs. `at`: domain time.
 */
export const replaceSecret =
  ({ merchants, terms }: SettingsParts) =>
  (ref: string, { secret = createSecret() }: Pick<MerchantSettings, 'secret'>, at: number) =>
    pipe(
      TE.fromEither(checkSettings({ secret }, terms)),
      TE.chainW(() =>
        rotateSecret(merchants, terms.policy.refusesKnownCredentials)(ref, secret, at),
      ),
      TE.map((formerSignsUntil) => ({ secret, formerSignsUntil })),
      TE.orElseW((error) =>
        TE.fromEither(
          error._tag === 'SecretUnchanged'
            ? refuse({ secret: 'is already the current secret. Nothing was rotated.' })
            : E.left(error),
        ),
      ),
    )
