// `plazo keys`: lists what is encrypted under each key of SECRET_KEY, and re-encrypts everything under the first one.
import type { KeyUsage } from '@plazo/adapters/encryption'
import { Command } from 'commander'
import type { Storage, WithStorage } from './storage.ts'
import { endProgress, type Row, refuse, say, sayList, showProgress, valueOrRefuse } from './terminal.ts'

type Json = { readonly json?: boolean }

// Orders per transaction, which then takes a few milliseconds, and the milliseconds between two, when the server gets its turn.
const ORDERS_PER_BATCH = 250
const PAUSE = 20

const countOf = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

const row = ({ id, orders, secrets }: KeyUsage, index: number): Row => [
  id,
  index === 0 ? 'seals' : 'opens',
  countOf(orders, 'order'),
  countOf(secrets, 'secret'),
]

const list =
  (withStorage: WithStorage) =>
  ({ json }: Json): Promise<void> =>
    withStorage(async ({ keyRotation }) => {
      const uses = await valueOrRefuse(keyRotation.usage())
      if (json)
        return say(JSON.stringify(uses.map((use, index) => ({ ...use, role: index === 0 ? 'seals' : 'opens' }))))
      sayList(['key', 'does', 'orders', 'secrets'], uses.map(row))
    })

const reencryptOrders = async ({ keyRotation }: Storage, total: number): Promise<number> => {
  let [done, after]: [number, number | null] = [0, 0]
  while (after !== null) {
    const page: { readonly count: number; readonly next: number | null } = await valueOrRefuse(
      keyRotation.reencryptOrders(after, ORDERS_PER_BATCH),
    )
    done += page.count
    after = page.next
    showProgress(`${done} of ${total} orders sealed anew`)
    if (after !== null) await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
  endProgress()
  return done
}

const rotate =
  (withStorage: WithStorage) =>
  ({ offline, json }: Json & { readonly offline?: boolean }): Promise<void> =>
    withStorage(async (storage) => {
      const [first, ...others] = await valueOrRefuse(storage.keyRotation.usage())
      const id = JSON.stringify(first?.id)
      if (!offline && !(await valueOrRefuse(storage.keyRotation.isInUse())))
        refuse(
          `No server has been started with the key ${id} yet, and one that runs could not open what is sealed under it: ` +
            'restart it with this SECRET_KEY first. Where none runs, say --offline.',
        )
      const orders = await reencryptOrders(
        storage,
        others.reduce((sum, use) => sum + use.orders, 0),
      )
      const secrets = await valueOrRefuse(storage.keyRotation.reencryptSecrets())
      const [, ...after] = await valueOrRefuse(storage.keyRotation.usage())
      const removable = after.filter((use) => use.orders + use.secrets === 0).map((use) => use.id)
      if (json) return say(JSON.stringify({ key: first?.id, orders, secrets, removable }))
      say(`${countOf(orders, 'order')} and ${countOf(secrets, 'secret')} sealed anew under the key ${id}.`)
      if (removable.length === after.length && after.length > 0)
        say(
          `Nothing is sealed under ${removable.map((each) => JSON.stringify(each)).join(', ')} any more: take it out of ` +
            'SECRET_KEY and restart the server. Keep it for as long as you keep backups from before now: they need it.',
        )
      else if (after.length > 0)
        say(
          'Something is still sealed under another key: a server that runs seals under it. Restart it, and rotate again.',
        )
    })

export const keysCommand = (withStorage: WithStorage): Command => {
  const keys = new Command('keys').description('the keys of SECRET_KEY that the database is sealed under')
  keys
    .command('list')
    .description('lists the keys, and how many orders and secrets are sealed under each; never a key itself')
    .option('--json', 'prints JSON: [{id, role (seals, opens), orders, secrets}]')
    .addHelpText(
      'after',
      `
Examples:
  plazo keys list
  plazo keys list --json`,
    )
    .action(list(withStorage))
  keys
    .command('rotate')
    .description('seals every order’s data key and every secret anew under the first key of SECRET_KEY')
    .option('--offline', 'no server runs on this database')
    .option('--json', 'prints JSON: {key, orders, secrets, removable: [ids]}')
    .addHelpText(
      'after',
      `
Put a new key first in SECRET_KEY and keep the old ones behind it, restart the server, then rotate beside it. It goes on in
small steps; killed at any point it has lost nothing, and run again it does what is left. It says when an old key may go.
Where several servers run, give all of them the new key behind the old ones before any of them has it first.

Examples:
  plazo keys rotate
  SECRET_KEY="2027:$NEW,2026:$OLD" plazo keys rotate --json`,
    )
    .action(rotate(withStorage))
  return keys
}
