// A served shop, to which tests add accounts with the command line while it runs, next to the demo merchant's.
import { servedShopOnFile } from '../end-to-end/served-shop.ts'
import { merchantWords } from './command-line.ts'
import { type Shop, shopAt } from './shop.ts'

export const servedAccounts = async (env: Readonly<Record<string, string>> = {}) => {
  const { server, plazo } = await servedShopOnFile(env)
  /** Resolves to a shop that uses the account and places orders as this merchant. */
  const add = async (ref: string, account: string, ...more: readonly string[]): Promise<Shop> => {
    const credentials = { username: account, password: `${account}-secret` }
    await plazo.json(...merchantWords(ref, { name: `Shop ${ref}`, ...credentials }), ...more)
    const shop = shopAt(server.url, credentials)
    return {
      ...shop,
      place: (order = {}) => shop.place({ ...order, merchant: { id: ref, ...order.merchant } }),
    }
  }
  return { server, plazo, add }
}
