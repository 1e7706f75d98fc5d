// The storage of the sandbox's providers: the SMS they sent, the cards they keep, and how far the
// clock was moved.
import type { Unavailable } from '@plazo/core/ports'
import type { SavedCard } from '@plazo/core/protocol'
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

/**
 * Something that the sandbox observed, for its pages: a request, a webhook as it was sent, a
 * provider's answer.
 */
export type SandboxRecord = {
  /** Grows with each record. */
  readonly id: number
  readonly merchantRef: string
  /**
   * It is encrypted under the order's key and erased with the order's shopper. Null: it names no
   * order, and is encrypted under a key of the database.
   */
  readonly orderRef: string | null
  readonly kind: string
  /** Domain time, epoch milliseconds. */
  readonly at: number
  /** JSON. */
  readonly content: string
}

/** All records of an order, or all of one kind of a merchant. */
export type RecordFilter =
  | { readonly orderRef: string }
  | { readonly merchantRef: string; readonly kind: string }

export type SandboxStore = {
  readonly addMessage: (message: SandboxMessage) => TaskEither<Unavailable, void>
  /** Oldest first. */
  readonly messages: (orderRef: string) => TaskEither<Unavailable, readonly SandboxMessage[]>
  /**
   * `orderRef`: the order that was paid with the card. Erasing that order's shopper also erases the
   * card.
   */
  readonly keepCard: (
    orderRef: string,
    owner: string,
    card: SavedCard,
  ) => TaskEither<Unavailable, void>
  readonly cards: (owner: string) => TaskEither<Unavailable, readonly SavedCard[]>
  /** Milliseconds that the clock is ahead of real time. */
  readonly clockOffset: () => TaskEither<Unavailable, number>
  /**
   * Moves the clock forward by `millis`. Returns the whole offset, which includes the moves of
   * other servers.
   */
  readonly moveClock: (millis: number) => TaskEither<Unavailable, number>
  /** @param keepLast keeps only so many records of this merchant and kind */
  readonly addRecord: (
    record: Omit<SandboxRecord, 'id'>,
    keepLast?: number,
  ) => TaskEither<Unavailable, void>
  /** The records with a greater id than `after`, oldest first, `limit` at most. */
  readonly records: (
    filter: RecordFilter,
    after: number,
    limit: number,
  ) => TaskEither<Unavailable, readonly SandboxRecord[]>
  /** Keeps a merchant's value under a name, in place of an earlier one. Null removes it. */
  readonly setSetting: (
    merchantRef: string,
    name: string,
    value: string | null,
  ) => TaskEither<Unavailable, void>
  /** The values of all merchants whose name begins so, by merchant and name. */
  readonly settings: (
    prefix: string,
  ) => TaskEither<
    Unavailable,
    readonly { readonly merchantRef: string; readonly name: string; readonly value: string }[]
  >
}
