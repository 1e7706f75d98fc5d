// Commands work on the server's own settings and database: this opens them for as long as a command runs.
import { existsSync } from 'node:fs'
import { createTestClock } from '@plazo/adapters/sandbox'
import type { Clock } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { openStorage } from '../compose/storage.ts'
import { type Config, type Mode, readConfig } from '../config.ts'
import { refuse, refuseValue, valueOrRefuse } from './terminal.ts'

export type Storage = Awaited<ReturnType<typeof openStorage>> & { readonly mode: Mode }

export type WithStorage = (run: (storage: Storage, config: Config) => Promise<void>) => Promise<void>

export type WithConfig = (run: (config: Config) => Promise<void>) => Promise<void>

/** For commands that open no database, or open it in their own way. */
export const withConfig: WithConfig = async (run) => {
  const config = readConfig(process.env)
  if (E.isLeft(config)) return refuse(...config.left)
  await run(config.right)
}

// The command would get an in-memory database of its own, which is gone when the command ends.
const refuseMemory = ({ database }: Config): void => {
  if (database.type === 'sqlite' && database.path === ':memory:')
    refuseValue(
      'DATABASE_URL',
      'sqlite::memory:',
      'a file or a PostgreSQL database, because only the server itself can open a database in memory',
    )
}

// A mistyped path would create a new database, and every check would pass on it.
const refuseMissing = ({ database }: Config): void => {
  if (database.type === 'sqlite' && database.path !== ':memory:' && !existsSync(database.path))
    refuse(
      `DATABASE_URL is ${database.path}, which does not exist. Correct it, or start the server, which creates a new database.`,
    )
}

/** Opens the database that the settings name, and creates it if it is missing. */
export const withNewStorage: WithStorage = (run) =>
  withConfig(async (config) => {
    refuseMemory(config)
    // A running server in another container looks dead from here. Its claims are left to the next server.
    const storage = await openStorage(config, { reclaimsDeadClaims: false })
    try {
      await run({ ...storage, mode: config.mode }, config)
    } finally {
      await storage.close()
    }
  })

/** Opens the database that the settings name; refuses if its file is missing. */
export const withStorage: WithStorage = (run) =>
  withConfig(async (config) => {
    refuseMissing(config)
    await withNewStorage(run)
  })

/** The running server's time, which a sandbox may have moved. */
export const clockOf = async ({ mode, sandboxStore, clock }: Storage): Promise<Clock> =>
  mode === 'production' ? clock : valueOrRefuse(createTestClock(sandboxStore, { realNow: clock.now }))

export const merchantNotFound = (option: string, ref: string): string =>
  `${option} is ${JSON.stringify(ref)}, but no merchant has that reference. \`plazo merchant list\` lists them.`

/** Returns the given reference; refuses if no merchant has it. */
export const requireMerchant = async ({ merchants }: Storage, ref: string): Promise<string> =>
  (await valueOrRefuse(merchants.find(ref))) === null ? refuse(merchantNotFound('--merchant', ref)) : ref
