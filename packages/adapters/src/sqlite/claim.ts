// Claims jobs for the dispatcher. The writer, which may run in another thread, claims them; their
// payloads are decrypted here.
import type { ClaimRequest, FullStore, Job, Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { IO } from 'fp-ts/lib/IO.js'
import { createClaimedJobs } from '../sql/claimed-jobs.ts'
import { errorCodeOf } from '../system/error-code.ts'
import type { WriteQueue } from './commit.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import type { Database } from './schema/database.ts'
import { throwUnavailable } from './unavailable.ts'
import { isOutOfSpace } from './wal/write-ahead-log.ts'
import type { ClaimedJob } from './writer/commands.ts'

type ClaimedBatch = { readonly request: ClaimRequest; readonly jobs: readonly ClaimedJob[] }

export const createClaim = (
  { orderJobs, reader }: WriteQueue,
  dataKeys: DataKeys,
): FullStore['claim'] => {
  const claimedJobs = createClaimedJobs(dataKeys.cipher.keyIds, orderJobs)

  const claimJobs = (
    buildRequest: IO<ClaimRequest>,
  ): Promise<E.Either<Unavailable, ClaimedBatch>> =>
    orderJobs.run(
      {
        key: null,
        plan: () => {
          throwUnavailable(dataKeys.refreshIfChanged)
          const request = buildRequest()
          const input = { ...request, keyIds: claimedJobs.keyFilterFor(request) }
          return {
            type: 'write',
            encode: () => ({ name: 'claim', input }),
            answer: (jobs) => E.right({ request, jobs: jobs as readonly ClaimedJob[] }),
          }
        },
      },
      { isBackground: true },
    )

  const openJob = ({ id, ...job }: ClaimedJob): Job => ({
    ...job,
    payload: reader.payloadOf({ id, key: job.key }),
  })

  return (buildRequest) => async () => {
    const unreported = claimedJobs.takeUnreportedError()
    if (unreported !== null) return E.left(unreported)
    const claimed = await claimJobs(buildRequest)
    if (E.isLeft(claimed)) return claimed
    const { request, jobs } = claimed.right
    const claims = jobs.map((job) => ({ ...job, open: () => openJob(job) }))
    return E.right(await claimedJobs.openAll(request, claims))
  }
}

/**
 * Ends the leases of dead processes, so that the next claim takes over their jobs. Otherwise they
 * would wait until the leases expire, as they do on a full disk.
 */
export const endDeadLeases = (db: Database): void => {
  const claimTokens = db
    .prepare<[], string>(`select token from outbox where state = 'claimed'`)
    .pluck()
  const endLease = db.prepare(
    `update outbox set lease_until = 0 where state = 'claimed' and token = ?`,
  )
  const endAll = db.transaction(() => {
    const tokens = Map.groupBy(claimTokens.all(), (token) => Number.parseInt(token, 10))
    for (const [pid, ofProcess] of tokens)
      if (isProcessGone(pid)) for (const token of ofProcess) endLease.run(token)
  })
  try {
    endAll.immediate()
  } catch (cause) {
    if (!isOutOfSpace(cause)) throw cause
  }
}

const isProcessGone = (pid: number): boolean => {
  // Our own pid in an old claim belongs to an earlier process: this one has claimed nothing yet.
  if (pid === process.pid) return true
  try {
    process.kill(pid, 0)
    return false
  } catch (cause) {
    return errorCodeOf(cause) === 'ESRCH'
  }
}
