// Decodes bytes strictly, so that the text is exactly what was signed or received.

// A byte order mark is kept, because it was signed. The core removes the one that an answer may have.
const STRICT_DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Null if the bytes are not UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return STRICT_DECODER.decode(bytes)
  } catch {
    return null
  }
}
