// `plazo merchant set`: changes the given settings of a merchant and keeps the others. Contract §7.
import { hashPassword } from '@plazo/adapters/sealing'
import type { MerchantChange } from '@plazo/core'
import { Command } from 'commander'
import { invalidSettings, merchantView, parseList } from '../merchant-settings.ts'
import { merchantNotFound, type WithStorage } from './home.ts'
import { optionName } from './merchant-add.ts'
import { refuse, say, valueOrRefuse } from './terminal.ts'

type SetOptions = {
  readonly ref: string
  readonly name?: string
  /** False: the merchant has no country from now on. */
  readonly country?: string | false
  readonly currency?: string
  readonly products?: string
  readonly optionalFields?: string
  readonly sendActionEvents?: boolean
  readonly password?: string
  readonly json?: boolean
}

const changeOf = async (given: SetOptions): Promise<MerchantChange> => ({
  ...(given.name !== undefined && { name: given.name }),
  ...(given.country !== undefined && { country: given.country || null }),
  ...(given.currency !== undefined && { currency: given.currency }),
  ...(given.products !== undefined && { products: parseList(given.products) }),
  ...(given.optionalFields !== undefined && { optionalFields: parseList(given.optionalFields) }),
  ...(given.sendActionEvents !== undefined && { sendActionEvents: given.sendActionEvents }),
  ...(given.password !== undefined && { passwordHash: await hashPassword(given.password) }),
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

const set =
  (withStorage: WithStorage) =>
  ({ ref, json, ...given }: SetOptions): Promise<void> =>
    withStorage(async ({ merchants }, { names }) => {
      const { country, ...others } = given
      const settings = { ...others, ...(typeof country === 'string' && { country }) }
      const invalid = invalidSettings(settings, names, optionName)
      if (invalid.length > 0) refuse(...invalid)
      const change = await changeOf({ ref, ...given })
      const words = (Object.keys(change) as (keyof MerchantChange)[]).map((member) => WORDS[member])
      if (words.length === 0) refuse('Nothing is to be changed: `plazo merchant set --help` shows what may be.')
      const changed = await valueOrRefuse(merchants.change(ref, change), {
        MerchantNotFound: () => merchantNotFound('--ref', ref),
      })
      say(
        json
          ? JSON.stringify(merchantView(changed))
          : `Merchant ${ref} is changed: ${words.join(', ')}. Orders placed before keep what they were placed with.`,
      )
    })

export const merchantSetCommand = (withStorage: WithStorage): Command =>
  new Command('set')
    .description('changes what is given, of a merchant; a running server sees it at once')
    .requiredOption('--ref <ref>', 'which merchant')
    .option('--name <name>', 'what people call it')
    .option('--country <code>', 'whose rules hold for documents and postal codes, like ES')
    .option('--no-country', 'the rules of none')
    .option('--currency <code>', 'of its orders, like EUR')
    .option('--products <codes>', 'a list, the default first')
    .option('--optional-fields <names>', 'identification fields that may be left out; "" for none')
    .option('--send-action-events', 'pushes identification_action events')
    .option('--no-send-action-events', 'pushes none')
    .option('--password <password>', 'of its account, and so of every merchant with that username')
    .option('--json', 'prints JSON')
    .addHelpText(
      'after',
      `
Examples:
  plazo merchant set --ref lamps --products pp3,i1 --send-action-events
  plazo merchant set --ref lamps --country ES --optional-fields given_names,city
  plazo merchant set --ref lamps --password "$(pass show lamps)"`,
    )
    .action(set(withStorage))
