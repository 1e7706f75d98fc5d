// Claims jobs for the dispatcher. The writer, which may run in another thread, claims them; their
// payloads are decrypted here.
import type { ClaimRequest, FullStore, Job, Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { IO } from 'fp-ts/lib/IO.js'
import { trackUndecryptableJobs } from '../encryption/master-keys.ts'
import { errorCodeOf } from '../system/error-code.ts'
import type { WriteQueue } from './commit.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import type { Database } from './schema/database.ts'
import { sqliteUnavailable } from './unavailable.ts'
import { isOutOfSpace } from './wal/write-ahead-log.ts'
import type { ClaimedJob } from './writer/commands.ts'

type ClaimedBatch = { readonly request: ClaimRequest; readonly jobs: readonly ClaimedJob[] }

export const createClaim = (
  { orderJobs: { run, markStuck, release }, reader }: WriteQueue,
  dataKeys: DataKeys,
): FullStore['claim'] => {
  const backOff = trackUndecryptableJobs(dataKeys.cipher.keyIds)

  const claimJobs = (
    buildRequest: IO<ClaimRequest>,
  ): Promise<E.Either<Unavailable, ClaimedBatch>> =>
    run(
      {
        key: null,
        plan: () => {
          dataKeys.refreshIfChanged()
          const request = buildRequest()
          const input = { ...request, keyIds: backOff.keyFilterFor(request) }
          return {
            type: 'write',
            encode: () => ({ name: 'claim', input }),
            answer: (jobs) => E.right({ request, jobs: jobs as readonly ClaimedJob[] }),
          }
        },
      },
      { isBackground: true },
    )

  // A payload that does not decrypt with the right keys never will. Its job becomes stuck, so that
  // it holds up nothing else. If a master key is missing, the settings are wrong, and the job is
  // released.
  const decryptJobs = async ({ request, jobs: claimed }: ClaimedBatch): Promise<readonly Job[]> => {
    const jobs: Job[] = []
    const markedStuck: Promise<unknown>[] = []
    const undecryptable: ClaimedJob[] = []
    for (const each of claimed) {
      const { id: _, ...job } = each
      try {
        jobs.push({ ...job, payload: reader.payloadOf(each) })
      } catch (cause) {
        const error = sqliteUnavailable(cause)
        if (error.code === 'internal_error') markedStuck.push(markStuck(each, error.message))
        else {
          undecryptable.push(each)
          backOff.noteError(request, error)
        }
      }
    }
    // If a job cannot be released now, its lease expires.
    await Promise.all([...markedStuck, release(undecryptable, 'not_started')()])
    return jobs
  }

  return (buildRequest) => async () => {
    const unreported = backOff.takeUnreportedError()
    if (unreported !== null) return E.left(unreported)
    const claimed = await claimJobs(buildRequest)
    return E.isLeft(claimed) ? claimed : E.right(await decryptJobs(claimed.right))
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
