// A proxy in front of a server, like one that terminates TLS. It records the requests that pass
// through it, and a test can replace responses.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { LOOPBACK_CERTIFICATE } from './loopback-certificate.ts'

export type ProxiedRequest = {
  readonly path: string
  readonly headers: Headers
  readonly body: string
  /** The body as JSON; an empty object if it is not JSON. */
  readonly json: Readonly<Record<string, unknown>>
}

/**
 * The replacement for the response. `drop` closes the connection, `hang` never responds, null lets
 * the request pass.
 */
export type ReplacementResponse =
  | { readonly status: number; readonly body: string }
  | 'drop'
  | 'hang'
  | null

/** The response waits for the promise. */
export type ResponseOverride = (
  request: ProxiedRequest,
) => ReplacementResponse | Promise<ReplacementResponse>

export type TlsProxy = {
  readonly url: string
  readonly passed: readonly ProxiedRequest[]
  readonly forwardTo: (url: string) => void
  readonly override: (override: ResponseOverride) => void
  readonly close: () => Promise<void>
}

const HOP_HEADERS = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'host',
  'expect',
  'date',
])

const withoutHopHeaders = (entries: Iterable<readonly [string, string]>): [string, string][] =>
  [...entries].filter(([name]) => !HOP_HEADERS.has(name)).map(([name, value]) => [name, value])

const jsonOf = (text: string): ProxiedRequest['json'] => {
  try {
    return JSON.parse(text) as ProxiedRequest['json']
  } catch {
    return {}
  }
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer<ArrayBuffer>> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** `isSecure`: serves https with the loopback certificate. */
export const startTlsProxy = async (isSecure: boolean): Promise<TlsProxy> => {
  const passed: ProxiedRequest[] = []
  let target = ''
  let currentOverride: ResponseOverride = () => null

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const bytes = await bodyOf(request)
    const received = Object.entries(request.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    const headers = new Headers(withoutHopHeaders(received))
    const body = bytes.toString()
    const it = { path: request.url ?? '/', headers, body, json: jsonOf(body) }
    passed.push(it)
    const instead = await currentOverride(it)
    if (instead === 'drop') return void request.socket.destroy()
    if (instead === 'hang') return
    if (instead !== null) return void response.writeHead(instead.status).end(instead.body)
    const method = request.method ?? 'GET'
    const answer = await fetch(`${target}${it.path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(method === 'GET' || method === 'HEAD' ? {} : { body: bytes }),
    })
    response.writeHead(answer.status, withoutHopHeaders(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
    void handle(request, response).catch(() => response.writeHead(502).end())
  const server = isSecure
    ? createSecureServer(LOOPBACK_CERTIFICATE, onRequest)
    : createServer(onRequest)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `${isSecure ? 'https' : 'http'}://localhost:${(server.address() as AddressInfo).port}`,
    passed,
    forwardTo: (url) => {
      target = url
    },
    override: (override) => {
      currentOverride = override
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
