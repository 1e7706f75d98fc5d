// Reads a body as the bytes that were signed, and stops beyond the accepted size.
import * as E from 'fp-ts/lib/Either.js'

export type BodyError = { readonly _tag: 'BodyTooLarge' } | { readonly _tag: 'BodyCutShort' }

/** Throws if the host has already read the body: its bytes are gone, so no signature can be checked. */
export const readBody = async (request: Request, maxBytes: number): Promise<E.Either<BodyError, Uint8Array>> => {
  if (request.bodyUsed) throw new TypeError('The body was read before the receiver got it; hand over the raw request.')
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return E.left({ _tag: 'BodyTooLarge' })
  if (request.body === null) return E.right(new Uint8Array())
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return E.right(concatBytes(chunks, size))
      size += value.length
      // The reader is not cancelled, because that would close the connection that the answer must use.
      if (size > maxBytes) return E.left({ _tag: 'BodyTooLarge' })
      chunks.push(value)
    }
  } catch {
    return E.left({ _tag: 'BodyCutShort' })
  }
}

const concatBytes = (chunks: readonly Uint8Array[], size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
