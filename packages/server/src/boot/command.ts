// All commands are made alike. Their help ends with examples. They work on the server's own
// settings and database, or call a running sandbox over HTTP, because only that server can move its
// clock.
import { existsSync } from 'node:fs'
import { createTestClock } from '@plazo/adapters/sandbox'
import { type WireNames, wireNames } from '@plazo/core'
import type { Clock } from '@plazo/core/ports'
import { Command, type ErrorOptions, Help, Option } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { baseUrlOf, type Config, readConfig } from './config.ts'
import { START } from './own-commands.ts'
import { openStorage } from './storage.ts'
import { refuse, refuseValue, valueOrRefuse } from './terminal.ts'

export type Json = { readonly json?: boolean }

export type Storage = Awaited<ReturnType<typeof openStorage>> & {
  readonly config: Config
  /** The running server's time, which a sandbox may have moved. */
  readonly serviceClock: Clock
}

/**
 * A command whose help and errors are like those of all others. Its subcommands are of the same
 * kind.
 */
export class PlazoCommand extends Command {
  constructor(name?: string) {
    super(name)
    this.showHelpAfterError('Run with --help for usage.')
    this.configureHelp({
      optionDescription: (option) =>
        `${Help.prototype.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`,
    })
  }

  /** Names every missing option. The parser names only the first. */
  override error(message: string, options?: ErrorOptions): never {
    const missing = this.options.filter(
      (option) => option.mandatory && this.getOptionValue(option.attributeName()) === undefined,
    )
    const namesAll = options?.code === 'commander.missingMandatoryOptionValue' && missing.length > 1
    const flags = missing.map((option) => `'${option.flags}'`).join(', ')
    return super.error(
      namesAll ? `error: required options ${flags} not specified` : message,
      options,
    )
  }

  override createCommand(name?: string): PlazoCommand {
    return new PlazoCommand(name)
  }

  /** Each command has its own settings, made by its constructor. */
  override copyInheritedSettings(): this {
    return this
  }

  /** `shape`: the members of the JSON, where they are not obvious. */
  json(shape = ''): this {
    return this.option('--json', `prints JSON${shape}`)
  }

  /** The command and its subcommands do not exist in production. */
  onlyInSandbox(): this {
    return this.hook('preAction', () => {
      if (process.env.MODE === 'production')
        refuse(`\`plazo ${this.name()}\` exists only in a sandbox, but MODE is production.`)
    })
  }

  /** The command calls a running sandbox. */
  sandboxOptions(): this {
    return this.option('--url <url>', 'the address of the sandbox', sandboxUrl())
  }

  /** The same, as one of its merchants: `SandboxMerchant`. */
  sandboxMerchantOptions(): this {
    return this.sandboxOptions()
      .option('--merchant <ref>', 'the merchant’s ref', 'demo')
      .option('--username <username>', 'the merchant’s username', 'demo')
      .addOption(
        new Option('--password <password>', 'the merchant’s password')
          .default('demo')
          .env('MERCHANT_PASSWORD'),
      )
  }

  notes(text: string): this {
    return this.addHelpText('after', `\n${text}`)
  }

  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`)
  }
}

/**
 * Makes the action of a command. `run` gets what the action works on, then the command's own
 * arguments and options.
 */
type Action<On> = <Given extends readonly unknown[]>(
  run: (on: On, ...parameters: Given) => Promise<void>,
) => (...parameters: Given) => Promise<void>

/** For commands that open no database, or open it in their own way. */
export const withConfig: Action<Config> =
  (run) =>
  async (...parameters) => {
    const config = readConfig(process.env)
    if (E.isLeft(config)) return refuse(...config.left)
    await run(config.right, ...parameters)
  }

/** Opens the database that the settings name, and creates it if it is missing. */
export const withNewStorage: Action<Storage> = (run) =>
  withConfig(async (config, ...parameters) => {
    const { mode, database } = config
    // The command would get an in-memory database of its own, which is gone when the command ends.
    if (database.type === 'sqlite' && database.path === ':memory:')
      refuseValue(
        'DATABASE_URL',
        'sqlite::memory:',
        'a file or a PostgreSQL database, because only the server itself can open a database in memory',
      )
    // A running server in another container looks dead from here. Its claims are left to the next
    // server.
    const storage = await openStorage(config, { reclaimsDeadClaims: false })
    const { records, clock } = storage
    try {
      const serviceClock =
        mode === 'production'
          ? clock
          : await valueOrRefuse(createTestClock(records, { realNow: clock.now }))
      await run({ ...storage, config, serviceClock }, ...parameters)
    } finally {
      await storage.close()
    }
  })

/** Opens the database that the settings name; refuses if its file is missing. */
export const withStorage: Action<Storage> = (run) =>
  withConfig(async (config, ...parameters) => {
    const { database } = config
    // A mistyped path would create a new database, and every check would pass on it.
    if (database.type === 'sqlite' && database.path !== ':memory:' && !existsSync(database.path))
      refuse(
        `DATABASE_URL is ${database.path}, which does not exist. Correct it, or start the server, which creates a new database.`,
      )
    await withNewStorage(run)(...parameters)
  })

export const merchantNotFound = (option: string, ref: string): string =>
  `${option} is ${JSON.stringify(ref)}, but no merchant has that reference. \`plazo merchant list\` lists them.`

/** Returns the given reference; refuses if no merchant has it. */
export const requireMerchant = async ({ merchants }: Storage, ref: string): Promise<string> =>
  (await valueOrRefuse(merchants.find(ref))) === null
    ? refuse(merchantNotFound('--merchant', ref))
    : ref

/** The address of the sandbox next to which the command runs. */
const sandboxUrl = (): string => {
  const { BASE_URL, HOST, PORT } = process.env
  return baseUrlOf({ baseUrl: BASE_URL || null, host: HOST || '127.0.0.1' }, Number(PORT || 3000))
}

export type SandboxMerchant = {
  readonly [option in 'url' | 'merchant' | 'username' | 'password']: string
}

export const basicAuthorization = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** The names on the wire of a sandbox with the settings of this command. */
export const sandboxNames = (): WireNames =>
  wireNames(process.env.SERVICE_NAME || 'Service', process.env.IPN_STATE_PARAMETER || 'sq_state')

/** For a rejected call to the server at `base`. */
export const refuseUnreachable =
  (base: string) =>
  (cause: unknown): never =>
    refuse(
      cause instanceof TypeError
        ? `No server answers at ${base}. Start one with \`${START}\`, or give its address with --url.`
        : String(cause instanceof Error ? cause.message : cause),
    )

/** Returns the JSON of an answer; refuses if the server is not a sandbox, or refuses the call. */
export const callSandbox = async (
  url: string,
  path: string,
  init: RequestInit = {},
): Promise<unknown> => {
  const base = url.replace(/\/+$/, '')
  const response = await fetch(`${base}${path}`, init).catch(refuseUnreachable(base))
  if (response.status === 404)
    return refuse(`The server at ${base} is not a sandbox: it has no ${path}.`)
  const body: unknown = await response.json().catch(() => null)
  // A long advance has sent its status before it fails.
  const detail =
    typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : null
  return response.ok && detail === null
    ? body
    : refuse(`The server at ${base} answers ${response.status}: ${detail ?? 'no JSON'}`)
}
