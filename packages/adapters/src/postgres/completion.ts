// Ends claims in PostgreSQL: completes a job together with the step that its result causes, makes it stuck, or releases it.
import {
  type AttemptResult,
  type CompletionDecide,
  type CompletionResult,
  errorMessage,
  type FinalStatus,
  type FullStore,
  isUnchanged,
  type Order,
  type ReleasedAs,
  type Report,
  type Unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { type ClaimToken, decodeToken } from './claim-token.ts'
import { completedRow, releasedRow, stuckRow } from './completion-rows.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import { completionChange, mergeChanges, stepChange } from './order-changes.ts'
import { type OrderChange, type Plan, type QueuedWrite, toWritePlan, type WriteQueue } from './write-queue.ts'

type Claim = { readonly orderRef: string; readonly token: string }

/** The result of a claimed job, and the caller that waits for the outcome. */
type ClaimOutcome = {
  readonly orderRef: string
  readonly token: ClaimToken
  readonly attemptResult: AttemptResult
  readonly report: Report | null
  readonly resolve: (settled: E.Either<Unavailable, CompletionResult>) => void
}

type JobCompletion = {
  readonly complete: FullStore['complete']
  /** Makes the job stuck without reading the order, which may be unreadable itself. */
  readonly markStuck: (claim: Claim, message: string) => Promise<E.Either<Unavailable, CompletionResult>>
  readonly release: (claims: readonly Claim[], as: ReleasedAs) => Promise<E.Either<Unavailable, void>>
}

export const createJobCompletion = (writes: WriteQueue, dataKeys: DataKeys): JobCompletion => {
  const buildCompletion = (outcome: ClaimOutcome, decide: CompletionDecide | null): QueuedWrite => {
    const { orderRef, token, attemptResult, report, resolve } = outcome
    let appliedAs: Exclude<CompletionResult, 'lost'> = 'retry'
    const planWrite = (change: () => OrderChange): Plan =>
      toWritePlan(() => {
        const planned = change()
        appliedAs = planned.order.final_status ?? 'retry'
        return planned
      })
    return {
      orderRef,
      isOfClaim: true,
      reads: decide !== null || (!!report?.response && dataKeys.cachedKey(orderRef) === undefined),
      plan: (read, referenceIsTaken) => {
        const key = read?.key ?? dataKeys.cachedKey(orderRef)
        const stuckPlan = (message: string, on: Order): Plan =>
          planWrite(() => completionChange(orderRef, token, stuckRow(token, message, attemptResult, report, key), on))
        const endingRow = (finalStatus: FinalStatus | null) =>
          completedRow(token, attemptResult, finalStatus, report, key)
        if (decide === null || read === undefined)
          return planWrite(() => completionChange(orderRef, token, endingRow(null)))
        const { order } = read
        const decided = E.tryCatch(() => decide(order, referenceIsTaken), errorMessage)
        if (E.isLeft(decided)) return stuckPlan(decided.left, order)
        if (E.isLeft(decided.right)) return stuckPlan(decided.right.left.message, order)
        const { step, answer } = decided.right.right
        return planWrite(() =>
          isUnchanged(step)
            ? completionChange(orderRef, token, endingRow(answer.statusOverride), order)
            : mergeChanges(stepChange(step, read), token, endingRow(answer.statusOverride)),
        )
      },
      written: (came) => {
        if (came === 'taken') writeStuck(outcome, 'ReferenceTaken')
        else if (came === 'lost') resolve(E.right('lost'))
        else resolve(E.right(came === 'withdrawn' && appliedAs !== 'stuck' ? 'stopped' : appliedAs))
      },
      failed: (error) => {
        // It would repeat, so the job becomes stuck.
        if (error.code === 'internal_error') writeStuck(outcome, error.message)
        else resolve(E.left(error))
      },
    }
  }

  const writeStuck = ({ orderRef, token, attemptResult, report, resolve }: ClaimOutcome, message: string): void =>
    writes.run({
      orderRef,
      isOfClaim: true,
      reads: false,
      plan: () =>
        toWritePlan(() => {
          const stuckCompletion = stuckRow(token, message, attemptResult, report, dataKeys.cachedKey(orderRef))
          return completionChange(orderRef, token, stuckCompletion)
        }),
      written: (came) => resolve(E.right(came === 'lost' ? 'lost' : 'stuck')),
      failed: (error) => resolve(E.left(error)),
    })

  const releaseOne = ({ orderRef, token }: Claim, as: ReleasedAs): Promise<E.Either<Unavailable, void>> => {
    const claimToken = decodeToken(token)
    if (claimToken === null) return Promise.resolve(E.right(undefined))
    return new Promise((resolve) =>
      writes.run({
        orderRef,
        isOfClaim: true,
        reads: false,
        plan: () => toWritePlan(() => completionChange(orderRef, claimToken, releasedRow(claimToken, as))),
        written: () => resolve(E.right(undefined)),
        failed: (error) => resolve(E.left(error)),
      }),
    )
  }

  return {
    complete:
      ({ orderRef, token }, { result, decide = null, report = null }) =>
      () =>
        new Promise((resolve) => {
          const claimToken = decodeToken(token)
          if (claimToken === null) resolve(E.right('lost'))
          else
            writes.run(buildCompletion({ orderRef, token: claimToken, attemptResult: result, report, resolve }, decide))
        }),
    markStuck: ({ orderRef, token }, message) =>
      new Promise((resolve) => {
        const claimToken = decodeToken(token)
        const nothing = { attemptResult: { type: 'retry', dueAt: 0 }, report: null } as const
        if (claimToken === null) resolve(E.right('lost'))
        else writeStuck({ orderRef, token: claimToken, ...nothing, resolve }, message)
      }),
    release: async (claims, as) => {
      const results = await Promise.all(claims.map((claim) => releaseOne(claim, as)))
      return results.find(E.isLeft) ?? E.right(undefined)
    },
  }
}
