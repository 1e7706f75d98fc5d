// One request and its answer over one connection. It settles once, no matter what the other side
// does: with the answer, or with why there is none. Redirects are not followed, because node:http
// follows none. Contract §6.
import type { IncomingMessage } from 'node:http'
import { type Agent, type RequestOptions, request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import type { RequestFailure } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import {
  type AddressGuard,
  BLOCKED_ADDRESS,
  createSafeLookup,
  type LookupAll,
  portOf,
} from '../guard/ssrf-guard.ts'
import { decodeUtf8 } from '../utf8.ts'
import {
  BODY_BYTES_MAX,
  BODY_TOO_LARGE,
  isBodyRead,
  isRedirect,
  isUncompressed,
} from './answer-rules.ts'
import { explainedFailure, FailureError, toRequestFailure } from './request-failure.ts'
import type { HttpRequest, HttpResult } from './signed-requests.ts'

const HEADER_BYTES_MAX = 16 * 1024
const STATUS_LINE_BYTES = 'HTTP/1.1 103 \r\n\r\n'.length

const CONNECTION_CLOSED = explainedFailure(
  'connection_reset',
  'The connection was closed before an answer came.',
)
const HEADERS_TOO_LARGE = explainedFailure(
  'response_too_large',
  'The answer’s headers are larger than 16 KiB.',
)
const PROTOCOL_CHANGED = explainedFailure('protocol_error', 'The answer switches the protocol.')

/** What an attempt waits for, as its timeout reports it. */
const STAGES = {
  connection: 'No connection was made within the time of an attempt.',
  handshake: 'The TLS handshake was not complete within the time of an attempt.',
  answer: 'The request was sent, but no answer came within the time of an attempt.',
  body: 'The answer’s body was not complete within the time of an attempt.',
}

/** How the addresses of a host are found, and which of them may be called. */
type Peers = { readonly lookup: LookupAll } & Pick<AddressGuard, 'isAllowed'>

/** The options with which an agent is asked for a connection. */
export type OwnedRequest = RequestOptions & {
  readonly call: HttpRequest
  /** Null: the connection is made directly. */
  readonly proxy: URL | null
  /** The proxy's connection, on which TLS begins. */
  readonly socket?: Socket
}

export const sendRequest = (
  call: HttpRequest,
  agent: Agent,
  { lookup, isAllowed }: Peers,
  proxy: URL | null,
): Promise<HttpResult> =>
  new Promise((resolve) => {
    const { url, body, deadline } = call
    const port = portOf(url)
    let stage: keyof typeof STAGES = 'connection'
    let response: IncomingMessage | null = null
    let interimBytes = 0

    const fail = (failure: RequestFailure) => {
      resolve(E.left(failure))
      request.destroy()
    }
    const expire = () => {
      const failure = explainedFailure('timeout', STAGES[stage])
      if (response === null) fail(failure)
      else response.destroy(new FailureError(failure))
    }

    const options: OwnedRequest = {
      call,
      proxy,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      // Node writes a list as it is, without storing each header by its name first. But then it
      // adds no Host header.
      headers: [
        'Host',
        url.host,
        'Content-Length',
        String(Buffer.byteLength(body)),
        ...Object.entries(call.headers).flat(),
      ],
      agent,
      lookup: createSafeLookup(lookup, isAllowed, port),
      maxHeaderSize: HEADER_BYTES_MAX,
      rejectUnauthorized: true,
    }
    const request = requestHttps(options)

    // No limit on the number of headers, so that all of them are counted.
    request.maxHeadersCount = 0

    // Nothing is written before the other end's actual address is known to be allowed and its
    // certificate is trusted.
    request.on('socket', (socket) => {
      const send = () => {
        stage = 'answer'
        call.onProgress?.()
        request.end(body)
      }
      const begin = () => {
        const { remoteAddress } = socket
        // The other end may have closed the connection already.
        if (proxy === null && remoteAddress === undefined) return fail(CONNECTION_CLOSED)
        if (proxy === null && !isAllowed(remoteAddress ?? '', port)) return fail(BLOCKED_ADDRESS)
        if (request.reusedSocket || url.protocol === 'http:') return send()
        stage = 'handshake'
        socket.once('secureConnect', send)
      }
      if (request.reusedSocket || proxy !== null) begin()
      else socket.once('connect', begin)
    })
    // Each interim answer is read completely before the next. An endless series would keep the
    // thread busy that all share.
    request.on('information', ({ statusMessage, rawHeaders }) => {
      interimBytes += STATUS_LINE_BYTES + statusMessage.length + countHeaderBytes(rawHeaders)
      if (interimBytes > HEADER_BYTES_MAX) fail(HEADERS_TOO_LARGE)
    })
    request.on('response', (incoming: IncomingMessage) => {
      call.onProgress?.()
      if (incoming.statusCode === 101) return fail(PROTOCOL_CHANGED)
      // Some servers send a body after an answer that must have none, or a page after an error.
      // Those bytes would be read as the answer to the next request.
      if (incoming.statusCode !== 200) request.shouldKeepAlive = false
      if (interimBytes + countHeaderBytes(incoming.rawHeaders) > HEADER_BYTES_MAX)
        return fail(HEADERS_TOO_LARGE)
      stage = 'body'
      response = incoming
      readBody(call, incoming, resolve)
    })
    // Without this listener, a 101 that names a protocol would drop the connection silently.
    request.on('upgrade', (_response, socket) => {
      socket.destroy()
      fail(PROTOCOL_CHANGED)
    })
    request.on('error', (error) => {
      if (response === null)
        fail(toRequestFailure(error, stage === 'handshake' ? 'tls' : 'protocol_error'))
      // Bytes after a complete answer are not part of it, whether or not they arrive in the same
      // packet.
      else if (!response.complete) response.destroy(error)
    })

    deadline.addEventListener('abort', expire)
    if (deadline.aborted) expire()
  })

// The headers' size on the wire. The parser counts only names and values, so many short headers
// pass its limit.
const countHeaderBytes = (rawHeaders: readonly string[]): number =>
  rawHeaders.reduce((sum, text) => sum + text.length + ': '.length, 0)

/** How many milliseconds the rest of an answer may take if it decides nothing. */
const REST_MILLIS = 1_000

/**
 * Reads the body, then settles. If the status line decides, it settles with as much of the body as
 * arrives within a second, so that it can be looked up later. A short body is then read to its end,
 * so that the connection can be reused. Otherwise a body that is not read to its end is a failure.
 */
const readBody = (
  { readsBody }: HttpRequest,
  response: IncomingMessage,
  settle: (answer: HttpResult) => void,
): void => {
  const { statusCode: status = 0, headers } = response
  const isText = isUncompressed(headers['content-encoding'])
  const decides = isText && isBodyRead(readsBody, status)
  const chunks: Buffer[] = []
  let length = 0
  let failure: RequestFailure = CONNECTION_CLOSED

  const finish = (): void => {
    clearTimeout(timer)
    if (decides && !response.readableEnded) {
      settle(E.left({ ...failure, status }))
      return
    }
    const bytes = Buffer.concat(chunks)
    const shown = () => (isText ? LENIENT_DECODER.decode(bytes) : null)
    const body = decides ? decodeUtf8(bytes) : shown()
    const location = isRedirect(status) ? headers.location : undefined
    settle(
      E.right({
        status,
        retryAfter: headers['retry-after'] ?? null,
        body,
        ...(location !== undefined && { location }),
      }),
    )
  }
  const timer = decides ? undefined : setTimeout(() => response.destroy(), REST_MILLIS)
  response.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= BODY_BYTES_MAX) chunks.push(chunk)
    else response.destroy(new FailureError(BODY_TOO_LARGE))
  })
  response.on('error', (error) => {
    failure = toRequestFailure(error)
  })
  response.on('close', finish)
}

// A body that decides nothing may be cut off anywhere, so invalid bytes are shown as replacement
// characters.
const LENIENT_DECODER = new TextDecoder('utf-8', { ignoreBOM: true })
