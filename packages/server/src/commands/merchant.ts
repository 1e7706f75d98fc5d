// `plazo merchant`: manages the merchants of this database. A running server sees every change immediately.
import { hashPassword } from '@plazo/adapters/encryption'
import { CATALOGUE, type MerchantChange, PRICED_CURRENCIES } from '@plazo/core'
import { SECRET_OVERLAP } from '@plazo/core/signing'
import {
  addMerchant,
  createSecret,
  invalidSettings,
  type MerchantSettings,
  merchantView,
  type NewMerchant,
  parseList,
} from '../merchants/merchant-settings.ts'
import { type Json, merchantNotFound, PlazoCommand, withNewStorage, withStorage } from './command.ts'
import { refuse, say, sayList, valueOrRefuse } from './terminal.ts'

type AddOptions = Json & Omit<NewMerchant, 'sendActionEvents'> & { readonly sendActionEvents?: boolean }

/** The option as it is typed. */
const optionName = (setting: keyof MerchantSettings): string =>
  `--${setting === 'optionalFields' ? 'optional-fields' : setting}`

/** `plazo merchant add`: adds a merchant under a new account or an existing one. Contract §7. */
const add = withNewStorage(
  async ({ merchants, config }, { json, sendActionEvents = false, ...options }: AddOptions) => {
    const added = await valueOrRefuse(
      addMerchant({ merchants, names: config.names, nameOf: optionName })({ ...options, sendActionEvents }),
      { Refused: ({ sentences }) => sentences },
    )
    if (json) return say(JSON.stringify(merchantView(added)))
    say(`Merchant ${added.ref} is added. Its signing secret is ${added.signatureSecret}.`)
  },
)

type SetOptions = Json &
  Pick<NewMerchant, 'ref'> &
  Partial<Omit<NewMerchant, 'ref' | 'username' | 'secret' | 'country'>> & {
    /** False: the merchant has no country from now on. */
    readonly country?: string | false
  }

const changeOf = async (options: SetOptions): Promise<MerchantChange> => ({
  ...(options.name !== undefined && { name: options.name }),
  ...(options.country !== undefined && { country: options.country || null }),
  ...(options.currency !== undefined && { currency: options.currency }),
  ...(options.products !== undefined && { products: parseList(options.products) }),
  ...(options.optionalFields !== undefined && { optionalFields: parseList(options.optionalFields) }),
  ...(options.sendActionEvents !== undefined && { sendActionEvents: options.sendActionEvents }),
  ...(options.password !== undefined && { passwordHash: await hashPassword(options.password) }),
})

const WORDS: { readonly [member in keyof Required<MerchantChange>]: string } = {
  name: 'name',
  country: 'country',
  currency: 'currency',
  products: 'products',
  optionalFields: 'optional fields',
  sendActionEvents: 'action events',
  passwordHash: 'password (of the whole account)',
}

/** `plazo merchant set`: changes the given settings of a merchant and keeps the others. Contract §7. */
const set = withStorage(async ({ merchants, config }, { ref, json, ...options }: SetOptions) => {
  const { country, ...others } = options
  const settings = { ...others, ...(typeof country === 'string' && { country }) }
  const invalid = invalidSettings(settings, config.names, optionName)
  if (invalid.length > 0) refuse(...invalid)
  const change = await changeOf({ ref, ...options })
  const words = (Object.keys(change) as (keyof MerchantChange)[]).map((member) => WORDS[member])
  if (words.length === 0) refuse('No change was given. `plazo merchant set --help` lists the options.')
  const changed = await valueOrRefuse(merchants.change(ref, change), {
    MerchantNotFound: () => merchantNotFound('--ref', ref),
  })
  if (json) return say(JSON.stringify(merchantView(changed)))
  say(`Merchant ${ref} is changed: ${words.join(', ')}. Existing orders keep the former settings.`)
})

const list = withStorage(async ({ merchants }, { json }: Json) => {
  const all = await valueOrRefuse(merchants.list())
  if (json) return say(JSON.stringify(all.map(merchantView)))
  sayList(
    ['ref', 'name', 'username', 'currency', 'country', 'products', 'options'],
    all.map(({ ref, name, username, currency, country, products, sendActionEvents }) => [
      ref,
      name,
      username,
      currency,
      country,
      products.join(','),
      sendActionEvents ? 'action events' : null,
    ]),
    'No merchants yet. Add one with `plazo merchant add`.',
  )
})

const show = withStorage(async ({ merchants }, { ref, json }: Json & { readonly ref: string }) => {
  const merchant = (await valueOrRefuse(merchants.find(ref))) ?? refuse(merchantNotFound('--ref', ref))
  if (json) return say(JSON.stringify(merchantView(merchant)))
  say(
    [
      ['ref', merchant.ref],
      ['name', merchant.name],
      ['username', merchant.username],
      ['secret', merchant.signatureSecret],
      ['country', merchant.country ?? 'none'],
      ['currency', merchant.currency],
      ['products', merchant.products.join(', ')],
      ['optional fields', merchant.optionalFields.join(', ') || 'none'],
      ['action events', merchant.sendActionEvents ? 'pushed' : 'not pushed'],
    ]
      .map(([name = '', value = '']) => `${name.padEnd(17)}${value}`)
      .join('\n'),
  )
})

type RotateOptions = Json & { readonly ref: string; readonly secret?: string }

const rotateSecret = withStorage(async (storage, { ref, secret = createSecret(), json }: RotateOptions) => {
  const invalid = invalidSettings({ secret }, storage.config.names, optionName)
  if (invalid.length > 0) refuse(...invalid)
  const at = storage.serviceClock.now()
  await valueOrRefuse(storage.merchants.rotateSecret(ref, secret, at), {
    MerchantNotFound: () => merchantNotFound('--ref', ref),
    SecretUnchanged: () => '--secret is already the current secret. Nothing was rotated.',
  })
  const until = new Date(at + SECRET_OVERLAP).toISOString()
  if (json) return say(JSON.stringify({ ref, signature_secret: secret, former_signs_until: until }))
  say(
    `Merchant ${ref} now has the signing secret ${secret}. The former secret also signs, in Webhook-Signature, until ${until}.`,
  )
})

/** `withNewStorage` creates a missing database, so that the first merchant can be added before the first server starts. */
export const merchantCommand = (): PlazoCommand => {
  const merchant = new PlazoCommand('merchant').description('the merchants of this database (DATABASE_URL)')
  merchant
    .command('add')
    .description('adds a merchant; a running server sees it at once')
    .requiredOption('--ref <ref>', 'the reference used in every URL')
    .requiredOption('--name <name>', 'the name for people')
    .requiredOption('--username <username>', 'the account username; several merchants may share one')
    .requiredOption('--password <password>', 'the account password')
    .option('--secret <hex>', 'the signing secret, 32 hex digits (generated if absent)')
    .requiredOption('--currency <code>', `the currency of its orders: ${PRICED_CURRENCIES.join(', ')}`)
    .requiredOption('--products <codes>', `a list, the default first: ${CATALOGUE.map(({ code }) => code).join(',')}`)
    .option('--country <code>', 'the country whose rules apply to ID numbers and postal codes, for example ES')
    .option('--optional-fields <names>', 'optional identification fields')
    .option('--send-action-events', 'sends identification_action events')
    .json()
    .examples(
      `plazo merchant add --ref lamps --name "Lamps & Co" --username lamps --password "$(pass show lamps)" \\
    --currency EUR --products pp3,i1 --country ES`,
      `plazo merchant add --ref lamps-pt --name "Lamps Portugal" --username lamps --password "$(pass show lamps)" \\
    --currency EUR --products i1 --country PT --json`,
    )
    .action(add)
  merchant
    .command('set')
    .description('changes the given settings of a merchant; a running server sees them at once')
    .requiredOption('--ref <ref>', 'the merchant')
    .option('--name <name>', 'the name for people')
    .option('--country <code>', 'the country whose rules apply to ID numbers and postal codes, for example ES')
    .option('--no-country', 'no country’s rules')
    .option('--currency <code>', `the currency of its orders: ${PRICED_CURRENCIES.join(', ')}`)
    .option('--products <codes>', 'a list, the default first')
    .option('--optional-fields <names>', 'optional identification fields; "" for none')
    .option('--send-action-events', 'sends identification_action events')
    .option('--no-send-action-events', 'sends no identification_action events')
    .option('--password <password>', 'the account password, for every merchant with that username')
    .json()
    .examples(
      'plazo merchant set --ref lamps --products pp3,i1 --send-action-events',
      'plazo merchant set --ref lamps --country ES --optional-fields given_names,city',
      'plazo merchant set --ref lamps --password "$(pass show lamps)"',
    )
    .action(set)
  merchant
    .command('show')
    .description('shows a merchant with everything except the password')
    .requiredOption('--ref <ref>', 'the merchant')
    .json()
    .examples('plazo merchant show --ref demo --json')
    .action(show)
  merchant
    .command('rotate-secret')
    .description('rotates a merchant’s signing secret; for 24 h the former secret also signs')
    .requiredOption('--ref <ref>', 'the merchant')
    .option('--secret <hex>', 'the new secret, 32 hex digits (generated if absent)')
    .json()
    .examples('plazo merchant rotate-secret --ref lamps')
    .action(rotateSecret)
  merchant.command('list').description('lists all merchants').json().examples('plazo merchant list --json').action(list)
  return merchant
}
