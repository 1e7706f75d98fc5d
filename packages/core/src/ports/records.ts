// One port for all that a host keeps around orders (messages as they were sent, webhooks as they
// arrived), so that a store encrypts, erases and lists every kind in one way. No order depends on it.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Unavailable } from './store-errors.ts'

/** A value that a host keeps with an order, a merchant or for itself. */
export type StoredRecord = {
  /** Grows with each record, on all nodes. */
  readonly id: number
  readonly kind: string
  /**
   * Unique within the kind. Null: the record was added without a key. A slash separates the parts
   * of a key, so that `list` finds all keys that begin with the same parts. It must not contain
   * personal data: use `hash`.
   */
  readonly key: string | null
  /**
   * The record is encrypted under this order's key, and erased with the order's shopper. Null: it
   * is encrypted under a key of the database.
   */
  readonly orderRef: string | null
  readonly merchantRef: string | null
  /** Milliseconds, as the caller counts them. It is not encrypted. */
  readonly at: number
  /** JSON. */
  readonly value: unknown
}

/** A record before the store has given it an id. */
export type NewRecord = Omit<StoredRecord, 'id' | 'key'>

/**
 * Which records a list has: those of a kind, whose key is `key` or continues it after a slash, or
 * those of an order, of every kind if none is named.
 */
export type RecordFilter =
  | { readonly kind: string; readonly key?: string }
  | { readonly kind?: string; readonly orderRef: string }

/** Values that a host keeps around orders. No rule of an order depends on them. No store knows their kinds. */
export type Records = {
  /**
   * Appends a record, and returns its id. It fails if the order does not exist, or if its shopper
   * was erased at the same time.
   */
  readonly add: (record: NewRecord) => TaskEither<Unavailable, number>
  /** Stores the record in place of the one with the same kind and key. Returns its new id. */
  readonly put: (record: NewRecord & { readonly key: string }) => TaskEither<Unavailable, number>
  /** Oldest first, by id. */
  readonly list: (filter: RecordFilter) => TaskEither<Unavailable, readonly StoredRecord[]>
  readonly remove: (kind: string, key: string) => TaskEither<Unavailable, void>
  /** A part of a key that names a person. It is the same in every process on this database. */
  readonly hash: (text: string) => string
}
