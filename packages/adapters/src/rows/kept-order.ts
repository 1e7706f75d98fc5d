// What is kept of an order, once it is opened. Throws where that is not what was kept.
import { decodePlaced, decodeSnapshot } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'

const valid =
  <A>(decode: (text: string) => E.Either<readonly string[], A>) =>
  (text: string): A => {
    const decoded = decode(text)
    if (E.isLeft(decoded)) throw new Error(decoded.left.join(' '))
    return decoded.right
  }

export const placedFrom = valid(decodePlaced)

/** All that moves: its state, and what it remembers. */
export const snapshotFrom = valid(decodeSnapshot)
