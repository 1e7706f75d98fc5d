// Calls merchants by `fetch`, where Node's sockets are missing: at the edge of a network, in a worker.
// `fetch` hides the address that it connects to. So the host must call out through an egress that
// blocks private networks, or a merchant's name may lead into them.
import type { RequestFailure } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import {
  BODY_BYTES_MAX,
  BODY_TOO_LARGE,
  isBodyRead,
  isRedirect,
  isUncompressed,
} from '../http/client/answer-rules.ts'
import {
  explainedFailure,
  requestFailure,
  toRequestFailure,
} from '../http/client/request-failure.ts'
import {
  type ClosableMerchantGateway,
  createSignedRequests,
  type HttpRequest,
  type HttpResult,
  type SignedGatewayOptions,
  signedGateway,
} from '../http/client/signed-requests.ts'
import { webHmac } from '../http/signed-headers.ts'
import { decodeUtf8 } from '../http/utf8.ts'

/**
 * The promises of `gatewayContract` that `fetchGateway` leaves to the runtime and to the network:
 * some runtimes decode a compressed answer, each has its own limit of an answer's headers, and none
 * tells which address it calls.
 */
export const FETCH_LEAVES_OUT = ['decompression', 'header bytes', 'checked address'] as const

/**
 * A gateway over `fetch`. Use it behind an egress that blocks private networks. It signs with
 * WebCrypto, and imports nothing of Node.
 */
export const fetchGateway = (options: SignedGatewayOptions): ClosableMerchantGateway => {
  const closing = new AbortController()
  const sendSigned = createSignedRequests(
    options,
    (call) => sendByFetch(call, closing.signal),
    webHmac,
  )
  return signedGateway(options, sendSigned, () => closing.abort())
}

const sendByFetch = async (call: HttpRequest, closing: AbortSignal): Promise<HttpResult> => {
  const { url, headers, body, deadline } = call
  let response: Response | null = null
  try {
    response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([deadline, closing]),
    })
    call.onProgress?.()
    return await readResponse(call, response)
  } catch (thrown) {
    const failure = deadline.aborted ? TIMED_OUT : failureOf(thrown)
    return E.left({ ...failure, ...(response && { status: response.status }) })
  }
}

const TIMED_OUT = explainedFailure('timeout', 'No whole answer came within the time of an attempt.')

// `fetch` throws a TypeError without a cause if the request itself cannot be sent.
const failureOf = (thrown: unknown): RequestFailure =>
  thrown instanceof Error && thrown.cause !== undefined
    ? toRequestFailure(thrown.cause, 'connection_reset')
    : requestFailure('protocol_error', String(thrown))

const readResponse = async (call: HttpRequest, response: Response): Promise<HttpResult> => {
  const { status, headers, body } = response
  const location = isRedirect(status) ? headers.get('location') : null
  const isRead =
    isBodyRead(call.readsBody, status) && isUncompressed(headers.get('content-encoding'))
  // A body that decides nothing is not waited for.
  if (!isRead) await body?.cancel()
  const bytes = isRead ? await readBytes(response) : undefined
  if (bytes === null) return E.left({ ...BODY_TOO_LARGE, status })
  return E.right({
    status,
    retryAfter: headers.get('retry-after'),
    body: bytes === undefined ? null : decodeUtf8(bytes),
    ...(location !== null && { location }),
  })
}

/** Null if the body is larger than 64 KiB. The rest is not read then. */
const readBytes = async ({ body }: Response): Promise<Uint8Array | null> => {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > BODY_BYTES_MAX) return null
    chunks.push(chunk)
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}
