// Tests that start a server in their own process give it settings like a process: a wrong one fails
// where it is written.
import {
  type ComposeOptions,
  type Config,
  compose,
  type Plazo,
  readConfig,
} from '@plazo/server/internal'
import { composeSandbox } from '@plazo/server/sandbox'
import * as E from 'fp-ts/lib/Either.js'

export const configFrom = (settings: Parameters<typeof readConfig>[0]) => {
  const config = readConfig(settings)
  if (E.isLeft(config)) throw new Error(config.left.join('\n'))
  return config.right
}

/** Composes what the program of `pnpm start` does with these settings. */
export const composeInMode = (config: Config, options: ComposeOptions): Promise<Plazo> =>
  (config.mode === 'sandbox' ? composeSandbox : compose)(config, options)
