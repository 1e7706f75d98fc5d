// `plazo merchant add`: adds a merchant under a new account or an existing one. Contract §7.
import { CATALOGUE } from '@plazo/core'
import { Command } from 'commander'
import { addMerchant, type NewMerchant } from '../add-merchant.ts'
import { type MerchantSettings, merchantView } from '../merchant-settings.ts'
import type { WithStorage } from './home.ts'
import { say, valueOrRefuse } from './terminal.ts'

type AddOptions = Omit<NewMerchant, 'sendActionEvents'> & {
  readonly sendActionEvents?: boolean
  readonly json?: boolean
}

/** The option as it is typed. */
export const optionName = (setting: keyof MerchantSettings): string =>
  `--${setting === 'optionalFields' ? 'optional-fields' : setting}`

const add =
  (withStorage: WithStorage) =>
  ({ json, sendActionEvents = false, ...given }: AddOptions): Promise<void> =>
    withStorage(async ({ merchants }, { names }) => {
      const added = await valueOrRefuse(
        addMerchant({ merchants, names, nameOf: optionName })({ ...given, sendActionEvents }),
        { Refused: ({ sentences }) => sentences },
      )
      const { ref, signatureSecret } = added
      say(
        json
          ? JSON.stringify(merchantView(added))
          : `Merchant ${ref} is there. Its signature secret is ${signatureSecret}.`,
      )
    })

export const merchantAddCommand = (withStorage: WithStorage): Command =>
  new Command('add')
    .description('adds a merchant; a running server sees it at once')
    .requiredOption('--ref <ref>', 'its reference in every URL')
    .requiredOption('--name <name>', 'what people call it')
    .requiredOption('--username <username>', 'of its account; merchants may share one')
    .requiredOption('--password <password>', 'of its account')
    .option('--secret <hex>', 'its signature secret, 32 hex digits (drawn unless given)')
    .requiredOption('--currency <code>', 'of its orders, like EUR')
    .requiredOption('--products <codes>', `a list, the default first: ${CATALOGUE.map(({ code }) => code).join(',')}`)
    .option('--country <code>', 'whose rules hold for documents and postal codes, like ES')
    .option('--optional-fields <names>', 'identification fields that may be left out')
    .option('--send-action-events', 'pushes identification_action events')
    .option('--json', 'prints JSON')
    .addHelpText(
      'after',
      `
Examples:
  plazo merchant add --ref lamps --name "Lamps & Co" --username lamps --password "$(pass show lamps)" \\
    --currency EUR --products pp3,i1 --country ES
  plazo merchant add --ref lamps-pt --name "Lamps Portugal" --username lamps --password "$(pass show lamps)" \\
    --currency EUR --products i1 --country PT --json`,
    )
    .action(add(withStorage))
