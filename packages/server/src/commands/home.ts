// What a command works on: the server's own settings and database, opened for as long as the command runs.
import { movableClock, type SandboxShelf } from '@plazo/adapters/sandbox'
import { openSqlite } from '@plazo/adapters/sqlite'
import type { Clock, Merchants, Store } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { type Config, readConfig } from '../config.ts'
import { orRefuse, refuse } from './terminal.ts'

export type Home = { readonly store: Store; readonly merchants: Merchants; readonly shelf: SandboxShelf }

export type WithHome = (run: (home: Home, config: Config) => Promise<void>) => Promise<void>

/** Opens what the server's settings say. */
export const withHome: WithHome = async (run) => {
  const config = readConfig(process.env)
  if (E.isLeft(config)) return refuse(...config.left)
  const home = openSqlite(config.right.sqlitePath)
  try {
    await run(home, config.right)
  } finally {
    await home.close()
  }
}

/** The running server's own time, which a sandbox may have moved. */
export const clockOf = ({ shelf }: Home): Promise<Clock> => orRefuse(movableClock(shelf))

export const noMerchant = (option: string, ref: string): string =>
  `${option} is ${JSON.stringify(ref)}: there is no merchant of that name. \`plazo merchant list\` shows them.`

/** The reference given, if there is such a merchant. */
export const known = async ({ merchants }: Home, ref: string): Promise<string> =>
  (await orRefuse(merchants.find(ref))) === null ? refuse(noMerchant('--merchant', ref)) : ref
