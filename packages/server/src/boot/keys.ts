// `plazo keys`: lists what is encrypted under each key of SECRET_KEY, and the secrets of providers that are derived from these keys,
// and re-encrypts everything under the first key. docs/providers.md.
import { PROVIDER_PORTS } from '@plazo/core/protocol'
import { type Json, PlazoCommand, type Storage, withStorage } from '../command-line/command.ts'
import {
  endProgress,
  refuse,
  say,
  sayList,
  showProgress,
  valueOrRefuse,
} from '../command-line/terminal.ts'
import { baseUrlOf, callbackUrl } from '../settings/config.ts'
import { portSecretsFrom } from './providers.ts'

// A transaction of so many orders takes a few milliseconds. In the pause after it, the server gets
// its turn.
const ORDERS_PER_BATCH = 250
const PAUSE_MILLIS = 20

const countOf = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

/** A port has a secret for each key, in the same sequence. */
const listPorts = ({ keyring, config }: Storage, json = false): void => {
  const baseUrl = baseUrlOf(config, config.port)
  const secretsOf = portSecretsFrom(keyring)
  const ports = PROVIDER_PORTS.map((port) => ({
    port,
    callback_url: callbackUrl(baseUrl, port),
    secrets: secretsOf(port),
  }))
  if (json) say(JSON.stringify(Object.fromEntries(ports.map(({ port, ...rest }) => [port, rest]))))
  else
    sayList(
      ['port', 'callback URL', 'secrets'],
      ports.map(({ port, callback_url, secrets }) => [port, callback_url, secrets.join(',')]),
    )
}

type ListOptions = Json & { readonly ports?: boolean }

const list = withStorage(async (storage, { ports, json }: ListOptions) => {
  if (ports) return listPorts(storage, json)
  const { keyRotation } = storage
  const usage = await valueOrRefuse(keyRotation.usage())
  const keys = usage.map((use, index) => ({ ...use, role: index === 0 ? 'seals' : 'opens' }))
  if (json) return say(JSON.stringify(keys))
  sayList(
    ['key', 'does', 'orders', 'secrets'],
    keys.map(({ id, role, orders, secrets }) => [
      id,
      role,
      countOf(orders, 'order'),
      countOf(secrets, 'secret'),
    ]),
  )
})

const reencryptOrders = async ({ keyRotation }: Storage, total: number): Promise<number> => {
  let [done, after]: [number, number | null] = [0, 0]
  while (after !== null) {
    const page: { readonly count: number; readonly next: number | null } = await valueOrRefuse(
      keyRotation.reencryptOrders(after, ORDERS_PER_BATCH),
    )
    done += page.count
    after = page.next
    showProgress(`${done} of ${total} orders re-encrypted`)
    if (after !== null) await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS))
  }
  endProgress()
  return done
}

const rotate = withStorage(
  async (storage, { offline, json }: Json & { readonly offline?: boolean }) => {
    const [first, ...others] = await valueOrRefuse(storage.keyRotation.usage())
    const id = JSON.stringify(first?.id)
    if (!offline && !(await valueOrRefuse(storage.keyRotation.isInUse())))
      refuse(
        `No server has used the key ${id} yet. A running server could not decrypt data under it: restart it with this ` +
          'SECRET_KEY first. If no server runs, add --offline.',
      )
    const orders = await reencryptOrders(
      storage,
      others.reduce((sum, use) => sum + use.orders, 0),
    )
    const secrets = await valueOrRefuse(storage.keyRotation.reencryptSecrets())
    const [, ...after] = await valueOrRefuse(storage.keyRotation.usage())
    const removable = after.filter((use) => use.orders + use.secrets === 0).map((use) => use.id)
    if (json) return say(JSON.stringify({ key: first?.id, orders, secrets, removable }))
    say(
      `Re-encrypted ${countOf(orders, 'order')} and ${countOf(secrets, 'secret')} under the key ${id}.`,
    )
    if (removable.length === after.length && after.length > 0)
      say(
        `Nothing is encrypted under ${removable.map((each) => JSON.stringify(each)).join(', ')} any more. Remove it from ` +
          'SECRET_KEY and restart the server. Keep it while you keep older backups, which need it.',
      )
    else if (after.length > 0)
      say(
        'Some data is still encrypted under another key, which a running server uses. Restart that server, then rotate again.',
      )
  },
)

export const keysCommand = (): PlazoCommand => {
  const keys = new PlazoCommand('keys').description(
    'the keys of SECRET_KEY that encrypt the database',
  )
  keys
    .command('list')
    .description('lists the keys and how many orders and secrets each encrypts; never shows a key')
    .option('--ports', 'shows the secrets that sign the requests to each port’s provider instead')
    .json(
      ': [{id, role (seals, opens), orders, secrets}]; --ports: {<port>: {callback_url, secrets}}',
    )
    .notes('Give each provider only the secrets of their port.')
    .examples(
      'plazo keys list',
      'PORTS="$(plazo keys list --ports --json)" node docs/providers/sample.ts',
    )
    .action(list)
  keys
    .command('rotate')
    .description(
      're-encrypts every order’s data key and every secret under the first key of SECRET_KEY',
    )
    .option('--offline', 'no server runs on this database')
    .json(': {key, orders, secrets, removable: [ids]}')
    .notes(`Put a new key first in SECRET_KEY and keep the old ones behind it. Restart the server, then rotate while it runs. The
command works in small steps. If it is killed, nothing is lost: run it again, and it continues. It reports when an old
key can be removed. If several servers run, add the new key behind the old ones on all servers before you put it first.`)
    .examples('plazo keys rotate', 'SECRET_KEY="2027:$NEW,2026:$OLD" plazo keys rotate --json')
    .action(rotate)
  return keys
}
