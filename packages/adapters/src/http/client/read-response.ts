// Reads a merchant's answer: never more than 64 KiB, and never decompressed. Contract §6.
import type { IncomingMessage } from 'node:http'
import type { HttpResponse, RequestFailure } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { decodeUtf8 } from '../signature.ts'
import { requestFailure, toRequestFailure } from './request-failure.ts'

export type HttpResult = E.Either<RequestFailure, HttpResponse>

const BODY_BYTES_MAX = 64 * 1024

/** How many milliseconds the rest of an answer may take if it decides nothing. */
const REST_MILLIS = 1_000

/** The status, `Retry-After`, and the part of the body that was read. */
const toHttpResponse = (response: IncomingMessage, body: string | null): HttpResponse => ({
  status: response.statusCode ?? 0,
  retryAfter: response.headers['retry-after'] ?? null,
  body,
})

/** True if the body's bytes are its text. A content coding would have to be decoded first, which no answer is worth. */
export const isUncompressed = ({ headers }: IncomingMessage): boolean =>
  ['', 'identity'].includes((headers['content-encoding'] ?? '').trim().toLowerCase())

/** Reads the whole body, then settles with the answer. A body that is cut off is a failure. */
export const readResponse = (response: IncomingMessage, settle: (answer: HttpResult) => void): void => {
  const chunks: Buffer[] = []
  let length = 0
  response.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= BODY_BYTES_MAX) {
      chunks.push(chunk)
      return
    }
    settle(E.left(requestFailure('response_too_large', `The answer's body is larger than ${BODY_BYTES_MAX} bytes.`)))
    response.destroy()
  })
  response.on('error', (error) => settle(E.left(toRequestFailure(error))))
  response.on('end', () => settle(E.right(toHttpResponse(response, decodeUtf8(Buffer.concat(chunks))))))
}

/**
 * For an answer whose status line already decides. Settles with as much of the body as arrives within a second, so that it can
 * be looked up later. A short body is read to its end, so that the connection can be reused. A long or slow one is given up.
 */
export const readRemainder = (response: IncomingMessage, settle: (answer: HttpResult) => void): void => {
  const chunks: Buffer[] = []
  let length = 0
  const finish = () =>
    settle(E.right(toHttpResponse(response, isUncompressed(response) ? decodeLeniently(Buffer.concat(chunks)) : null)))
  const timer = setTimeout(() => response.destroy(), REST_MILLIS)
  response.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > BODY_BYTES_MAX) response.destroy()
    else chunks.push(chunk)
  })
  response.on('error', () => {})
  response.on('end', finish)
  response.on('close', () => {
    clearTimeout(timer)
    finish()
  })
}

// The body may be cut off anywhere and decides nothing, so invalid UTF-8 is shown as replacement characters.
const LENIENT_DECODER = new TextDecoder('utf-8', { ignoreBOM: true })
const decodeLeniently = (bytes: Buffer): string => LENIENT_DECODER.decode(bytes)
