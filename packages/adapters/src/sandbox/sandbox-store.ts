// The storage of the sandbox's providers: the SMS they sent, the cards they keep, and how far the clock was moved.

import type { SavedCard, Unavailable } from '@plazo/core'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

export type SandboxMessage = {
  /** The effect's key. A message that is added twice is stored once. */
  readonly key: string
  readonly orderRef: string
  readonly at: number
  readonly to: string
  readonly text: string
  readonly code: string
}

export type SandboxStore = {
  readonly addMessage: (message: SandboxMessage) => TaskEither<Unavailable, void>
  /** Oldest first. */
  readonly messages: (orderRef: string) => TaskEither<Unavailable, readonly SandboxMessage[]>
  /** `orderRef`: the order that was paid with the card. Erasing that order's shopper also erases the card. */
  readonly keepCard: (orderRef: string, owner: string, card: SavedCard) => TaskEither<Unavailable, void>
  readonly cards: (owner: string) => TaskEither<Unavailable, readonly SavedCard[]>
  /** Milliseconds that the clock is ahead of real time. */
  readonly clockOffset: () => TaskEither<Unavailable, number>
  /** Moves the clock forward by `millis`. Returns the whole offset, which includes the moves of other servers. */
  readonly moveClock: (millis: number) => TaskEither<Unavailable, number>
}
