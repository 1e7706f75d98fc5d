// One request and its answer over one connection. It settles once, no matter what the other side
// does: with the answer, or with why there is none. Redirects are not followed, because node:http
// follows none. Contract §6.
import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { HttpResponse, RequestFailure } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { BLOCKED_ADDRESS } from '../guard/ssrf-guard.ts'
import { decodeUtf8 } from '../utf8.ts'
import {
  BODY_BYTES_MAX,
  BODY_TOO_LARGE,
  isBodyRead,
  isRedirect,
  isUncompressed,
} from './answer-rules.ts'
import { explainedFailure, toRequestFailure } from './request-failure.ts'
import type { HttpRequest, HttpResult } from './signed-requests.ts'

const HEADER_BYTES_MAX = 16 * 1024
const STATUS_LINE_BYTES = 'HTTP/1.1 103 \r\n\r\n'.length

const CONNECTION_CLOSED = explainedFailure(
  'connection_reset',
  'The connection was closed before an answer came.',
)
const CLOSED_IN_HANDSHAKE = explainedFailure(
  'connection_reset',
  'The connection was closed during the TLS handshake.',
)
const HEADERS_TOO_LARGE = explainedFailure(
  'response_too_large',
  'The answer’s headers are larger than 16 KiB.',
)
const PROTOCOL_CHANGED = explainedFailure('protocol_error', 'The answer switches the protocol.')

/** How the other end of a connection is found, and which addresses it may have. */
export type Peer = {
  readonly lookup: LookupFunction
  readonly isAllowed: (address: string, port: number) => boolean
}

/** The options with which an agent is asked for a connection. */
export type OwnedRequest = RequestOptions & Pick<HttpRequest, 'owner'>

export const sendRequest = (
  call: HttpRequest,
  agent: Agent,
  { lookup, isAllowed }: Peer,
): Promise<HttpResult> =>
  new Promise((resolve) => {
    const { url, owner, body, deadline } = call
    const isSecure = url.protocol === 'https:'
    let isHandshaking = false
    let response: IncomingMessage | null = null
    // True once the status line has decided. Nothing that happens to the body afterwards is a
    // failure.
    let isDecided = false
    let interimBytes = 0
    let isSent = false

    const timeoutReason = (): string => {
      if (response !== null)
        return 'The answer’s body was not complete within the time of an attempt.'
      if (isSent) return 'The request was sent, but no answer came within the time of an attempt.'
      if (isHandshaking) return 'The TLS handshake was not complete within the time of an attempt.'
      return 'No connection was made within the time of an attempt.'
    }

    const settle = (answer: HttpResult) => {
      deadline.removeEventListener('abort', expire)
      const status = response?.statusCode
      resolve(
        status === undefined
          ? answer
          : E.mapLeft((failure: RequestFailure) => ({ ...failure, status }))(answer),
      )
    }
    const fail = (failure: RequestFailure) => {
      settle(E.left(failure))
      request.destroy()
    }
    const expire = () => {
      if (isDecided) response?.destroy()
      else fail(explainedFailure('timeout', timeoutReason()))
    }

    const requestOptions: OwnedRequest = {
      owner,
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      // Node writes a list as it is, without storing each header by its name first. But then it
      // adds no Host header.
      headers: [
        ...['Host', url.host, 'Content-Length', String(Buffer.byteLength(body))],
        ...Object.entries(call.headers).flat(),
      ],
      agent,
      lookup,
      maxHeaderSize: HEADER_BYTES_MAX,
      insecureHTTPParser: false,
      ...(isSecure ? { rejectUnauthorized: true } : {}),
    }
    const request: ClientRequest = (isSecure ? requestHttps : requestHttp)(requestOptions)

    // No limit on the number of headers, so that all of them are counted.
    request.maxHeadersCount = 0

    const send = () => {
      isHandshaking = false
      isSent = true
      call.onProgress?.()
      request.end(body)
    }
    // Nothing is written before the other end's actual address is known to be allowed and its
    // certificate is trusted.
    request.on('socket', (socket) => {
      const checkPeer = (next: () => void) => {
        const { remoteAddress, remotePort } = socket
        // The other end has already closed the connection.
        if (remoteAddress === undefined || remotePort === undefined) return fail(CONNECTION_CLOSED)
        return isAllowed(remoteAddress, remotePort) ? next() : fail(BLOCKED_ADDRESS)
      }
      if (request.reusedSocket) {
        checkPeer(send)
        return
      }
      socket.once('connect', () =>
        checkPeer(() => {
          if (!isSecure) return send()
          isHandshaking = true
          socket.once('secureConnect', send)
        }),
      )
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
      response = incoming
      const { statusCode = 0, headers } = response
      if (isBodyRead(call.readsBody, statusCode) && isUncompressed(headers['content-encoding']))
        return readResponse(response, settle)
      isDecided = true
      readRemainder(response, settle)
    })
    // Without this listener, a 101 that names a protocol would drop the connection silently.
    request.on('upgrade', (_response, socket) => {
      socket.destroy()
      fail(PROTOCOL_CHANGED)
    })
    request.on('error', (error) => {
      // Bytes after a complete answer are not part of it, whether or not they arrive in the same
      // packet.
      if (response?.complete || isDecided) return
      const failure = toRequestFailure(error, isHandshaking ? 'tls' : 'protocol_error')
      settle(
        E.left(
          isHandshaking && failure.error === 'connection_reset' ? CLOSED_IN_HANDSHAKE : failure,
        ),
      )
    })
    // Settles an exchange that ended without an error and without an answer.
    request.on('close', () => {
      if (!isDecided) settle(E.left(CONNECTION_CLOSED))
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

/** The status, two headers, and the part of the body that was read. */
const toHttpResponse = (
  response: IncomingMessage,
  body: string | null,
  shownBody: string | null,
): HttpResponse => {
  const { statusCode: status = 0, headers } = response
  return {
    status,
    retryAfter: headers['retry-after'] ?? null,
    body,
    ...(shownBody !== null && shownBody !== body && { shownBody }),
    ...(isRedirect(status) && headers.location !== undefined && { location: headers.location }),
  }
}

/** The chunks of the body, as they arrive. A body that is too large ends the connection. */
const collectBody = (response: IncomingMessage, onTooLarge = (): void => {}): readonly Buffer[] => {
  const chunks: Buffer[] = []
  let length = 0
  response.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= BODY_BYTES_MAX) {
      chunks.push(chunk)
      return
    }
    onTooLarge()
    response.destroy()
  })
  return chunks
}

/** Reads the whole body, then settles with the answer. A body that is cut off is a failure. */
const readResponse = (response: IncomingMessage, settle: (answer: HttpResult) => void): void => {
  const chunks = collectBody(response, () => settle(E.left(BODY_TOO_LARGE)))
  response.on('error', (error) => settle(E.left(toRequestFailure(error))))
  response.on('end', () => {
    const bytes = Buffer.concat(chunks)
    const charset = otherCharset(bytes, response)
    settle(
      E.right(
        toHttpResponse(response, decodeUtf8(bytes), charset && decodeLeniently(bytes, charset)),
      ),
    )
  })
}

/**
 * For an answer whose status line already decides. Settles with as much of the body as arrives
 * within a second, so that it can be looked up later. A short body is read to its end, so that the
 * connection can be reused. A long or slow one is given up.
 */
const readRemainder = (response: IncomingMessage, settle: (answer: HttpResult) => void): void => {
  const chunks = collectBody(response)
  const finish = () => {
    const bytes = Buffer.concat(chunks)
    const body = isUncompressed(response.headers['content-encoding'])
      ? decodeLeniently(bytes, otherCharset(bytes, response))
      : null
    settle(E.right(toHttpResponse(response, body, null)))
  }
  const timer = setTimeout(() => response.destroy(), REST_MILLIS)
  response.on('error', () => {})
  response.on('end', finish)
  response.on('close', () => {
    clearTimeout(timer)
    finish()
  })
}

const CHARSET_IN_HEADER = /;\s*charset\s*=\s*"?([\w:.+-]+)/i
// A page may name its charset itself, as many error pages do whose server sends no header for it.
const CHARSET_IN_PAGE = /<(?:meta\s[^>]*?charset\s*=|\?xml\s[^>]*?encoding\s*=)\s*["']?([\w:.+-]+)/i
const PAGE_HEAD_BYTES = 1_024
const LITTLE_ENDIAN_MARK = 0xff
const BIG_ENDIAN_MARK = 0xfe

/** The charset that the answer names. Null: none, or UTF-8. */
const otherCharset = (bytes: Buffer, { headers }: IncomingMessage): string | null => {
  const head = bytes.includes('<') ? bytes.subarray(0, PAGE_HEAD_BYTES).toString('latin1') : ''
  const [, charset = ''] =
    CHARSET_IN_HEADER.exec(headers['content-type'] ?? '') ?? CHARSET_IN_PAGE.exec(head) ?? []
  if (charset === '' || /^utf-?8$/i.test(charset)) return null
  if (!/^utf-?16$/i.test(charset)) return charset
  return bytes[0] === BIG_ENDIAN_MARK && bytes[1] === LITTLE_ENDIAN_MARK ? 'utf-16be' : 'utf-16le'
}

const LENIENT_DECODER = new TextDecoder('utf-8', { ignoreBOM: true })

// The body may be cut off anywhere and decides nothing, so invalid bytes are shown as replacement
// characters.
const decodeLeniently = (bytes: Buffer, charset: string | null): string => {
  try {
    return (charset === null ? LENIENT_DECODER : new TextDecoder(charset)).decode(bytes)
  } catch {
    // No decoder has this name.
    return LENIENT_DECODER.decode(bytes)
  }
}
