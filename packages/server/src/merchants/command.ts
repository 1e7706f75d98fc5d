// `plazo merchant`: manages the merchants of this database. A running server sees every change
// immediately.
import { CATALOGUE, PRICED_CURRENCIES } from '@plazo/core/protocol'
import {
  type Json,
  merchantNotFound,
  PlazoCommand,
  requireMerchant,
  withNewStorage,
  withStorage,
} from '../command-line/command.ts'
import {
  refuse,
  requireYes,
  say,
  sayList,
  valueOrRefuse,
  type Yes,
} from '../command-line/terminal.ts'
import { KNOWN_SECRET_ENDED } from './known-credentials.ts'
import {
  addMerchant,
  changeMerchant,
  checkSettings,
  type MerchantSettings,
  merchantView,
  replaceSecret,
  type SettingsRefused,
} from './merchant-settings.ts'
import { readSecret, type SecretOption } from './secret-input.ts'

type OfMerchant = Json & { readonly merchant: string }

type Options = {
  /** False: the merchant has no country from now on. */
  readonly country?: string | false
  readonly sendActionEvents?: boolean
  readonly password?: SecretOption
  readonly secret?: SecretOption
} & {
  readonly [option in 'name' | 'username' | 'currency' | 'products' | 'optionalFields']?: string
}

const REFUSALS = {
  SettingsRefused: ({ errors }: SettingsRefused) =>
    Object.entries(errors).map(([name, error]) => `--${name.replace('_', '-')} ${error}`),
}

const readSettings = async ({
  country,
  optionalFields,
  password,
  secret,
  ...others
}: Options): Promise<MerchantSettings> => ({
  ...others,
  ...(country !== undefined && { country: country === false ? null : country }),
  ...(optionalFields !== undefined && { optional_fields: optionalFields }),
  ...(password !== undefined && {
    password: await readSecret('--password', password, 'MERCHANT_PASSWORD'),
  }),
  ...(secret !== undefined && { secret: await readSecret('--secret', secret, 'MERCHANT_SECRET') }),
})

/** `plazo merchant add`: adds a merchant under a new account or an existing one. Contract §7. */
const add = withNewStorage(
  async (
    { merchants, config },
    { json, ref, password = true, ...options }: Json & { readonly ref: string } & Options,
  ) => {
    const settings = { ref, ...(await readSettings({ password, ...options })) }
    const added = await valueOrRefuse(addMerchant({ merchants, terms: config })(settings), REFUSALS)
    if (json) return say(JSON.stringify(merchantView(added)))
    say(`Merchant ${added.ref} is added. Its signing secret is ${added.signatureSecret}.`)
  },
)

/**
 * `plazo merchant set`: changes the given settings of a merchant and keeps the others. Contract §7.
 */
const set = withStorage(
  async ({ merchants, config }, { merchant: ref, json, ...options }: OfMerchant & Options) => {
    const settings = await readSettings(options)
    if (Object.keys(settings).length === 0)
      refuse('No change was given. `plazo merchant set --help` lists the options.')
    const changed = await valueOrRefuse(
      changeMerchant({ merchants, terms: config })(ref, settings),
      { ...REFUSALS, MerchantNotFound: () => merchantNotFound(ref) },
    )
    if (json) return say(JSON.stringify(merchantView(changed)))
    say(`Merchant ${ref} is changed. Existing orders keep the former settings.`)
  },
)

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

type RotateOptions = OfMerchant & Yes & { readonly secret?: SecretOption }

const rotate = withStorage(
  async (storage, { merchant, yes, json, secret: option }: RotateOptions) => {
    const { merchants, config, serviceClock } = storage
    const { ref } = await requireMerchant(storage, merchant)
    const settings = await readSettings(option === undefined ? {} : { secret: option })
    await valueOrRefuse(async () => checkSettings(settings, config), REFUSALS)
    await requireYes(
      `The merchant ${ref} gets a new signing secret. The current one also signs for 24 h, and then no longer.`,
      yes,
    )
    const at = serviceClock.now()
    const { secret, formerSignsUntil } = await valueOrRefuse(
      replaceSecret({ merchants, terms: config })(ref, settings, at),
      { ...REFUSALS, MerchantNotFound: () => merchantNotFound(ref) },
    )
    const until = new Date(formerSignsUntil).toISOString()
    if (json)
      return say(JSON.stringify({ ref, signature_secret: secret, former_signs_until: until }))
    const former =
      formerSignsUntil > at
        ? `The former secret also signs, in Webhook-Signature, until ${until}.`
        : KNOWN_SECRET_ENDED
    say(`Merchant ${ref} now has the signing secret ${secret}. ${former}`)
  },
)

const CODES = CATALOGUE.map(({ code }) => code).join(',')
const NAME = ['--name <name>', 'the name for people'] as const
const CURRENCY = [
  '--currency <code>',
  `the currency of its orders: ${PRICED_CURRENCIES.join(', ')}`,
] as const
const PRODUCTS = ['--products <codes>', `a list, the default first: ${CODES}`] as const
const COUNTRY = [
  '--country <code>',
  'the country whose rules apply to ID numbers and postal codes, such as ES',
] as const
const FIELDS = ['--optional-fields <names>', 'fields that may be empty; "" for none'] as const
const EVENTS = ['--send-action-events', 'sends identification_action events'] as const
const PASSWORD = ['--password [password]', 'the password of the whole account'] as const
const SECRET = ['--secret [hex]', 'the signing secret, 32 hex digits (default: random)'] as const

const SECRET_NOTES = `An argument is visible to other users of this machine. So give --password or --secret without a value: the command takes
it from MERCHANT_PASSWORD or MERCHANT_SECRET, or asks for it twice. With \`-\` it reads standard input.`

/**
 * `withNewStorage` creates a missing database, so that the first merchant can be added before the
 * first server starts.
 */
export const merchantCommand = (): PlazoCommand => {
  const merchant = new PlazoCommand('merchant').description(
    'the merchants of this database (DATABASE_URL)',
  )
  merchant
    .command('add')
    .description('adds a merchant; a running server sees it at once')
    .requiredOption('--ref <ref>', 'the reference used in every URL')
    .requiredOption(...NAME)
    .requiredOption(
      '--username <username>',
      'the account username; several merchants may share one',
    )
    .option(...PASSWORD)
    .option(...SECRET)
    .requiredOption(...CURRENCY)
    .requiredOption(...PRODUCTS)
    .option(...COUNTRY)
    .option(...FIELDS)
    .option(...EVENTS)
    .json()
    .notes(SECRET_NOTES)
    .examples(
      `plazo merchant add --ref lamps --name "Lamps & Co" --username lamps --currency EUR --products pp3,i1 --country ES`,
      `pass show lamps | plazo merchant add --ref lamps-pt --name "Lamps Portugal" --username lamps --password - \\
    --currency EUR --products i1 --country PT --json`,
    )
    .action(add)
  merchant
    .command('set')
    .description('changes the given settings of a merchant; a running server sees them at once')
    .merchantOption()
    .option(...NAME)
    .option(...COUNTRY)
    .option('--no-country', 'no country’s rules')
    .option(...CURRENCY)
    .option(...PRODUCTS)
    .option(...FIELDS)
    .option(...EVENTS)
    .option('--no-send-action-events', 'sends no identification_action events')
    .option(...PASSWORD)
    .json()
    .notes(SECRET_NOTES)
    .examples(
      'plazo merchant set --merchant lamps --products pp3,i1 --send-action-events',
      'plazo merchant set --merchant lamps --password',
    )
    .action(set)
  merchant
    .command('rotate-secret')
    .description('rotates a merchant’s signing secret; for 24 h the former secret also signs')
    .merchantOption()
    .option(...SECRET)
    .asksFirst()
    .json()
    .notes(SECRET_NOTES)
    .examples('plazo merchant rotate-secret --merchant lamps')
    .action(rotate)
  merchant
    .command('list')
    .description('lists all merchants; --json has everything except passwords')
    .json()
    .examples('plazo merchant list --json')
    .action(list)
  return merchant
}
