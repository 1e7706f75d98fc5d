// Bytes as the text they are signed or judged as.

// A byte order mark stays: it was signed, and the core takes the one off that an answer may have.
const strictly = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Null where the bytes are no UTF-8. */
export const utf8 = (bytes: Uint8Array): string | null => {
  try {
    return strictly.decode(bytes)
  } catch {
    return null
  }
}
