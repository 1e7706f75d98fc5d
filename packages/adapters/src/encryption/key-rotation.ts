// Master key rotation: counts what each master key encrypts and re-encrypts it under the first one, page by page. If the
// process is killed, finished pages stay finished, and the next run finds the rest.
import type { ClaimRequest, Unavailable } from '@plazo/core'
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

type UndecryptableJobs = {
  /** The master keys that the claimed jobs may be encrypted under. Null: any key. */
  readonly keyFilterFor: (request: ClaimRequest) => readonly string[] | null
  /** The payload of a job that this request returned could not be read. If its master key is missing, such jobs are skipped. */
  readonly noteError: (request: ClaimRequest, error: Unavailable) => void
  /** Returns the error that has not been reported yet, once. Null: there is none. */
  readonly takeUnreportedError: () => Unavailable | null
}

/**
 * During a key rotation, SECRET_KEY changes on one server after another, and a server may claim jobs that it cannot decrypt.
 * It releases them for other servers, reports the missing key instead of the next claim, and skips jobs under other keys for
 * the length of the lease. Without the pause it would claim them again at once, and they would take the place of jobs that it
 * can decrypt.
 */
export const trackUndecryptableJobs = (keyIds: readonly string[]): UndecryptableJobs => {
  let skippedSince: ClaimRequest | null = null
  let unreported: Unavailable | null = null
  return {
    // A sandbox's clock may be moved in both directions.
    keyFilterFor: ({ at }) =>
      skippedSince !== null && Math.abs(at - skippedSince.at) < skippedSince.lease ? keyIds : null,
    noteError: (request, error) => {
      if (error.code === 'key_missing') skippedSince = request
      unreported = error
    },
    takeUnreportedError: () => {
      const error = unreported
      unreported = null
      return error
    },
  }
}
