// During a key rotation, SECRET_KEY changes on one server after another, and a server may claim jobs that it cannot decrypt.
// It releases them for other servers, reports the missing key instead of the next claim, and skips jobs under other keys for
// the length of the lease. Without the pause it would claim them again at once, and they would take the place of jobs that it
// can decrypt.
import type { ClaimRequest, Unavailable } from '@plazo/core'

type UndecryptableJobs = {
  /** The master keys that the claimed jobs may be encrypted under. Null: any key. */
  readonly keyFilterFor: (request: ClaimRequest) => readonly string[] | null
  /** Starts to skip: this request returned a job that is encrypted under another key. */
  readonly startSkipping: (request: ClaimRequest, error: Unavailable) => void
  /** Returns the error that has not been reported yet, once. Null: there is none. */
  readonly takeUnreportedError: () => Unavailable | null
}

export const trackUndecryptableJobs = (keyIds: readonly string[]): UndecryptableJobs => {
  let skippedSince: ClaimRequest | null = null
  let unreported: Unavailable | null = null
  return {
    // A sandbox's clock may be moved in both directions.
    keyFilterFor: ({ at }) =>
      skippedSince !== null && Math.abs(at - skippedSince.at) < skippedSince.lease ? keyIds : null,
    startSkipping: (request, error) => {
      skippedSince = request
      unreported = error
    },
    takeUnreportedError: () => {
      const error = unreported
      unreported = null
      return error
    },
  }
}
