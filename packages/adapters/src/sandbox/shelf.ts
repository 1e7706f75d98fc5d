// What the sandbox's deciders remember: the SMS they sent, the cards they keep, and how far the clock was moved.

import type { SavedCard, Unavailable } from '@plazo/core'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

export type SandboxMessage = {
  /** The effect's key: sending twice is sending once. */
  readonly key: string
  readonly orderRef: string
  readonly at: number
  readonly to: string
  readonly text: string
  readonly code: string
}

export type SandboxShelf = {
  readonly addMessage: (message: SandboxMessage) => TaskEither<Unavailable, void>
  /** Oldest first. */
  readonly messages: (orderRef: string) => TaskEither<Unavailable, readonly SandboxMessage[]>
  /** `orderRef`: the order it was paid with; whoever forgets that order's shopper forgets the card. */
  readonly keepCard: (orderRef: string, owner: string, card: SavedCard) => TaskEither<Unavailable, void>
  readonly cards: (owner: string) => TaskEither<Unavailable, readonly SavedCard[]>
  /** Milliseconds that the clock is ahead of real time. */
  readonly clockOffset: () => TaskEither<Unavailable, number>
  /** Forward by so many; gives how far it is ahead then, as whoever else moves it has left it too. */
  readonly moveClock: (millis: number) => TaskEither<Unavailable, number>
}
