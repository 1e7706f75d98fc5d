// A merchant's receiver on the loopback address. It records every request and responds as a test
// says.
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type ReceivedRequest = {
  readonly method: string
  /** Path and query, as in the request line. */
  readonly target: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The body, parsed as a form. */
  readonly fields: Readonly<Record<string, string>>
}

type Reply = {
  readonly status: number
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * A reply or a function that returns one. If the function returns null, it handles the response
 * itself.
 */
export type Answer = Reply | ((request: ReceivedRequest, response: ServerResponse) => Reply | null)

export type Receiver = {
  readonly url: string
  /** One for each listener. The first is `url`. */
  readonly urls: readonly string[]
  readonly received: readonly ReceivedRequest[]
  /** Sets the answer for requests to this path. */
  readonly answer: (path: string, answer: Answer) => void
  readonly close: () => Promise<void>
}

/**
 * `otherwise`: the answer for paths without one of their own. `listeners`: Node accepts one
 * connection of each in a turn of its event loop, so hundreds of shops at one listener wait for each
 * other.
 */
export const startReceiver = async (
  otherwise: Answer = { status: 200 },
  listeners = 1,
): Promise<Receiver> => {
  const received: ReceivedRequest[] = []
  const answers = new Map<string, Answer>()
  const handle: RequestListener = async (request, response) => {
    const body = (await buffer(request)).toString()
    const { method = '', url: target = '' } = request
    const path = target.split('?')[0] ?? ''
    const it: ReceivedRequest = {
      method,
      target,
      path,
      headers: request.headers,
      body,
      fields: Object.fromEntries(new URLSearchParams(body)),
    }
    received.push(it)
    const input = answers.get(path) ?? otherwise
    const reply = typeof input === 'function' ? input(it, response) : input
    if (reply === null) return
    response.writeHead(reply.status, reply.headers)
    response.end(reply.body ?? '')
  }
  const servers = Array.from({ length: listeners }, () => createServer(handle))
  const urls = await Promise.all(
    servers.map(async (server) => {
      await once(server.listen(0, '127.0.0.1'), 'listening')
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    }),
  )
  return {
    url: urls[0] ?? '',
    urls,
    received,
    answer: (path, answer) => void answers.set(path, answer),
    close: async () => {
      const closing = servers.map(async (server) => {
        server.close()
        server.closeAllConnections()
        await once(server, 'close')
      })
      await Promise.all(closing)
    },
  }
}
