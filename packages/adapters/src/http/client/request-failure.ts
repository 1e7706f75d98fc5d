// Classifies in one word why no answer came. It uses the error's code, because messages differ
// between versions of Node.
import type { RequestFailure } from '@plazo/core/internal'
import { errorCodeOf } from '../../system/error-code.ts'

export const requestFailure = (
  error: RequestFailure['error'],
  message: string,
  reason?: string,
): RequestFailure => ({
  _tag: 'RequestFailure',
  error,
  message,
  ...(reason !== undefined && { reason }),
})

/** A failure whose message is a sentence of our own, so that merchants may read it. */
export const explainedFailure = (
  error: RequestFailure['error'],
  sentence: string,
): RequestFailure => requestFailure(error, sentence, sentence)

/** Carries a failure that is already classified through an API that passes errors on. */
export class FailureError extends Error {
  readonly failure: RequestFailure

  constructor(failure: RequestFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/**
 * `fallback`: the class of an error whose code is not known here. Certificates alone have dozens of
 * codes.
 */
export const toRequestFailure = (
  thrown: unknown,
  fallback: RequestFailure['error'] = 'protocol_error',
): RequestFailure => {
  if (thrown instanceof FailureError) return thrown.failure
  const code = errorCodeOf(thrown)
  const message = thrown instanceof Error && thrown.message !== '' ? thrown.message : code
  const row: FailureRow = FAILURES.find(([codes]) => codes.test(code)) ?? [/^/, fallback]
  const [, error, reason = error === 'tls' ? 'The certificate is not trusted.' : undefined] = row
  return requestFailure(error, message, reason)
}

type FailureRow = readonly [codes: RegExp, error: RequestFailure['error'], reason?: string]

// The first row with the error's code counts. Node's and OpenSSL's messages differ between versions
// and quote what the other side sent, so these sentences are our own. The codes of OpenSSL are long,
// such as ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION, and differ in how they begin.
const FAILURES: readonly FailureRow[] = [
  // Nobody was called.
  [/^(?:EMFILE|ENFILE|ENOBUFS|ENOMEM)$/, 'no_socket'],
  [/^ENOTFOUND$/, 'dns', 'The host name does not exist.'],
  [/^EAI_AGAIN$/, 'dns', 'The name server does not answer.'],
  [/^EAI_/, 'dns'],
  [/^ECONNREFUSED$/, 'connection_refused', 'Nothing listens at this address and port.'],
  [
    /^(?:E(?:HOST|NET)(?:UNREACH|DOWN)|EADDRNOTAVAIL)$/,
    'connection_refused',
    'There is no route to this address.',
  ],
  [/^ETIMEDOUT$/, 'timeout', 'Nobody answers at this address and port.'],
  [/^(?:ECONNRESET|ECONNABORTED|EPIPE)$/, 'connection_reset'],
  [/^HPE_HEADER_OVERFLOW$/, 'response_too_large', 'The answer’s headers are too large.'],
  [/^HPE_/, 'protocol_error', 'The answer is not valid HTTP.'],
  [
    /^(?:UNABLE_TO_|SELF_SIGNED_CERT_IN_CHAIN$)/,
    'tls',
    'Unable to verify the first certificate: the server does not send its intermediate certificate, or its authority is unknown.',
  ],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'tls', 'Self-signed certificate.'],
  [/^CERT_HAS_EXPIRED$/, 'tls', 'The certificate has expired.'],
  [/^CERT_NOT_YET_VALID$/, 'tls', 'The certificate is not valid yet.'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'tls', 'The certificate is for another name.'],
  [
    /_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNEXPECTED_MESSAGE|RECORD_LAYER_FAILURE)$/,
    'tls',
    'The server does not speak TLS at this port: it may speak plain HTTP.',
  ],
  [
    /_(?:PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW|NO_PROTOCOLS_AVAILABLE)$/,
    'tls',
    'The server supports neither TLS 1.2 nor 1.3.',
  ],
  [/^(?:EPROTO$|ERR_(?:TLS|SSL)_)/, 'tls', 'The TLS handshake failed.'],
]
