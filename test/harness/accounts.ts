// Starts a server on a database file and adds accounts to it with the command line while it runs,
// next to the demo merchant's.
import { commandLine } from './command-line.ts'
import { temporaryPath } from './ports-and-folders.ts'
import { type RunningServer, startServer } from './running-server.ts'
import { type Shop, shopAt } from './shop.ts'

type ServerWithAccounts = {
  readonly server: RunningServer
  /** The database's file. */
  readonly path: string
  /**
   * Adds a merchant and returns a shop that uses the new account and places orders as that
   * merchant.
   */
  readonly add: (ref: string, account: string, ...more: readonly string[]) => Promise<Shop>
  readonly close: () => Promise<void>
}

export const startWithAccounts = async (
  env: Readonly<Record<string, string>> = {},
): Promise<ServerWithAccounts> => {
  const { path, remove } = temporaryPath('plazo.db')
  const settings = { ...env, DATABASE_URL: `sqlite:${path}` }
  const server = await startServer({ env: settings })
  const plazo = commandLine(settings)
  return {
    server,
    path,
    add: async (ref, account, ...more) => {
      const password = `${account}-secret`
      const named = [
        '--ref',
        ref,
        '--name',
        `Shop ${ref}`,
        '--username',
        account,
        '--password',
        password,
      ]
      const { code, stderr } = await plazo.run('merchant', 'add', ...named, ...more)
      if (code !== 0) throw new Error(stderr)
      const shop = shopAt(server.url, { username: account, password })
      return {
        ...shop,
        place: (order = {}) => shop.place({ ...order, merchant: { id: ref, ...order.merchant } }),
      }
    },
    close: async () => {
      await server.kill()
      remove()
    },
  }
}
