// Decodes the decrypted parts of a stored order. It throws on malformed data, so that no step is
// based on it.
import {
  decodePlaced,
  decodeSnapshot,
  type EffectPayload,
  errorMessage,
  hasNoPersonalData,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { isKeyMissing } from '../encryption/cipher.ts'

const decodeOrThrow =
  <A>(decode: (text: string) => E.Either<readonly string[], A>) =>
  (text: string): A => {
    const decoded = decode(text)
    if (E.isLeft(decoded)) throw new Error(decoded.left.join(' '))
    return decoded.right
  }

export const parsePlaced = decodeOrThrow(decodePlaced)

/** Adds the order's ref to a read error. Without it, nobody could find the order among many. */
export const withOrderRef = <A>(orderRef: string, read: () => A): A => {
  try {
    return read()
  } catch (cause) {
    // A missing master key is an error in the settings and affects every order.
    if (isKeyMissing(cause)) throw cause
    throw new Error(`The order ${orderRef} cannot be read. ${errorMessage(cause)}`, { cause })
  }
}

/** The part of an order that changes: its state and its context. */
export const parseSnapshot = decodeOrThrow(decodeSnapshot)

/** Parses a job's payload that was stored unencrypted. Throws if its kind must be encrypted. */
export const parseUnencryptedPayload = (text: string): EffectPayload => {
  const work = JSON.parse(text) as EffectPayload
  if (!hasNoPersonalData(work)) throw new Error('Cannot decrypt: the value is not encrypted.')
  return work
}
