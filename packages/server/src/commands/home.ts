// What a command works on: the server's own settings and database, opened for as long as the command runs.
import { existsSync } from 'node:fs'
import { movableClock } from '@plazo/adapters/sandbox'
import type { Clock } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { type Config, type Mode, readConfig } from '../config.ts'
import { openHome } from '../open-home.ts'
import { orRefuse, refuse, wrong } from './terminal.ts'

export type Home = Awaited<ReturnType<typeof openHome>> & { readonly mode: Mode }

export type WithHome = (run: (home: Home, config: Config) => Promise<void>) => Promise<void>

export type WithConfig = (run: (config: Config) => Promise<void>) => Promise<void>

/** For what opens no database, or in a way of its own. */
export const withConfig: WithConfig = async (run) => {
  const config = readConfig(process.env)
  if (E.isLeft(config)) return refuse(...config.left)
  await run(config.right)
}

// A command would work on a database of its own, which ends with it.
const refuseMemory = ({ database }: Config): void => {
  if (database.type === 'sqlite' && database.path === ':memory:')
    wrong('DATABASE_URL', 'sqlite::memory:', 'a file or a PostgreSQL database, because only its own server can open one in memory')
}

// A mistyped path would be a new database, and all be well with it.
const refuseMissing = ({ database }: Config): void => {
  if (database.type === 'sqlite' && database.path !== ':memory:' && !existsSync(database.path))
    refuse(
      `DATABASE_URL leads to ${database.path}, and there is no such file: mend it, or start the server, which makes a new database.`,
    )
}

/** Opens what the server's settings say, and makes it where it is not there. */
export const withNewHome: WithHome = (run) =>
  withConfig(async (config) => {
    refuseMemory(config)
    // In another container a living server looks like one that is gone: what it has claimed is left to the next server.
    const home = await openHome(config, { takesOver: false })
    try {
      await run({ ...home, mode: config.mode }, config)
    } finally {
      await home.close()
    }
  })

/** Opens what the server's settings say. */
export const withHome: WithHome = (run) =>
  withConfig(async (config) => {
    refuseMissing(config)
    await withNewHome(run)
  })

/** The running server's own time, which a sandbox may have moved. */
export const clockOf = async ({ mode, shelf, clock }: Home): Promise<Clock> =>
  mode === 'production' ? clock : orRefuse(movableClock(shelf, { realNow: clock.now }))

export const noMerchant = (option: string, ref: string): string =>
  `${option} is ${JSON.stringify(ref)}: there is no merchant of that name. \`plazo merchant list\` shows them.`

/** The reference given, if there is such a merchant. */
export const known = async ({ merchants }: Home, ref: string): Promise<string> =>
  (await orRefuse(merchants.find(ref))) === null ? refuse(noMerchant('--merchant', ref)) : ref
