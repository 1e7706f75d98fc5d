// All commands are made alike. Their help ends with examples, and they work on the server's own
// settings and database.
import { existsSync } from 'node:fs'
import type { Clock, Merchant } from '@plazo/core/ports'
import { Command, Help } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { openStorage } from '../host/storage.ts'
import { type Config, readConfig } from '../settings/config.ts'
import { refuse, refuseValue, valueOrRefuse } from './terminal.ts'

export type Json = { readonly json?: boolean }

export type Storage = Awaited<ReturnType<typeof openStorage>> & {
  readonly config: Config
  /** The running server's time, which may have been moved. */
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

  override createCommand(name?: string): PlazoCommand {
    return new PlazoCommand(name)
  }

  /** `shape`: the members of the JSON, where they are not obvious. */
  json(shape = ''): this {
    return this.option('--json', `prints JSON${shape}`)
  }

  /** The one way to name a merchant. */
  merchantOption(): this {
    return this.requiredOption('--merchant <ref>', 'the merchant’s ref')
  }

  /** The argument is an order, as `findOneOrder` finds it. */
  orderArgument(): this {
    return this.argument(
      '<reference>',
      'its order_ref or its beginning, order_ref_1 or order_ref_2',
    )
  }

  /** For what cannot be undone: the action begins with `requireYes`. */
  asksFirst(): this {
    return this.option('--yes', 'does it without a question; needed without a terminal')
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

const openClock = async (
  { policy }: Config,
  { clock, records }: Pick<Storage, 'clock' | 'records'>,
): Promise<Clock> => {
  if (!policy.movesClock) return clock
  const { createTestClock } = await import('@plazo/adapters/internal/sandbox')
  return valueOrRefuse(createTestClock(records, { realNow: clock.now }))
}

/** Opens the database that the settings name, and creates it if it is missing. */
export const withNewStorage: Action<Storage> = (run) =>
  withConfig(async (config, ...parameters) => {
    const { database } = config
    // The command would get an in-memory database of its own, which is gone when the command ends.
    if (database.type === 'sqlite' && database.path === ':memory:')
      refuseValue(
        'DATABASE_URL',
        'sqlite::memory:',
        'a file or a PostgreSQL database, because only the server itself can open a database in memory',
      )
    // A running server in another container looks dead from here. Its claims are left to the next
    // server.
    const storage = await openStorage(config, {}, null)
    try {
      const serviceClock = await openClock(config, storage)
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

/** Returns the merchant with this reference; refuses if there is none. */
export const requireMerchant = async (
  { merchants }: Pick<Storage, 'merchants'>,
  ref: string,
): Promise<Merchant> =>
  (await valueOrRefuse(merchants.find(ref))) ??
  refuse(
    `--merchant is ${JSON.stringify(ref)}, but no merchant has that reference. \`plazo merchant list\` lists them.`,
  )
