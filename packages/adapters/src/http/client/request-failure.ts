// Classifies in one word why no answer came. It uses the error's code, because messages differ
// between versions of Node.
import type { RequestFailure } from '@plazo/core/ports'
import { errorCodeOf } from '../../system/error-code.ts'

export const requestFailure = (
  error: RequestFailure['error'],
  message: string,
): RequestFailure => ({
  _tag: 'RequestFailure',
  error,
  message,
})

/** A failure whose message is a sentence of our own, so that merchants may read it. */
export const explainedFailure = (
  error: RequestFailure['error'],
  sentence: string,
): RequestFailure => ({
  ...requestFailure(error, sentence),
  reason: sentence,
})

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
  const error = classifyCode(code) ?? fallback
  const reason =
    error === 'tls' ? tlsReason(code, thrown) : (REASONS[code] ?? GENERAL_REASONS[error])
  return { ...requestFailure(error, message), ...(reason !== undefined && { reason }) }
}

const ERRORS: Readonly<Partial<Record<string, RequestFailure['error']>>> = {
  ETIMEDOUT: 'timeout',
  ECONNREFUSED: 'connection_refused',
  EHOSTUNREACH: 'connection_refused',
  EHOSTDOWN: 'connection_refused',
  ENETUNREACH: 'connection_refused',
  ENETDOWN: 'connection_refused',
  EADDRNOTAVAIL: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  EPROTO: 'tls',
  // The process or the machine has no descriptor or no buffer left: nobody was called.
  EMFILE: 'no_socket',
  ENFILE: 'no_socket',
  ENOBUFS: 'no_socket',
  ENOMEM: 'no_socket',
  HPE_HEADER_OVERFLOW: 'response_too_large',
}

const classifyCode = (code: string): RequestFailure['error'] | undefined =>
  ERRORS[code] ??
  (code.startsWith('HPE_') ? 'protocol_error' : /^ERR_(?:TLS|SSL)_/.test(code) ? 'tls' : undefined)

// Node's and OpenSSL's messages differ between versions and quote what the other side sent, so
// these sentences are our own.
const REASONS: Readonly<Partial<Record<string, string>>> = {
  ENOTFOUND: 'The host name does not exist.',
  ENODATA: 'The host name has no address.',
  EAI_NODATA: 'The host name has no address.',
  EAI_AGAIN: 'The name server does not answer.',
  ETIMEOUT: 'The name server does not answer.',
  ECONNREFUSED: 'Nothing listens at this address and port.',
  EHOSTUNREACH: 'There is no route to this address.',
  ENETUNREACH: 'There is no route to this address.',
  ETIMEDOUT: 'Nobody answers at this address and port.',
}

const GENERAL_REASONS: Readonly<Partial<Record<RequestFailure['error'], string>>> = {
  dns: 'The host name cannot be resolved.',
  connection_reset: 'The connection was closed before the whole answer came.',
  protocol_error: 'The answer is not valid HTTP.',
  response_too_large: 'The answer’s headers are too large.',
}

const CERTIFICATE_REASONS: Readonly<Partial<Record<string, string>>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'Unable to verify the first certificate: the server does not send its intermediate certificate, or its authority is unknown.',
  UNABLE_TO_GET_ISSUER_CERT:
    'Unable to get the certificate of the issuer: its authority is unknown.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'Unable to get the certificate of the issuer: the chain is incomplete, or its authority is unknown.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Self-signed certificate in the chain: its authority is unknown.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Self-signed certificate.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet.',
  CERT_REVOKED: 'The certificate was revoked.',
  INVALID_PURPOSE: 'The certificate is not meant for servers.',
  INVALID_CA: 'A certificate in the chain is not one of an authority.',
  PATH_LENGTH_EXCEEDED: 'The chain of certificates is too long.',
  CERT_CHAIN_TOO_LONG: 'The chain of certificates is too long.',
  CERT_SIGNATURE_FAILURE: 'The signature of a certificate is wrong.',
  CERT_UNTRUSTED: 'The certificate is not trusted.',
  CERT_REJECTED: 'The certificate is not trusted.',
}

// The end of OpenSSL's codes, such as ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION.
const HANDSHAKE_REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [
    /_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNEXPECTED_MESSAGE|RECORD_LAYER_FAILURE)$/,
    'The server does not speak TLS at this port: it may speak plain HTTP.',
  ],
  [
    /_(?:PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW|NO_PROTOCOLS_AVAILABLE)$/,
    'The server supports neither TLS 1.2 nor 1.3.',
  ],
  [/_UNRECOGNIZED_NAME$/, 'The server has no certificate for this name.'],
  [
    /_(?:CERTIFICATE_REQUIRED|BAD_CERTIFICATE)$/,
    'The server asks for a certificate of the client, which plazo does not have.',
  ],
  [
    /_(?:HANDSHAKE_FAILURE|NO_SHARED_CIPHER|INSUFFICIENT_SECURITY)$/,
    'The server and plazo have no cipher in common.',
  ],
  [
    /_(?:KEY_TOO_SMALL|MD_TOO_WEAK|DH_KEY_TOO_SMALL)$/,
    'The key or the signature of the server is too weak.',
  ],
]

/** A DNS name or an address in a certificate. */
const CERTIFICATE_NAME = /(?:DNS|IP Address):([A-Za-z0-9.:*-]{1,100})/g
const NAMES_SHOWN = 3

const otherNameReason = (thrown: unknown): string => {
  const { cert } = thrown as { readonly cert?: { readonly subjectaltname?: unknown } }
  const names = [...String(cert?.subjectaltname ?? '').matchAll(CERTIFICATE_NAME)].map(
    ([, name]) => name,
  )
  const list = names.length === 0 ? '' : `: ${names.slice(0, NAMES_SHOWN).join(', ')}`
  return `The certificate is for another name${list}.`
}

const tlsReason = (code: string, thrown: unknown): string => {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return otherNameReason(thrown)
  const handshake = HANDSHAKE_REASONS.find(([pattern]) => pattern.test(code))
  return CERTIFICATE_REASONS[code] ?? handshake?.[1] ?? 'The TLS handshake failed.'
}
