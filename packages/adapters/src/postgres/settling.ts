// Completes a claimed job with the step that its result causes, makes it stuck if the step fails, or releases it.
import {
  type AttemptResult,
  type CompletionResult,
  type Decide,
  errorMessage,
  type FinalStatus,
  isUnchanged,
  type Order,
  type ReleasedAs,
  type Report,
  type Store,
  type Unavailable,
  unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { type ClaimToken, readToken } from './claim-token.ts'
import { concludedRow, givenBackRow, parkedRow } from './endings.ts'
import { concluding, stepping, together } from './order-changes.ts'
import type { Vault } from './vault.ts'
import { type Job, type OrderChange, type Plan, type WriteQueue, writing } from './write-queue.ts'

type Claim = { readonly orderRef: string; readonly token: string }

/** The result of a claimed job, and the caller that waits for the outcome. */
type Concluded = {
  readonly orderRef: string
  readonly token: ClaimToken
  readonly conclusion: AttemptResult
  readonly report: Report | null
  readonly resolve: (settled: E.Either<Unavailable, CompletionResult>) => void
}

type Settling = {
  readonly complete: Store['complete']
  /** Makes the job stuck without reading the order, which may be unreadable itself. */
  readonly park: (claim: Claim, message: string) => Promise<E.Either<Unavailable, CompletionResult>>
  readonly release: (claims: readonly Claim[], as: ReleasedAs) => Promise<E.Either<Unavailable, void>>
}

export const settling = (writes: WriteQueue, vault: Vault): Settling => {
  const settleJob = (
    concluded: Concluded,
    decide: Decide<{ readonly message: string }, FinalStatus | null> | null,
  ): Job => {
    const { orderRef, token, conclusion, report, resolve } = concluded
    let cameTo: Exclude<CompletionResult, 'lost'> = 'again'
    const writingIt = (change: () => OrderChange): Plan =>
      writing(() => {
        const made = change()
        cameTo = made.order.ends_as ?? 'again'
        return made
      })
    return {
      orderRef,
      isOfClaim: true,
      reads: decide !== null || (!!report?.response && vault.known(orderRef) === undefined),
      plan: (read, referenceIsTaken) => {
        const key = read?.key ?? vault.known(orderRef)
        const parked = (message: string, on: Order): Plan =>
          writingIt(() => concluding(orderRef, token, parkedRow(token, message, conclusion, report, key), on))
        const endingRow = (ending: FinalStatus | null) => concludedRow(token, conclusion, ending, report, key)
        if (decide === null || read === undefined) return writingIt(() => concluding(orderRef, token, endingRow(null)))
        const { order } = read
        const decided = E.tryCatch(() => decide(order, referenceIsTaken), errorMessage)
        if (E.isLeft(decided)) return parked(decided.left, order)
        if (E.isLeft(decided.right)) return parked(decided.right.left.message, order)
        const { step, answer } = decided.right.right
        return writingIt(() =>
          isUnchanged(step)
            ? concluding(orderRef, token, endingRow(answer), order)
            : together(stepping(step, read), token, endingRow(answer)),
        )
      },
      written: (came) => {
        if (came === 'taken') parkConcluded(concluded, 'ReferenceTaken')
        else if (came === 'lost') resolve(E.right('lost'))
        else resolve(E.right(came === 'withdrawn' && cameTo !== 'stuck' ? 'stopped' : cameTo))
      },
      failed: (message, isOurs) => {
        if (isOurs) parkConcluded(concluded, message)
        else resolve(unavailable(message))
      },
    }
  }

  const parkConcluded = ({ orderRef, token, conclusion, report, resolve }: Concluded, message: string): void =>
    writes.run({
      orderRef,
      isOfClaim: true,
      reads: false,
      plan: () =>
        writing(() => {
          const ending = parkedRow(token, message, conclusion, report, vault.known(orderRef))
          return concluding(orderRef, token, ending)
        }),
      written: (came) => resolve(E.right(came === 'lost' ? 'lost' : 'stuck')),
      failed: (failure) => resolve(unavailable(failure)),
    })

  const giveOneBack = ({ orderRef, token }: Claim, as: ReleasedAs): Promise<E.Either<Unavailable, void>> => {
    const held = readToken(token)
    if (held === null) return Promise.resolve(E.right(undefined))
    return new Promise((resolve) =>
      writes.run({
        orderRef,
        isOfClaim: true,
        reads: false,
        plan: () => writing(() => concluding(orderRef, held, givenBackRow(held, as))),
        written: () => resolve(E.right(undefined)),
        failed: (message) => resolve(unavailable(message)),
      }),
    )
  }

  return {
    complete:
      ({ orderRef, token }, conclusion, decide, report) =>
      () =>
        new Promise((resolve) => {
          const held = readToken(token)
          if (held === null) resolve(E.right('lost'))
          else writes.run(settleJob({ orderRef, token: held, conclusion, report, resolve }, decide))
        }),
    park: ({ orderRef, token }, message) =>
      new Promise((resolve) => {
        const held = readToken(token)
        const nothing = { conclusion: { type: 'again', dueAt: 0 }, report: null } as const
        if (held === null) resolve(E.right('lost'))
        else parkConcluded({ orderRef, token: held, ...nothing, resolve }, message)
      }),
    release: async (claims, as) => {
      const given = await Promise.all(claims.map((claim) => giveOneBack(claim, as)))
      return given.find(E.isLeft) ?? E.right(undefined)
    },
  }
}
