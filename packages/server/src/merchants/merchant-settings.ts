// The command line and the console share one table of a merchant's settings and three functions that
// store them, so that both take the same text and refuse it with the same sentence. Contract §7.
import { randomBytes } from 'node:crypto'
import { hashPassword, verifyPassword } from '@plazo/adapters/internal/encryption'
import {
  type Merchant,
  type Merchants,
  merchantRules,
  PERSON_FIELDS,
  PRICED_CURRENCIES,
  type Unavailable,
} from '@plazo/core/internal'
import { SECRET_OVERLAP } from '@plazo/core/signing'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Config } from '../settings/config.ts'
import { isKnownPassword, isKnownSecret } from './known-credentials.ts'

const RULES = merchantRules([])

/** A member of the merchant that is the text itself. */
const textRule = (member: 'ref' | 'name' | 'currency'): Pick<Setting, 'expected' | 'parse'> => ({
  expected: RULES[member].expected,
  parse: (text) => (RULES[member].accepts(text) ? { [member]: text } : null),
})

const parseList = (list: string): readonly string[] => list.match(/[^\s,]+/g) ?? []

/** Says what to use instead of a currency that has no limits and fee of its own. */
export const CURRENCY_ADVICE = `Use one of ${PRICED_CURRENCIES.join(', ')}.`

/** A setting of a merchant: an option of the commands and a field of the console's forms. */
export type Setting = {
  readonly name: string
  readonly option: string
  /** The help of the option, the hint of the field, and what its text must be. */
  readonly expected: string
  /** What the text sets; null if it is wrong. `fields`: those that may be optional. */
  readonly parse: (text: string, fields: readonly string[]) => Partial<Merchant> | null
  /** True for what everybody knows. */
  readonly isKnown?: (text: string) => boolean
  readonly adviceOn?: (text: string, fields: readonly string[]) => string
}

/** In the order of the forms and of the errors. */
export const SETTINGS: readonly Setting[] = [
  { name: 'ref', option: '--ref <ref>', ...textRule('ref') },
  { name: 'name', option: '--name <name>', ...textRule('name') },
  {
    name: 'username',
    option: '--username <username>',
    expected: 'a username without a colon, which several merchants may share',
    parse: (username) => (/^[^:]+$/.test(username) ? { username } : null),
  },
  {
    name: 'password',
    option: '--password [password]',
    expected: 'a password, for the whole account',
    parse: (password) => (password === '' ? null : {}),
    isKnown: isKnownPassword,
  },
  {
    name: 'secret',
    option: '--secret [hex]',
    expected: `${RULES.signatureSecret.expected}, or empty for random ones`,
    parse: (text) => {
      const signatureSecret = text || randomBytes(16).toString('hex')
      return RULES.signatureSecret.accepts(signatureSecret) ? { signatureSecret } : null
    },
    isKnown: isKnownSecret,
  },
  {
    name: 'currency',
    option: '--currency <code>',
    ...textRule('currency'),
    adviceOn: () => CURRENCY_ADVICE,
  },
  {
    name: 'products',
    option: '--products <codes>',
    expected: RULES.products.expected,
    parse: (text) => {
      const products = parseList(text)
      return RULES.products.accepts(products) ? { products } : null
    },
  },
  {
    name: 'country',
    option: '--country <code>',
    expected: RULES.country.expected,
    parse: (text) => {
      const country = text || null
      return RULES.country.accepts(country) ? { country } : null
    },
  },
  {
    name: 'optional_fields',
    option: '--optional-fields <names>',
    expected: RULES.optionalFields.expected,
    parse: (text, fields) => {
      const optionalFields = parseList(text)
      return merchantRules(fields).optionalFields.accepts(optionalFields)
        ? { optionalFields }
        : null
    },
    adviceOn: (_, fields) => `Use ${fields.join(', ')}, or "" for none.`,
  },
  {
    name: 'send_action_events',
    option: '--send-action-events',
    expected: 'on, to send an event for each step of a shopper',
    parse: (text) => ({ sendActionEvents: text === 'on' }),
  },
]

/** True if a merchant must have the setting: an empty text is wrong. */
export const isRequired = ({ parse }: Setting): boolean => parse('', []) === null

/** The settings that a merchant can change. A secret is rotated instead. */
export const CHANGEABLE_SETTINGS = SETTINGS.filter(
  ({ name }) => !['ref', 'username', 'secret'].includes(name),
)

/** The given settings by name, as text. */
export type MerchantSettings = Readonly<Record<string, string>>

/** Nothing was stored. `errors`: each follows its setting’s name or option. */
export type SettingsRefused = {
  readonly _tag: 'SettingsRefused'
  readonly errors: Readonly<Record<string, string>>
}

type Parts = { readonly merchants: Merchants; readonly config: Pick<Config, 'names' | 'policy'> }

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

/** Refuses the settings if one of them is wrong. */
export const parseSettings = (
  settings: MerchantSettings,
  { names, policy }: Parts['config'],
): E.Either<SettingsRefused, Partial<Merchant>> => {
  const fields = [...PERSON_FIELDS, names.privacyField]
  let parsed: Partial<Merchant> = {}
  const errors: Record<string, string> = {}
  for (const { name, expected, parse, isKnown, adviceOn } of SETTINGS) {
    const text = settings[name]
    if (text === undefined) continue
    const part = parse(text, fields)
    const advice = adviceOn?.(text, fields) ?? ''
    if (policy.refusesKnownCredentials && isKnown?.(text))
      errors[name] =
        'is the sandbox’s, which everybody knows. MODE=production requires another one.'
    else if (part === null)
      errors[name] = `must be ${expected} (got ${JSON.stringify(text)}). ${advice}`.trimEnd()
    else parsed = { ...parsed, ...part }
  }
  return Object.keys(errors).length > 0
    ? E.left({ _tag: 'SettingsRefused', errors })
    : E.right(parsed)
}

/** What the stores refuse. A merchant is found before they are changed. */
const REFUSALS = {
  MerchantExists: { ref: 'is the reference of another merchant that already exists.' },
  AccountDiffers: { password: 'is wrong for the account, which another merchant already uses.' },
  MerchantNotFound: { ref: 'belongs to no merchant.' },
  SecretUnchanged: { secret: 'is already the current secret. Nothing was rotated.' },
}

type StoreRefusal = { readonly _tag: keyof typeof REFUSALS }

const refuseOrFail = (error: StoreRefusal | Unavailable): SettingsRefused | Unavailable =>
  error._tag === 'Unavailable' ? error : { _tag: 'SettingsRefused', errors: REFUSALS[error._tag] }

/** A new merchant has every setting. One that is not given is as wrong as an empty one. */
const NO_SETTINGS: MerchantSettings = Object.fromEntries(SETTINGS.map(({ name }) => [name, '']))

export const addMerchant =
  (
    { merchants, config }: Parts,
    settings: MerchantSettings,
  ): TE.TaskEither<SettingsRefused | Unavailable, Merchant> =>
  async () => {
    const parsed = parseSettings({ ...NO_SETTINGS, ...settings }, config)
    if (E.isLeft(parsed)) return parsed
    const { username = '', password = '' } = settings
    const account = await merchants.ofAccount(username)()
    if (E.isLeft(account)) return account
    // Merchants of one username are one account, with one password.
    const [sibling] = account.right
    if (sibling !== undefined && !(await verifyPassword(password, sibling.passwordHash)))
      return E.left(refuseOrFail({ _tag: 'AccountDiffers' }))
    const passwordHash = sibling?.passwordHash ?? (await hashPassword(password))
    // Each setting sets a member, and all were given.
    const merchant = { ...parsed.right, passwordHash } as Merchant
    return pipe(
      merchants.add(merchant),
      TE.bimap(refuseOrFail, () => merchant),
    )()
  }

/** Changes the given settings, and the password of the whole account if it is one of them. */
export const changeMerchant =
  (
    { merchants, config }: Parts,
    ref: string,
    settings: MerchantSettings,
  ): TE.TaskEither<SettingsRefused | Unavailable, Merchant> =>
  async () => {
    const parsed = parseSettings(settings, config)
    if (E.isLeft(parsed)) return parsed
    const { password } = settings
    const change = {
      ...parsed.right,
      ...(password !== undefined && { passwordHash: await hashPassword(password) }),
    }
    return TE.mapLeft(refuseOrFail)(merchants.change(ref, change))()
  }

/**
 * Gives a merchant another secret, a random one by default, and returns it. In production a known one
 * no longer signs. `at`: domain time.
 */
export const replaceSecret =
  (
    { merchants, config }: Parts,
    ref: string,
    settings: MerchantSettings,
    at: number,
  ): TE.TaskEither<SettingsRefused | Unavailable, string> =>
  async () => {
    const parsed = parseSettings({ secret: '', ...settings }, config)
    if (E.isLeft(parsed)) return parsed
    const { signatureSecret: secret = '' } = parsed.right
    const live = await merchants.liveSecrets(ref, at)()
    if (E.isLeft(live)) return live
    const publicSecret = config.policy.refusesKnownCredentials && live.right.find(isKnownSecret)
    // Only the current secret can be replaced, and one that was replaced a day ago has ended.
    return pipe(
      publicSecret && publicSecret !== live.right[0]
        ? merchants.rotateSecret(ref, publicSecret, at)
        : TE.of(undefined),
      TE.chainW(() => merchants.rotateSecret(ref, secret, publicSecret ? at - SECRET_OVERLAP : at)),
      TE.bimap(refuseOrFail, () => secret),
    )()
  }
