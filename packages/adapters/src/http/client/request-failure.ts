// Classifies in one word why no answer came. It uses the error's code, because messages differ between versions of Node.
import type { RequestFailure } from '@plazo/core'
import { errorCodeOf } from '../../system/error-code.ts'

export const requestFailure = (error: RequestFailure['error'], message: string): RequestFailure => ({
  _tag: 'RequestFailure',
  error,
  message,
})

/** Carries a failure that is already classified through an API that passes errors on. */
export class FailureError extends Error {
  readonly failure: RequestFailure

  constructor(failure: RequestFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/** `fallback`: the class of an error whose code is not known here. Certificates alone have dozens of codes. */
export const toRequestFailure = (
  thrown: unknown,
  fallback: RequestFailure['error'] = 'protocol_error',
): RequestFailure => {
  if (thrown instanceof FailureError) return thrown.failure
  const code = errorCodeOf(thrown)
  const message = thrown instanceof Error && thrown.message !== '' ? thrown.message : code
  return requestFailure(classifyCode(code) ?? fallback, message)
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
  ERRORS[code] ?? (code.startsWith('HPE_') ? 'protocol_error' : /^ERR_(?:TLS|SSL)_/.test(code) ? 'tls' : undefined)
