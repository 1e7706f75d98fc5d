#!/usr/bin/env node
// `plazo`: what operators do from a terminal, beside a running server and with the same settings. Contract §7.
import { randomBytes } from 'node:crypto'
import { movableClock } from '@plazo/adapters/sandbox'
import { hashPassword, verifyPassword } from '@plazo/adapters/sealing'
import { openSqlite, type SqliteHome } from '@plazo/adapters/sqlite'
import { CATALOGUE, type Merchant, SECRET_OVERLAP } from '@plazo/core'
import { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { deliveriesCommand } from './commands/deliveries.ts'
import { refuse, say } from './commands/terminal.ts'
import { type Config, readConfig } from './config.ts'

const withHome = async (run: (home: SqliteHome, config: Config) => Promise<void>): Promise<void> => {
  const config = readConfig(process.env)
  if (E.isLeft(config)) return refuse(...config.left)
  const home = openSqlite(config.right.sqlitePath)
  try {
    await run(home, config.right)
  } finally {
    await home.close()
  }
}

type AddOptions = {
  readonly ref: string
  readonly name: string
  readonly username: string
  readonly password: string
  readonly secret?: string
  readonly currency: string
  readonly products: string
  readonly country?: string
  readonly sendActionEvents?: boolean
  readonly json?: boolean
}

const isSecret = (given: string): boolean => /^[0-9a-f]{32}$/.test(given)
const SECRET_WANTED = '32 hex digits, lower case'

const isCurrency = (given: string): boolean => Intl.supportedValuesOf('currency').includes(given)

const productCodes = (given: string): readonly string[] => given.split(',').map((code) => code.trim())

const wrongOptions = ({ ref, name, username, password, secret, currency, products, country }: AddOptions) => {
  const known = CATALOGUE.map(({ code }) => code)
  const wanted: readonly (readonly [option: string, given: string, isRight: boolean, wanted: string])[] = [
    ['--ref', ref, /^[\w.-]{1,64}$/.test(ref), 'up to 64 letters, digits, _, - and .'],
    ['--name', name, name.trim() !== '', 'a name'],
    ['--username', username, username !== '' && !username.includes(':'), 'a username without a colon'],
    ['--password', '…', password !== '', 'a password'],
    ['--secret', secret ?? '', secret === undefined || isSecret(secret), SECRET_WANTED],
    ['--currency', currency, isCurrency(currency), 'a currency code like EUR'],
    [
      '--products',
      products,
      productCodes(products).every((code) => known.includes(code)),
      `a list of ${known.join(', ')}`,
    ],
    ['--country', country ?? '', country === undefined || /^[A-Z]{2}$/.test(country), 'a country code like ES'],
  ]
  return wanted.flatMap(([option, given, isRight, what]) =>
    isRight ? [] : [`${option} is ${JSON.stringify(given)}: wanted is ${what}.`],
  )
}

// Merchants of one username are one account, with one password.
const accountHash = async ({ merchants }: SqliteHome, { username, password }: AddOptions): Promise<string> => {
  const siblings = await merchants.ofAccount(username)()
  const [sibling] = E.isRight(siblings) ? siblings.right : []
  if (sibling === undefined) return hashPassword(password)
  return (await verifyPassword(password, sibling.passwordHash))
    ? sibling.passwordHash
    : refuse(`--password is not that of the account ${username}, which merchant ${sibling.ref} uses already.`)
}

const shown = ({ ref, name, username, signatureSecret, currency, country, products, sendActionEvents }: Merchant) => ({
  ref,
  name,
  username,
  signature_secret: signatureSecret,
  country,
  currency,
  products,
  options: { send_action_events_in_identification: sendActionEvents },
})

const addMerchant = (options: AddOptions): Promise<void> =>
  withHome(async (home) => {
    const wrong = wrongOptions(options)
    if (wrong.length > 0) refuse(...wrong)
    const merchant: Merchant = {
      ref: options.ref,
      name: options.name,
      username: options.username,
      passwordHash: await accountHash(home, options),
      signatureSecret: options.secret ?? randomBytes(16).toString('hex'),
      country: options.country ?? null,
      currency: options.currency,
      products: productCodes(options.products),
      optionalFields: [],
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
        ? JSON.stringify(shown(merchant))
        : `Merchant ${merchant.ref} is there. Its signature secret is ${merchant.signatureSecret}.`,
    )
  })

const listMerchants = ({ json }: { readonly json?: boolean }): Promise<void> =>
  withHome(async ({ merchants }) => {
    const all = await merchants.list()()
    if (E.isLeft(all)) return refuse(all.left.message)
    if (json) return say(JSON.stringify(all.right.map(shown)))
    if (all.right.length === 0) return say('There are no merchants yet: add one with `plazo merchant add`.')
    for (const { ref, name, username, currency, country, products, sendActionEvents } of all.right)
      say(
        [
          ref,
          name,
          username,
          currency,
          country ?? '-',
          products.join(','),
          sendActionEvents ? 'action events' : '-',
        ].join('\t'),
      )
  })

type RotateOptions = { readonly ref: string; readonly secret?: string; readonly json?: boolean }

const notRotated = (ref: string, tag: 'MerchantUnknown' | 'SecretUnchanged'): string =>
  tag === 'MerchantUnknown'
    ? `--ref is ${JSON.stringify(ref)}: there is no merchant of that name. \`plazo merchant list\` shows them.`
    : '--secret is the current one already: nothing is rotated.'

const rotateSecret = ({ ref, secret = randomBytes(16).toString('hex'), json }: RotateOptions): Promise<void> =>
  withHome(async ({ merchants, shelf }) => {
    if (!isSecret(secret)) refuse(`--secret is ${JSON.stringify(secret)}: wanted is ${SECRET_WANTED}.`)
    // The running server's own time, which a sandbox may have moved.
    const clock = await movableClock(shelf)()
    if (E.isLeft(clock)) return refuse(clock.left.message)
    const at = clock.right.now()
    const rotated = await merchants.rotateSecret(ref, secret, at)()
    if (E.isLeft(rotated))
      return refuse(rotated.left._tag === 'Unavailable' ? rotated.left.message : notRotated(ref, rotated.left._tag))
    const until = new Date(at + SECRET_OVERLAP).toISOString()
    say(
      json
        ? JSON.stringify({ ref, signature_secret: secret, former_signs_until: until })
        : `Merchant ${ref} has the signature secret ${secret} now. The former one signs beside it in Webhook-Signature until ${until}.`,
    )
  })

const plazo = new Command('plazo').description('Runs and keeps plazo, a buy-now-pay-later checkout backend.')

const merchant = plazo.command('merchant').description('the merchants of this database (DATABASE_URL)')

merchant
  .command('add')
  .description('adds a merchant; a running server sees it at once')
  .requiredOption('--ref <ref>', 'its reference in every URL')
  .requiredOption('--name <name>', 'what people call it')
  .requiredOption('--username <username>', 'of its account; merchants may share one')
  .requiredOption('--password <password>', 'of its account')
  .option('--secret <hex>', 'its signature secret, 32 hex digits (drawn unless given)')
  .requiredOption('--currency <code>', 'of its orders, like EUR')
  .requiredOption('--products <codes>', `a list, the default first: ${CATALOGUE.map(({ code }) => code).join(',')}`)
  .option('--country <code>', 'whose rules hold for documents and postal codes, like ES')
  .option('--send-action-events', 'pushes identification_action events')
  .option('--json', 'prints JSON')
  .action(addMerchant)

merchant
  .command('rotate-secret')
  .description('gives a merchant a new signature secret; the former one signs beside it for 24 h')
  .requiredOption('--ref <ref>', 'whose secret')
  .option('--secret <hex>', 'the new one, 32 hex digits (drawn unless given)')
  .option('--json', 'prints JSON')
  .action(rotateSecret)

merchant.command('list').description('lists them').option('--json', 'prints JSON').action(listMerchants)

plazo.addCommand(deliveriesCommand(withHome))

plazo
  .command('serve')
  .description('serves plazo, as `pnpm start` does')
  .action(async () => {
    await import('./main.ts')
  })

plazo.parseAsync().catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`)
  process.exitCode = 1
})
