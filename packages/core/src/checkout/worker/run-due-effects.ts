// A minimal dispatcher for hosts that do not need a concurrent one: it runs everything that is due now, one by one.
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { AttemptError } from '../../delivery/attempt.ts'
import type { Job } from '../../ports/job-queue.ts'
import type { Unavailable } from '../../ports/unavailable.ts'
import type { Host } from '../host.ts'
import { completeJob } from './complete-job.ts'
import { type EffectHandlers, executeEffect } from './execute-effect.ts'

// Claims one delivery and one other job at a time. The second waits for the first, and each may take 30 s; the lease covers
// both.
const AT_ONCE = 1
const LEASE = 120_000

export type DueEffectHandlers = Pick<EffectHandlers, 'providers' | 'gateway'> & {
  /** Called for each failure. `thrown`: the value that a port threw; it may contain a shopper's data. */
  readonly onFailure?: (error: AttemptError, job: Job, thrown?: unknown) => void
}

/** Returns the jobs that it tried, successful or not. Ends when nothing more is due. */
export const runDueEffects =
  (host: Host, { onFailure, ...handlers }: DueEffectHandlers): TaskEither<Unavailable, readonly Job[]> =>
  async () => {
    const execute = executeEffect({ ...handlers, clock: host.clock }, 0)
    const attempted: Job[] = []
    for (;;) {
      const claimed = await host.store.claim(() => ({
        at: host.clock.now(),
        lease: LEASE,
        capacity: { deliveries: AT_ONCE, internal: AT_ONCE },
        perMerchant: AT_ONCE,
      }))()
      if (E.isLeft(claimed)) return claimed
      if (claimed.right.length === 0) return E.right(attempted)
      for (const job of claimed.right) {
        const result = await execute(job)()
        if (result.error !== null) onFailure?.(result.error, job, result.thrown)
        const completed = await completeJob(host)(job, result)()
        if (E.isLeft(completed)) return completed
        attempted.push(job)
      }
    }
  }
