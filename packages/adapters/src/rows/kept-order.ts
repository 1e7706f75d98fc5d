// What is kept of an order, once it is opened. Throws where that is not what was kept.
import { decodePlaced, decodeSnapshot, messageOf } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { isKeyMissing } from '../sealing/sealer.ts'

const valid =
  <A>(decode: (text: string) => E.Either<readonly string[], A>) =>
  (text: string): A => {
    const decoded = decode(text)
    if (E.isLeft(decoded)) throw new Error(decoded.left.join(' '))
    return decoded.right
  }

export const placedFrom = valid(decodePlaced)

/** Which order it is that cannot be read: among many, nobody could find it. */
export const readingOf = <A>(orderRef: string, read: () => A): A => {
  try {
    return read()
  } catch (cause) {
    // That is the settings' fault, and every order's.
    if (isKeyMissing(cause)) throw cause
    throw new Error(`The order ${orderRef} cannot be read. ${messageOf(cause)}`, { cause })
  }
}

/** All that moves: its state, and what it remembers. */
export const snapshotFrom = valid(decodeSnapshot)
