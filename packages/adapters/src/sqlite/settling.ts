// Ends claims: completes a job together with the step that it causes, makes it stuck, or releases it.
import {
  type AttemptResult,
  type CompletionResult,
  type Decide,
  type FinalStatus,
  type ReleasedAs,
  type Report,
  type Step,
  type Store,
  type Unavailable,
  unavailable,
  wasApplied,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { CommitQueue, Job } from './commit-queue.ts'
import type { Deciding } from './deciding.ts'
import type { KnownOrder } from './order-rows.ts'
import { handedEntry, stepWrite } from './order-writes.ts'
import type { StepWrite } from './writer/calls.ts'
import { failureOf } from './writer/committing.ts'

type Claim = { readonly orderRef: string; readonly token: string }

/** The result of a claimed job. */
type Concluded = Claim & {
  readonly conclusion: AttemptResult
  readonly report: Report | null
  /** Why the step cannot be made: the job becomes stuck. Null: there is no such reason. */
  readonly fault: string | null
}

export type Settling = {
  readonly complete: Store['complete']
  readonly park: (claim: Claim, fault: string) => Promise<E.Either<Unavailable, CompletionResult>>
  readonly release: Store['release']
}

export const settling = (queue: CommitQueue, { decideOn, remember }: Deciding): Settling => {
  const settleJob = (
    concluded: Concluded,
    decide: Decide<{ readonly message: string }, FinalStatus | null> | null,
    resolve: (settled: E.Either<Unavailable, CompletionResult>) => void,
  ): Job => {
    const { orderRef } = concluded
    let isTaken = false
    let fault = concluded.fault
    let planned: { readonly step: Step; readonly on: KnownOrder } | null = null
    let ending: FinalStatus | null = null

    const stepOf = (): StepWrite | null => {
      const decided = decide && decideOn(orderRef, decide, isTaken)
      if (decided === null) return null
      const { on, said } = decided
      if (E.isLeft(said)) {
        fault = said.left.message
        return null
      }
      const { step, answer } = said.right
      planned = { step, on }
      ending = answer
      return stepWrite(step, on)
    }

    const plan = (): StepWrite | null => {
      planned = null
      ending = null
      if (fault !== null) return null
      try {
        return stepOf()
      } catch (cause) {
        const { message, isOurs } = failureOf(cause)
        if (!isOurs) throw cause
        fault = message
        return null
      }
    }

    return {
      about: decide && orderRef,
      plan: () => ({ name: 'settle', given: { ...concluded, step: plan(), ending, fault } }),
      came: (result) => {
        if (result === 'moved') return false
        if (result === 'taken') {
          // It was decided with `isTaken`, and the reference that it asks for is still taken.
          if (isTaken) fault = 'ReferenceTaken'
          isTaken = true
          return false
        }
        const settled = result as CompletionResult
        if (wasApplied(settled) && planned !== null) remember(planned.on.id, planned.step)
        resolve(E.right(settled))
        return true
      },
      failed: (failure) => {
        // A permanent failure, such as contradictory rows, would repeat, so the job becomes stuck.
        if (failure.isOurs && fault === null)
          queue.run(settleJob({ ...concluded, fault: failure.message }, null, resolve), { mayBeRefused: false })
        else resolve(unavailable(failure.message))
      },
      handed: (n, token, at) => planned && handedEntry(planned.step, n, token, at),
    }
  }

  const giveOneBack = ({ orderRef, token }: Claim, as: ReleasedAs): Promise<E.Either<Unavailable, void>> =>
    new Promise((resolve) =>
      // `about` makes it wait for an earlier completion of the same job.
      queue.runSoon({
        about: orderRef,
        plan: () => ({ name: 'giveBack', given: { token, as } }),
        came: () => {
          resolve(E.right(undefined))
          return true
        },
        failed: (failure) => resolve(unavailable(failure.message)),
      }),
    )

  return {
    complete:
      ({ token, orderRef }, conclusion, decide, report) =>
      () =>
        new Promise((resolve) =>
          queue.runSoon(settleJob({ orderRef, token, conclusion, report, fault: null }, decide, resolve)),
        ),
    park: ({ orderRef, token }, fault) => {
      const concluded = { orderRef, token, conclusion: { type: 'again', dueAt: 0 }, report: null, fault } as const
      return new Promise((resolve) => queue.run(settleJob(concluded, null, resolve), { mayBeRefused: false }))
    },
    release: (claimed, as) => async () => {
      const given = await Promise.all(claimed.map((claim) => giveOneBack(claim, as)))
      return given.find(E.isLeft) ?? E.right(undefined)
    },
  }
}
