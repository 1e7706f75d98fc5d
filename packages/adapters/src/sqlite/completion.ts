// Ends claims: completes a job together with the step that it causes, makes it stuck, or releases it.
import {
  type AttemptResult,
  type CompletionDecide,
  type CompletionResult,
  type FinalStatus,
  type FullStore,
  type ReleasedAs,
  type Report,
  type Step,
  type Unavailable,
  wasApplied,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { CommitQueue, QueuedWrite } from './commit-queue.ts'
import type { CachedOrder, OrderDecider } from './order-cache.ts'
import { toStepWrite } from './step-rows.ts'
import { sqliteUnavailable } from './unavailable.ts'
import type { StepWrite } from './writer/commands.ts'

type Claim = { readonly orderRef: string; readonly token: string }

/** The result of a claimed job. */
type ClaimOutcome = Claim & {
  readonly attemptResult: AttemptResult
  readonly report: Report | null
  /** Why the step cannot be made: the job becomes stuck. Null: there is no such reason. */
  readonly fault: string | null
}

export type JobCompletion = {
  readonly complete: FullStore['complete']
  readonly markStuck: (claim: Claim, fault: string) => Promise<E.Either<Unavailable, CompletionResult>>
  readonly release: FullStore['release']
}

export const createJobCompletion = (queue: CommitQueue, { decideOn, cacheStep }: OrderDecider): JobCompletion => {
  const buildCompletion = (
    outcome: ClaimOutcome,
    decide: CompletionDecide | null,
    resolve: (completionResult: E.Either<Unavailable, CompletionResult>) => void,
  ): QueuedWrite => {
    const { orderRef } = outcome
    let isTaken = false
    let fault = outcome.fault
    let planned: { readonly step: Step; readonly on: CachedOrder } | null = null
    let finalStatus: FinalStatus | null = null

    const stepOf = (): StepWrite | null => {
      const decided = decide && decideOn(orderRef, decide, isTaken)
      if (decided === null) return null
      const { on, decision } = decided
      if (E.isLeft(decision)) {
        fault = decision.left.message
        return null
      }
      const { step, answer } = decision.right
      planned = { step, on }
      finalStatus = answer.statusOverride
      return toStepWrite(step, on)
    }

    const plan = (): StepWrite | null => {
      planned = null
      finalStatus = null
      if (fault !== null) return null
      try {
        return stepOf()
      } catch (cause) {
        const { message, code } = sqliteUnavailable(cause)
        if (code !== 'internal_error') throw cause
        fault = message
        return null
      }
    }

    return {
      about: decide && orderRef,
      plan: () => ({ name: 'complete', input: { ...outcome, step: plan(), finalStatus, fault } }),
      came: (result) => {
        if (result === 'changed') return false
        if (result === 'reference_taken') {
          // It was decided with `isTaken`, and the reference that it asks for is still taken.
          if (isTaken) fault = 'ReferenceTaken'
          isTaken = true
          return false
        }
        const completionResult = result as CompletionResult
        if (wasApplied(completionResult) && planned !== null) cacheStep(planned.on.id, planned.step)
        resolve(E.right(completionResult))
        return true
      },
      failed: (error) => {
        // An internal error, such as contradictory rows, would repeat, so the job becomes stuck.
        if (error.code === 'internal_error' && fault === null)
          queue.run(buildCompletion({ ...outcome, fault: error.message }, null, resolve), { mayBeRefused: false })
        else resolve(E.left(error))
      },
    }
  }

  const releaseOne = ({ orderRef, token }: Claim, as: ReleasedAs): Promise<E.Either<Unavailable, void>> =>
    new Promise((resolve) =>
      // `about` makes it wait for an earlier completion of the same job.
      queue.runSoon({
        about: orderRef,
        plan: () => ({ name: 'release', input: { token, as } }),
        came: () => {
          resolve(E.right(undefined))
          return true
        },
        failed: (error) => resolve(E.left(error)),
      }),
    )

  return {
    complete:
      ({ token, orderRef }, { result, decide = null, report = null }) =>
      () =>
        new Promise((resolve) =>
          queue.runSoon(
            buildCompletion({ orderRef, token, attemptResult: result, report, fault: null }, decide, resolve),
          ),
        ),
    markStuck: ({ orderRef, token }, fault) => {
      const outcome = { orderRef, token, attemptResult: { type: 'retry', dueAt: 0 }, report: null, fault } as const
      return new Promise((resolve) => queue.run(buildCompletion(outcome, null, resolve), { mayBeRefused: false }))
    },
    release: (claimed, as) => async () => {
      const results = await Promise.all(claimed.map((claim) => releaseOne(claim, as)))
      return results.find(E.isLeft) ?? E.right(undefined)
    },
  }
}
