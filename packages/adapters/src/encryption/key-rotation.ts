// Master key rotation: counts what each master key encrypts and re-encrypts it under the first one, page by page. If the
// process is killed, finished pages stay finished, and the next run finds the rest.
import type { Unavailable } from '@plazo/core'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** `orders`: how many orders' data keys it encrypts. `secrets`: how many secrets, of merchants and of the database itself. */
export type KeyUsage = { readonly id: string; readonly orders: number; readonly secrets: number }

export type ReencryptedPage = {
  readonly count: number
  /** Where the next page begins. Null after the last page. */
  readonly next: number | null
}

export type KeyRotation = {
  /** Lists every key given, in its order, then any other key that may still encrypt something. */
  readonly usage: () => TaskEither<Unavailable, readonly KeyUsage[]>
  /** A server calls this at its start: from now on it decrypts what its first key encrypts. */
  readonly markInUse: () => TaskEither<Unavailable, void>
  /** True if a server has started that decrypts what the first key encrypts. */
  readonly isInUse: () => TaskEither<Unavailable, boolean>
  /** Re-encrypts the data keys of one page of `limit` orders. The first page is after 0. */
  readonly reencryptOrders: (after: number, limit: number) => TaskEither<Unavailable, ReencryptedPage>
  /** Re-encrypts all secrets that are under another key. Returns how many. */
  readonly reencryptSecrets: () => TaskEither<Unavailable, number>
}
