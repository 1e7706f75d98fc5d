// `plazo merchant`: manages the merchants of this database. A running server sees every change immediately.
import { SECRET_OVERLAP } from '@plazo/core/signing'
import { Command } from 'commander'
import { createSecret } from '../add-merchant.ts'
import { invalidSettings, merchantView } from '../merchant-settings.ts'
import { clockOf, merchantNotFound, type WithStorage } from './home.ts'
import { sayList } from './listing.ts'
import { merchantAddCommand, optionName } from './merchant-add.ts'
import { merchantSetCommand } from './merchant-set.ts'
import { refuse, say, valueOrRefuse } from './terminal.ts'

const list =
  (withStorage: WithStorage) =>
  ({ json }: { readonly json?: boolean }): Promise<void> =>
    withStorage(async ({ merchants }) => {
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
        'There are no merchants yet: add one with `plazo merchant add`.',
      )
    })

const show =
  (withStorage: WithStorage) =>
  ({ ref, json }: { readonly ref: string; readonly json?: boolean }): Promise<void> =>
    withStorage(async ({ merchants }) => {
      const found = (await valueOrRefuse(merchants.find(ref))) ?? refuse(merchantNotFound('--ref', ref))
      if (json) return say(JSON.stringify(merchantView(found)))
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
  (withStorage: WithStorage) =>
  ({ ref, secret = createSecret(), json }: RotateOptions): Promise<void> =>
    withStorage(async (storage, { names }) => {
      const invalid = invalidSettings({ secret }, names, optionName)
      if (invalid.length > 0) refuse(...invalid)
      const at = (await clockOf(storage)).now()
      await valueOrRefuse(storage.merchants.rotateSecret(ref, secret, at), {
        MerchantNotFound: () => merchantNotFound('--ref', ref),
        SecretUnchanged: () => '--secret is the current one already: nothing is rotated.',
      })
      const until = new Date(at + SECRET_OVERLAP).toISOString()
      say(
        json
          ? JSON.stringify({ ref, signature_secret: secret, former_signs_until: until })
          : `Merchant ${ref} has the signature secret ${secret} now. The former one signs beside it in Webhook-Signature until ${until}.`,
      )
    })

/** `withNewStorage` creates a missing database, so that the first merchant can be added before the first server starts. */
export const merchantCommand = (withStorage: WithStorage, withNewStorage: WithStorage): Command => {
  const merchant = new Command('merchant').description('the merchants of this database (DATABASE_URL)')
  merchant.addCommand(merchantAddCommand(withNewStorage))
  merchant.addCommand(merchantSetCommand(withStorage))
  merchant
    .command('show')
    .description('shows one with everything but the password')
    .requiredOption('--ref <ref>', 'which merchant')
    .option('--json', 'prints JSON')
    .addHelpText('after', '\nExample:\n  plazo merchant show --ref demo --json')
    .action(show(withStorage))
  merchant
    .command('rotate-secret')
    .description('gives a merchant a new signature secret; the former one signs beside it for 24 h')
    .requiredOption('--ref <ref>', 'whose secret')
    .option('--secret <hex>', 'the new one, 32 hex digits (drawn unless given)')
    .option('--json', 'prints JSON')
    .addHelpText('after', '\nExample:\n  plazo merchant rotate-secret --ref lamps')
    .action(rotateSecret(withStorage))
  merchant
    .command('list')
    .description('lists them')
    .option('--json', 'prints JSON')
    .addHelpText('after', '\nExample:\n  plazo merchant list --json')
    .action(list(withStorage))
  return merchant
}
