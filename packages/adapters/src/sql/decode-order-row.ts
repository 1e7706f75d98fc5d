// Decodes the decrypted parts of a stored order. It throws on malformed data, so that no step is
// based on it.
import { decodePlaced, decodeSnapshot } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'

const decodeOrThrow =
  <A>(decode: (text: string) => E.Either<readonly string[], A>) =>
  (text: string): A => {
    const decoded = decode(text)
    if (E.isLeft(decoded)) throw new Error(decoded.left.join(' '))
    return decoded.right
  }

export const parsePlaced = decodeOrThrow(decodePlaced)

/** The part of an order that changes: its state and its context. */
export const parseSnapshot = decodeOrThrow(decodeSnapshot)
