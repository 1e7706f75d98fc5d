// Tests that start a server in their own process give it settings like a process: a wrong one fails
// where it is written.
import { type Config, readConfig, type ServerExtension } from '@plazo/server'
import { sandbox } from '@plazo/server/sandbox'
import * as E from 'fp-ts/lib/Either.js'

export const configFrom = (settings: Parameters<typeof readConfig>[0]) => {
  const config = readConfig(settings)
  if (E.isLeft(config)) throw new Error(config.left.join('\n'))
  return config.right
}

/** What the program of `pnpm start` passes to the server with these settings. */
export const extensionsOf = ({ mode }: Config): readonly ServerExtension[] =>
  mode === 'sandbox' ? [sandbox] : []
