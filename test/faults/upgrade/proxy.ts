// A load balancer as simple as they come: it asks no /readyz, keeps its connections to the servers,
// tries another server if one refuses the connection, and repeats only a GET. nginx does the same
// with `proxy_next_upstream`'s default.
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/**
 * `portsOf`: the servers that take part now, in the order in which they are tried. A request that
 * fails gets 502 and the reason.
 */
export const startProxy = async (portsOf: () => readonly number[]) => {
  const agent = new Agent({ keepAlive: true })

  const forward = (
    incoming: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
    ports: readonly number[],
  ): void => {
    const { method = 'GET', url = '/', headers } = incoming
    const [port, ...others] = ports
    if (port === undefined) return void outgoing.writeHead(502).end('no server')
    const sending = request(
      { agent, host: '127.0.0.1', port, method, path: url, headers },
      (answer) => {
        const { connection: _, 'keep-alive': __, ...rest } = answer.headers
        outgoing.writeHead(answer.statusCode ?? 502, rest)
        answer.pipe(outgoing)
        answer.on('error', () => outgoing.destroy())
      },
    )
    sending.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED' || method === 'GET')
        return forward(incoming, body, outgoing, others)
      if (!outgoing.headersSent) outgoing.writeHead(502).end(code)
    })
    sending.end(body)
  }

  const server = createServer(async (incoming, outgoing) =>
    forward(incoming, await buffer(incoming), outgoing, portsOf()),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      agent.destroy()
    },
  }
}
