// `plazo merchant`: manages the merchants of this database. A running server sees every change immediately.
import { SECRET_OVERLAP } from '@plazo/core/signing'
import { Command } from 'commander'
import { newSecret } from '../add-merchant.ts'
import { shownMerchant, wrongSettings } from '../merchant-settings.ts'
import { clockOf, noMerchant, type WithHome } from './home.ts'
import { sayList } from './listing.ts'
import { merchantAddCommand, optionName } from './merchant-add.ts'
import { merchantSetCommand } from './merchant-set.ts'
import { orRefuse, refuse, say } from './terminal.ts'

const list =
  (withHome: WithHome) =>
  ({ json }: { readonly json?: boolean }): Promise<void> =>
    withHome(async ({ merchants }) => {
      const all = await orRefuse(merchants.list())
      if (json) return say(JSON.stringify(all.map(shownMerchant)))
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
        'There are no merchants yet: add one with `plazo merchant add`.',
      )
    })

const show =
  (withHome: WithHome) =>
  ({ ref, json }: { readonly ref: string; readonly json?: boolean }): Promise<void> =>
    withHome(async ({ merchants }) => {
      const found = (await orRefuse(merchants.find(ref))) ?? refuse(noMerchant('--ref', ref))
      if (json) return say(JSON.stringify(shownMerchant(found)))
      say(
        [
          ['ref', found.ref],
          ['name', found.name],
          ['username', found.username],
          ['secret', found.signatureSecret],
          ['country', found.country ?? 'none'],
          ['currency', found.currency],
          ['products', found.products.join(', ')],
          ['optional fields', found.optionalFields.join(', ') || 'none'],
          ['action events', found.sendActionEvents ? 'pushed' : 'not pushed'],
        ]
          .map(([name = '', value = '']) => `${name.padEnd(17)}${value}`)
          .join('\n'),
      )
    })

type RotateOptions = { readonly ref: string; readonly secret?: string; readonly json?: boolean }

const rotateSecret =
  (withHome: WithHome) =>
  ({ ref, secret = newSecret(), json }: RotateOptions): Promise<void> =>
    withHome(async (home, { names }) => {
      const wrong = wrongSettings({ secret }, names, optionName)
      if (wrong.length > 0) refuse(...wrong)
      const at = (await clockOf(home)).now()
      await orRefuse(home.merchants.rotateSecret(ref, secret, at), {
        MerchantNotFound: () => noMerchant('--ref', ref),
        SecretUnchanged: () => '--secret is the current one already: nothing is rotated.',
      })
      const until = new Date(at + SECRET_OVERLAP).toISOString()
      say(
        json
          ? JSON.stringify({ ref, signature_secret: secret, former_signs_until: until })
          : `Merchant ${ref} has the signature secret ${secret} now. The former one signs beside it in Webhook-Signature until ${until}.`,
      )
    })

/** `withNewHome` creates a missing database, so that the first merchant can be added before the first server starts. */
export const merchantCommand = (withHome: WithHome, withNewHome: WithHome): Command => {
  const merchant = new Command('merchant').description('the merchants of this database (DATABASE_URL)')
  merchant.addCommand(merchantAddCommand(withNewHome))
  merchant.addCommand(merchantSetCommand(withHome))
  merchant
    .command('show')
    .description('shows one with everything but the password')
    .requiredOption('--ref <ref>', 'which merchant')
    .option('--json', 'prints JSON')
    .addHelpText('after', '\nExample:\n  plazo merchant show --ref demo --json')
    .action(show(withHome))
  merchant
    .command('rotate-secret')
    .description('gives a merchant a new signature secret; the former one signs beside it for 24 h')
    .requiredOption('--ref <ref>', 'whose secret')
    .option('--secret <hex>', 'the new one, 32 hex digits (drawn unless given)')
    .option('--json', 'prints JSON')
    .addHelpText('after', '\nExample:\n  plazo merchant rotate-secret --ref lamps')
    .action(rotateSecret(withHome))
  merchant
    .command('list')
    .description('lists them')
    .option('--json', 'prints JSON')
    .addHelpText('after', '\nExample:\n  plazo merchant list --json')
    .action(list(withHome))
  return merchant
}
