// `plazo keys`: an operator must know when a former key of SECRET_KEY can go, and which secrets the
// providers need.
import { setTimeout as sleep } from 'node:timers/promises'
import { PROVIDER_PORTS } from '@plazo/core/internal'
import { portSecretsFrom } from '../host/providers.ts'
import { baseUrlOf, callbackUrl } from '../settings/config.ts'
import { type Json, PlazoCommand, type Storage, withStorage } from './command.ts'
import { refuse, say, sayList, valueOrRefuse } from './terminal.ts'

// A transaction of so many orders takes a few milliseconds. In the pause after it, the server gets
// its turn.
const ORDERS_PER_BATCH = 250
const PAUSE_MILLIS = 20

/** A port has a secret for each key, in the same sequence. */
const listPorts = ({ keyring, config }: Storage, json = false): void => {
  const baseUrl = baseUrlOf(config, config.port)
  const secretsOf = portSecretsFrom(keyring)
  const ports = PROVIDER_PORTS.map(
    (port) =>
      [port, { callback_url: callbackUrl(baseUrl, port), secrets: secretsOf(port) }] as const,
  )
  if (json) say(JSON.stringify(Object.fromEntries(ports)))
  else
    sayList(
      ['port', 'callback URL', 'secrets'],
      ports.map(([port, { callback_url, secrets }]) => [port, callback_url, secrets.join(',')]),
    )
}

type ListOptions = Json & { readonly ports?: boolean }

const list = withStorage(async (storage, { ports, json }: ListOptions) => {
  if (ports) return listPorts(storage, json)
  const usage = await valueOrRefuse(storage.keyRotation.usage())
  const keys = usage.map(({ id, orders, secrets }, index) => ({
    id,
    orders,
    secrets,
    role: index === 0 ? 'seals' : 'opens',
  }))
  if (json) return say(JSON.stringify(keys))
  sayList(
    ['key', 'does', 'orders', 'secrets'],
    keys.map(({ id, role, orders, secrets }) => [id, role, `${orders}`, `${secrets}`]),
  )
})

const reencryptOrders = async ({ keyRotation }: Storage): Promise<number> => {
  let count = 0
  for (let after: number | null = 0; after !== null; ) {
    const page: { readonly count: number; readonly next: number | null } = await valueOrRefuse(
      keyRotation.reencryptOrders(after, ORDERS_PER_BATCH),
    )
    count += page.count
    after = page.next
    if (after !== null) await sleep(PAUSE_MILLIS)
  }
  return count
}

const rotate = withStorage(
  async (storage, { offline, json }: Json & { readonly offline?: boolean }) => {
    const { keyRotation } = storage
    const [firstKey] = await valueOrRefuse(keyRotation.usage())
    if (!offline && !firstKey?.isInUse)
      refuse(
        'No server has used the first key of SECRET_KEY yet. Restart the running server with this SECRET_KEY first. If no ' +
          'server runs, add --offline.',
      )
    const orders = await reencryptOrders(storage)
    const secrets = await valueOrRefuse(keyRotation.reencryptSecrets())
    const [first, ...others] = await valueOrRefuse(keyRotation.usage())
    const removable = others.filter((use) => use.orders + use.secrets === 0).map(({ id }) => id)
    if (json) return say(JSON.stringify({ key: first?.id, orders, secrets, removable }))
    say(`Re-encrypted ${orders} orders and ${secrets} secrets under the key "${first?.id}".`)
    if (removable.length < others.length)
      say('A running server still uses another key. Restart it, then rotate again.')
    else if (removable.length > 0)
      say(
        `Nothing is encrypted under ${removable.join(', ')} any more. Remove it from SECRET_KEY and restart the server. Older backups need it.`,
      )
  },
)

export const keysCommand = (): PlazoCommand => {
  const keys = new PlazoCommand('keys').description(
    'the keys of SECRET_KEY that encrypt the database',
  )
  keys
    .command('list')
    .description('lists the keys and how much each encrypts; never shows a key')
    .option('--ports', 'shows the secrets of each port’s provider instead')
    .json(
      ': [{id, role (seals, opens), orders, secrets}]; --ports: {<port>: {callback_url, secrets}}',
    )
    .notes('Give each provider only the secrets of their port.')
    .examples('plazo keys list --ports')
    .action(list)
  keys
    .command('rotate')
    .description('re-encrypts everything under the first key of SECRET_KEY')
    .option('--offline', 'no server runs on this database')
    .json(': {key, orders, secrets, removable: [ids]}')
    .notes(
      'Put a new key first in SECRET_KEY, and restart the server before. If the command is killed, run it again.',
    )
    .examples('SECRET_KEY="2027:$NEW,2026:$OLD" plazo keys rotate')
    .action(rotate)
  return keys
}
