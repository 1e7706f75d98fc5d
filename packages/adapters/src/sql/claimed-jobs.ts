// Decides which claimed jobs can run. A payload that does not decrypt with the right keys never will:
// its job becomes stuck, so that it holds up nothing else. A job that cannot be read now is released.
//
// During a key rotation, SECRET_KEY changes on one server after another, and a server may claim jobs
// that it cannot decrypt. It releases them for other servers, reports the missing key instead of the
// next claim, and skips jobs under other keys for the length of the lease. Without the pause it would
// claim them again at once, and they would take the place of jobs that it can decrypt.
import { type ClaimRequest, type Job, toUnavailable, type Unavailable } from '@plazo/core/ports'
import type { Claim, OrderJobs } from './order-jobs.ts'

/** `keyIds`: this server's master keys. */
export const createClaimedJobs = (
  keyIds: readonly string[],
  { markStuck, release }: Pick<OrderJobs<never, never>, 'markStuck' | 'release'>,
) => {
  let skippedSince: ClaimRequest | null = null
  let unreported: Unavailable | null = null

  return {
    /** The master keys that the claimed jobs may be encrypted under. Null: any key. */
    keyFilterFor: ({ at }: ClaimRequest): readonly string[] | null =>
      // The clock may have been moved in either direction.
      skippedSince !== null && Math.abs(at - skippedSince.at) < skippedSince.lease ? keyIds : null,
    /** Returns the error that has not been reported yet, once. Null: there is none. */
    takeUnreportedError: (): Unavailable | null => {
      const error = unreported
      unreported = null
      return error
    },
    /** The jobs that can run. `open`: throws if the payload of its claim cannot be read. */
    openAll: async (
      request: ClaimRequest,
      claims: readonly (Claim & { readonly open: () => Job })[],
    ): Promise<readonly Job[]> => {
      const jobs: Job[] = []
      const markedStuck: Promise<unknown>[] = []
      const notRun: Claim[] = []
      for (const claim of claims)
        try {
          jobs.push(claim.open())
        } catch (cause) {
          const error = toUnavailable(cause)
          if (error.code === 'internal_error') markedStuck.push(markStuck(claim, error.message))
          else {
            notRun.push(claim)
            unreported = error
            if (error.code === 'key_missing') skippedSince = request
          }
        }
      // If a job cannot be released now, its lease expires.
      await Promise.all([...markedStuck, release(notRun, 'not_started')()])
      return jobs
    },
  }
}
