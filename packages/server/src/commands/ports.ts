// `plazo ports`: lists who answers each port, and what a provider must know to answer it. docs/providers.md.
import { PROVIDER_PORTS } from '@plazo/core'
import { callbackUrl, portSecretsFrom } from '../compose/providers.ts'
import { baseUrlOf } from '../config.ts'
import { type Json, PlazoCommand, withStorage } from './command.ts'
import { say, sayList } from './terminal.ts'

const list = withStorage(async ({ keyring, config }, { json }: Json) => {
  const baseUrl = baseUrlOf(config, config.port)
  const secretsOf = portSecretsFrom(keyring)
  const ports = PROVIDER_PORTS.map((port) => ({
    port,
    url: config.providers[port],
    callback_url: callbackUrl(baseUrl, port),
    secrets: secretsOf(port),
  }))
  if (json) return say(JSON.stringify(Object.fromEntries(ports.map(({ port, ...rest }) => [port, rest]))))
  sayList(
    ['port', 'provider', 'callback URL', 'secrets'],
    ports.map(({ port, url, callback_url, secrets }) => [port, url ?? 'the sandbox', callback_url, secrets.join(',')]),
  )
})

export const portsCommand = (): PlazoCommand =>
  new PlazoCommand('ports')
    .description('lists providers: URL, callback URL, signing secrets')
    .json(': {<port>: {url (null: the sandbox), callback_url, secrets}}')
    .notes(
      'A port has one secret for each key of SECRET_KEY, in the same order. Give each provider only the secrets of their port.',
    )
    .examples('plazo ports', 'PORTS="$(plazo ports --json)" node docs/providers/sample.ts')
    .action(list)
