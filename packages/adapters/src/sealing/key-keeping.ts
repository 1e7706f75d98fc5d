// What is sealed under which master key, and sealed anew under the first one, a little at a time: killed anywhere, what
// was done is done, and what is left is found again.
import type { Unavailable } from '@plazo/core'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** `orders`: whose data keys; `secrets`: the merchants', and the database's own. */
export type KeyUse = { readonly id: string; readonly orders: number; readonly secrets: number }

export type Resealed = {
  readonly count: number
  /** Where the next page begins; null after the last. */
  readonly next: number | null
}

export type KeyKeeping = {
  /** Every key given, as it stands in the list, and then any other that something may be sealed under. */
  readonly uses: () => TaskEither<Unavailable, readonly KeyUse[]>
  /** To be told by a server: it opens from now on what the first of its keys has sealed. */
  readonly serve: () => TaskEither<Unavailable, void>
  /** Whether a server has been started that opens what the first key seals. */
  readonly isServed: () => TaskEither<Unavailable, boolean>
  /** A page of so many orders' data keys; 0 begins. */
  readonly resealOrders: (after: number, limit: number) => TaskEither<Unavailable, Resealed>
  /** How many secrets were sealed anew: all there are. */
  readonly resealSecrets: () => TaskEither<Unavailable, number>
}
