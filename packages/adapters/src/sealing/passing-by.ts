// During a key rotation, SECRET_KEY changes on one server after another, and a server may claim jobs that it cannot decrypt.
// It releases them for other servers, reports the missing key instead of the next claim, and skips jobs under other keys for
// the length of the lease. Without the pause it would claim them again at once, and they would take the place of jobs that it
// can decrypt.
import type { ClaimRequest } from '@plazo/core'

type PassingBy = {
  /** The master keys that the claimed jobs may be encrypted under. Null: any key. */
  readonly keysFor: (request: ClaimRequest) => readonly string[] | null
  /** Starts to skip: this request returned a job that is encrypted under another key. */
  readonly begin: (request: ClaimRequest, message: string) => void
  /** Returns the message that has not been reported yet, once. Null: there is none. */
  readonly takeUntold: () => string | null
}

export const passingBy = (keyIds: readonly string[]): PassingBy => {
  let begunBy: ClaimRequest | null = null
  let untold: string | null = null
  return {
    // A sandbox's clock may be moved in both directions.
    keysFor: ({ at }) => (begunBy !== null && Math.abs(at - begunBy.at) < begunBy.lease ? keyIds : null),
    begin: (request, message) => {
      begunBy = request
      untold = message
    },
    takeUntold: () => {
      const told = untold
      untold = null
      return told
    },
  }
}
