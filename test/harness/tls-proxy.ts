// A proxy in front of a server, like one that terminates TLS. It records the requests that pass
// through it, and a test can replace responses.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { LOOPBACK_CERTIFICATE } from './loopback-certificate.ts'

export type ProxiedRequest = {
  readonly path: string
  readonly headers: Headers
  readonly body: string
  /** The body as JSON; an empty object if it is not JSON. */
  readonly json: Readonly<Record<string, unknown>>
}

export type ReplacementResponse = { readonly status: number; readonly body: string }

/** Null lets the request pass. */
export type ResponseOverride = (request: ProxiedRequest) => ReplacementResponse | null

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

/** `isSecure`: serves https with the loopback certificate. */
export const startTlsProxy = async (isSecure: boolean) => {
  const passed: ProxiedRequest[] = []
  let target = ''
  let currentOverride: ResponseOverride = () => null

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const bytes = await buffer(request)
    const received = Object.entries(request.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    const headers = new Headers(withoutHopHeaders(received))
    const body = bytes.toString()
    const it = { path: request.url ?? '/', headers, body, json: jsonOf(body) }
    passed.push(it)
    const instead = currentOverride(it)
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
    forwardTo: (url: string): void => {
      target = url
    },
    override: (override: ResponseOverride): void => {
      currentOverride = override
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
