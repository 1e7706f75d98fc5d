// Decodes bodies whose exact bytes were signed, on any host.
import * as O from 'fp-ts/lib/Option.js'

// Strict, so that the text is exactly what was signed. A byte order mark is kept, because it was
// signed too. The core removes the one that an answer may have.
const STRICT_DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Null if the bytes are not UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | null =>
  O.toNullable(O.tryCatch(() => STRICT_DECODER.decode(bytes)))
