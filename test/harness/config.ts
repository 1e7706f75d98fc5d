// Tests that start a server in their own process give it settings like a process: a wrong one fails
// where it is written.
import { readConfig } from '@plazo/server'
import * as E from 'fp-ts/lib/Either.js'

export const configFrom = (settings: Parameters<typeof readConfig>[0]) => {
  const config = readConfig(settings)
  if (E.isLeft(config)) throw new Error(config.left.join('\n'))
  return config.right
}
