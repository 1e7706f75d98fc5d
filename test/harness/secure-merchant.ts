// An https merchant for tests. It uses the certificate of `loopback-certificate.ts` unless a test gives another.
import { createServer, type ServerOptions } from 'node:https'
import type { TlsOptions } from 'node:tls'
import { LOOPBACK_CERTIFICATE } from './loopback-certificate.ts'
import { listen } from './raw-merchant.ts'

/** `drops`: the number of the request, from 1, that is answered by closing the connection. */
export const secureMerchant = async (overrides: Partial<TlsOptions> = {}, drops = 0) => {
  let [requests, connections] = [0, 0]
  const options: ServerOptions = { ...LOOPBACK_CERTIFICATE, ...overrides, keepAliveTimeout: 60_000 }
  const server = createServer(options, (request, response) => {
    request.resume()
    requests++
    if (requests === drops) request.socket.destroy()
    else response.end('{}')
  })
  server.on('secureConnection', () => connections++)
  const port = await listen(server)
  return { port, url: `https://localhost:${port}/`, requests: () => requests, connections: () => connections }
}
