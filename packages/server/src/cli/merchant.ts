// `plazo merchant`: manages the merchants of this database. A running server sees every change
// immediately. Contract §7.
import { Option } from 'commander'
import {
  addMerchant,
  CHANGEABLE_SETTINGS,
  changeMerchant,
  isRequired,
  type MerchantSettings,
  merchantView,
  parseSettings,
  replaceSecret,
  SETTINGS,
  type Setting,
  type SettingsRefused,
} from '../merchants/merchant-settings.ts'
import { type Json, PlazoCommand, requireMerchant, withNewStorage, withStorage } from './command.ts'
import { readSecret } from './secret-input.ts'
import { refuse, requireYes, say, sayList, valueOrRefuse, type Yes } from './terminal.ts'

/** As they are parsed: true for an option without a value, false for one that begins with `--no-`. */
type Options = { readonly [option in string]?: string | boolean }
type OfMerchant = Json & { readonly merchant: string }

const optionOf = ({ option, expected }: Setting): Option => new Option(option, expected)

const explain = ({ errors }: SettingsRefused): readonly string[] =>
  Object.entries(errors).map(([name, error]) => `--${name.replace('_', '-')} ${error}`)

const readSettings = async (options: Options): Promise<MerchantSettings> => {
  const settings: Record<string, string> = {}
  for (const setting of SETTINGS) {
    const { name } = setting
    const value = options[optionOf(setting).attributeName()]
    if (value === undefined) continue
    if (name === 'password' || name === 'secret')
      settings[name] = await readSecret(name, value || '')
    else settings[name] = value === true ? 'on' : value || ''
  }
  return settings
}

const add = withNewStorage(async (storage, { json, ...options }: Json & Options) => {
  const settings = await readSettings({ password: true, ...options })
  const added = await valueOrRefuse(addMerchant(storage, settings), explain)
  if (json) return say(JSON.stringify(merchantView(added)))
  say(`Merchant ${added.ref} is added. Its signing secret is ${added.signatureSecret}.`)
})

const set = withStorage(async (storage, { merchant, json, ...options }: OfMerchant & Options) => {
  const { ref } = await requireMerchant(storage, merchant)
  const settings = await readSettings(options)
  if (Object.keys(settings).length === 0)
    refuse('No change was given. `plazo merchant set --help` lists the options.')
  const changed = await valueOrRefuse(changeMerchant(storage, ref, settings), explain)
  if (json) return say(JSON.stringify(merchantView(changed)))
  say(`Merchant ${ref} is changed. Existing orders keep the former settings.`)
})

const COLUMNS = ['ref', 'name', 'username', 'currency', 'country', 'products'] as const

const list = withStorage(async ({ merchants }, { json }: Json) => {
  const all = (await valueOrRefuse(merchants.list())).map(merchantView)
  if (json) return say(JSON.stringify(all))
  sayList(
    COLUMNS,
    all.map((merchant) => COLUMNS.map((column) => String(merchant[column] ?? ''))),
    'No merchants yet. Add one with `plazo merchant add`.',
  )
})

const rotate = withStorage(
  async (storage, { merchant, yes, json, ...options }: OfMerchant & Yes & Options) => {
    const { ref } = await requireMerchant(storage, merchant)
    const settings = await readSettings(options)
    await valueOrRefuse(async () => parseSettings(settings, storage.config), explain)
    await requireYes(
      `For 24 h the current signing secret of ${ref} also signs, and then no longer.`,
      yes,
    )
    const at = storage.serviceClock.now()
    const secret = await valueOrRefuse(replaceSecret(storage, ref, settings, at), explain)
    const overlapEnd = await valueOrRefuse(storage.merchants.secretOverlapEnd(ref, at))
    const until = new Date(overlapEnd ?? at).toISOString()
    if (json)
      return say(JSON.stringify({ ref, signature_secret: secret, former_signs_until: until }))
    say(`Merchant ${ref} now has the signing secret ${secret}. Former ones sign until ${until}.`)
  },
)

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
  const adding = merchant.command('add').description('adds a merchant')
  for (const setting of SETTINGS)
    adding.addOption(
      // Without its option, a password is asked for.
      optionOf(setting).makeOptionMandatory(isRequired(setting) && setting.name !== 'password'),
    )
  adding
    .json()
    .notes(SECRET_NOTES)
    .examples(
      'plazo merchant add --ref lamps --name "Lamps & Co" --username lamps --currency EUR --products pp3,i1',
    )
    .action(add)
  const changing = merchant
    .command('set')
    .description('changes the given settings of a merchant')
    .merchantOption()
  for (const setting of CHANGEABLE_SETTINGS) changing.addOption(optionOf(setting))
  // After the options that they turn off: alone, they would have a default.
  changing
    .option('--no-country', 'no country’s rules')
    .option('--no-send-action-events', 'sends no such events')
    .json()
    .notes(SECRET_NOTES)
    .examples('plazo merchant set --merchant lamps --products pp3,i1 --password')
    .action(set)
  merchant
    .command('rotate-secret')
    .description('replaces a signing secret; for 24 h the former one also signs')
    .merchantOption()
    .option('--secret [hex]', 'the new one; default: random')
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
