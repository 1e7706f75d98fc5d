// Checks that the service can reach a URL from here: its name resolves, and a connection (with TLS for https) succeeds.
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { type AddressGuard, portOf, type UrlRefusal } from '@plazo/adapters/http'
import { errorMessage } from '@plazo/core'
import { type Finding, ok, problem } from './finding.ts'

type Address = { readonly name: string; readonly url: string }

const CONNECT_TIMEOUT = 5000

export const BLOCKED_TODO =
  'Use another URL, or allow its network in WEBHOOK_ALLOW. Link-local and metadata addresses cannot be allowed.'

/** The advice for a URL that the address guard refuses. */
export const refusalTodo = ({ code }: UrlRefusal): string =>
  code === 'blocked_address' ? BLOCKED_TODO : 'Use another URL.'

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

const connectOnce = async (url: URL, address: string): Promise<void> => {
  const options = { host: address, port: portOf(url) }
  const isSecure = url.protocol === 'https:'
  const socket = isSecure ? connectSecurely({ ...options, servername: hostOf(url) }) : connect(options)
  const timeout = new Error(`no answer within ${CONNECT_TIMEOUT / 1000} s`)
  socket.setTimeout(CONNECT_TIMEOUT, () => socket.destroy(timeout))
  await once(socket, isSecure ? 'secureConnect' : 'connect')
  socket.destroy()
}

/** `guard`: for URLs that merchants choose. A URL that the service must not call is then wrong too. */
export const connectivityFinding = async ({ name, url }: Address, guard: AddressGuard | null): Promise<Finding> => {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    return problem(name, `${url} is not an http or https URL`, `Correct ${name}.`)
  const refusal = guard?.findRefusal(url) ?? null
  if (refusal !== null) return problem(name, `${url}: ${refusal.message}`, refusalTodo(refusal))
  try {
    const addresses = await lookup(hostOf(parsed), { all: true })
    const blocked = addresses.filter(({ address }) => guard !== null && !guard.isAllowed(address, portOf(parsed)))
    if (blocked.length > 0)
      return problem(
        name,
        `${url} has addresses that must not be called: ${blocked.map(({ address }) => address).join(', ')}`,
        BLOCKED_TODO,
      )
    const [first] = addresses
    await connectOnce(parsed, first?.address ?? '')
    return ok(name, `${parsed.origin} can be reached at ${first?.address}`)
  } catch (cause) {
    return problem(
      name,
      `${parsed.origin} cannot be reached: ${errorMessage(cause)}`,
      'Check the host name, the firewall, the certificate, and whether a server listens there.',
    )
  }
}
