// `plazo merchant add`: a merchant of his own account, or of one that is there. Contract §7.
import { randomBytes } from 'node:crypto'
import { hashPassword, verifyPassword } from '@plazo/adapters/sealing'
import { CATALOGUE, type Merchant } from '@plazo/core'
import { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import type { Home, WithHome } from './home.ts'
import { commaList, shownMerchant, wrongOptionalFields, wrongOptions } from './merchant-options.ts'
import { orRefuse, refuse, say } from './terminal.ts'

type AddOptions = {
  readonly ref: string
  readonly name: string
  readonly username: string
  readonly password: string
  readonly secret?: string
  readonly currency: string
  readonly products: string
  readonly country?: string
  readonly optionalFields?: string
  readonly sendActionEvents?: boolean
  readonly json?: boolean
}

// Merchants of one username are one account, with one password.
const accountHash = async ({ merchants }: Home, { username, password }: AddOptions): Promise<string> => {
  const [sibling] = await orRefuse(merchants.ofAccount(username))
  if (sibling === undefined) return hashPassword(password)
  return (await verifyPassword(password, sibling.passwordHash))
    ? sibling.passwordHash
    : refuse(`--password is not that of the account ${username}, which merchant ${sibling.ref} uses already.`)
}

const add =
  (withHome: WithHome) =>
  (options: AddOptions): Promise<void> =>
    withHome(async (home, { names }) => {
      const wrong = [...wrongOptions(options), ...wrongOptionalFields(options.optionalFields, names)]
      if (wrong.length > 0) refuse(...wrong)
      const merchant: Merchant = {
        ref: options.ref,
        name: options.name,
        username: options.username,
        passwordHash: await accountHash(home, options),
        signatureSecret: options.secret ?? randomBytes(16).toString('hex'),
        country: options.country ?? null,
        currency: options.currency,
        products: commaList(options.products),
        optionalFields: commaList(options.optionalFields ?? ''),
        sendActionEvents: options.sendActionEvents ?? false,
      }
      const added = await home.merchants.add(merchant)()
      if (E.isLeft(added))
        refuse(
          added.left._tag === 'MerchantExists'
            ? `--ref is "${options.ref}": there is a merchant of that name already.`
            : added.left._tag === 'Unavailable'
              ? added.left.message
              : `--username is "${options.username}": the account has another password.`,
        )
      say(
        options.json
          ? JSON.stringify(shownMerchant(merchant))
          : `Merchant ${merchant.ref} is there. Its signature secret is ${merchant.signatureSecret}.`,
      )
    })

export const merchantAddCommand = (withHome: WithHome): Command =>
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
    .action(add(withHome))
