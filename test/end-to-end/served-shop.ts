// Starts one server for a test file, until the file ends, with the demo merchant's shop and a
// receiver for its webhooks.
import { afterAll } from 'vitest'
import { commandLine } from '../harness/command-line.ts'
import { temporaryPath } from '../harness/ports-and-folders.ts'
import { startReceiver } from '../harness/receiver.ts'
import { startServer } from '../harness/running-server.ts'
import { shopAt } from '../harness/shop.ts'
import { stagesOf } from './stages.ts'

export const servedShop = async (env: Readonly<Record<string, string>> = {}) => {
  const receiver = await startReceiver()
  const server = await startServer({ env })
  afterAll(async () => {
    await server.kill()
    await receiver.close()
  })
  const shop = shopAt(server.url)
  return { server, receiver, shop, stages: stagesOf(shop) }
}

/**
 * With its database in a file, for a command line next to the server and for tests that read the
 * file.
 */
export const servedShopOnFile = async (settings: Readonly<Record<string, string>> = {}) => {
  const { path, remove } = temporaryPath('plazo.db')
  afterAll(remove)
  const env = { DATABASE_URL: `sqlite:${path}`, ...settings }
  return { ...(await servedShop(env)), path, env, plazo: commandLine(env) }
}
