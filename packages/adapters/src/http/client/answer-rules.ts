// Which part of an answer a gateway reads, over any transport. Nothing here needs Node. Contract §6.
import type { ReadsBody } from '@plazo/core/internal'
import { explainedFailure } from './request-failure.ts'

/** An answer is never read beyond this, and never decompressed. */
export const BODY_BYTES_MAX = 64 * 1024

export const BODY_TOO_LARGE = explainedFailure(
  'response_too_large',
  'The answer’s body is larger than 64 KiB.',
)

/** True if the body of an answer with this status decides. */
export const isBodyRead = (readsBody: ReadsBody, status: number): boolean =>
  typeof readsBody === 'boolean' ? readsBody : readsBody.includes(status)

export const isRedirect = (status: number): boolean => status >= 300 && status < 400

/**
 * True if the body's bytes are its text. A content coding would have to be decoded first, which no
 * answer is worth.
 */
export const isUncompressed = (contentEncoding: string | null | undefined): boolean =>
  ['', 'identity'].includes(contentEncoding?.trim().toLowerCase() ?? '')
