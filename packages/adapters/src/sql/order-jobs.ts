// The jobs that change orders: steps, and the completions and releases of claimed jobs. They read
// and decide in the same way in both SQL stores. A store only encodes and commits what they write.
// The payloads of new jobs are kept in memory until they ran.
import type { Effect, Order, Step } from '@plazo/core'
import {
  type AttemptResult,
  type CompletionDecide,
  type CompletionResult,
  type Decide,
  type EffectPayload,
  type FinalStatus,
  type FullStore,
  hasNoPersonalData,
  isUnchanged,
  type OrderNotFound,
  orderNotFound,
  type ReferenceTaken,
  type ReleasedAs,
  type Report,
  toUnavailable,
  type Unavailable,
  wasApplied,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { LRUCache } from 'lru-cache'
import type { Conflict, GroupCommit, PlannedJob } from './group-commit.ts'

/** The order that a step was decided on, as the store keeps it. */
type ReadOrder = { readonly order: Order }

/**
 * `isRecalled`: the order comes from the cache and may be outdated. The write must check its
 * revision.
 */
type DecidedOn<On> = { readonly on: On; readonly isRecalled: boolean }

/** `isReferenceTaken`: the decision knows that the requested reference is taken. */
type StepWrite<On> = DecidedOn<On> & {
  readonly type: 'step'
  readonly step: Step
  readonly isReferenceTaken: boolean
}

export type CompletionWrite<On> = ClaimCompletion & {
  readonly type: 'completion'
  /** The step that the result causes, which may change nothing. Null: there is none. */
  readonly decided:
    | (DecidedOn<On> & { readonly step: Step; readonly finalStatus: FinalStatus | null })
    | null
  /** Why the step cannot be made: the job becomes stuck. Null: there is no such reason. */
  readonly fault: string | null
  readonly isReferenceTaken: boolean
}

type ReleaseWrite = Claim & { readonly type: 'release'; readonly as: ReleasedAs }

export type OrderWrite<On> = StepWrite<On> | CompletionWrite<On> | ReleaseWrite

/**
 * `reference_taken`: the step still needs the reference after it was told that another order holds
 * it. A completion reports the job's status.
 */
export type WriteResult = 'done' | 'reference_taken' | CompletionResult

export type Claim = { readonly orderRef: string; readonly token: string }

export type OrderSource<On extends ReadOrder> = {
  /** The order as this process last saw it. It may have changed since. */
  readonly cached: (orderRef: string) => On | undefined
  /** The committed order. */
  readonly read: (orderRef: string) => On | undefined | Promise<On | undefined>
  /** Called after the commit of a step, before its caller is answered. */
  readonly cache: (step: Step, decidedOn: DecidedOn<On>) => void
  /** Called when a job is completed and will not run again. `key`: its effect's. */
  readonly removePayload: (key: string) => void
  /** Loads what the store needs to encode a completion that reads no order. */
  readonly prepareCompletion?: (completed: ClaimCompletion) => Promise<unknown>
}

/** The result of a claimed job. */
type ClaimCompletion = Claim & {
  readonly attemptResult: AttemptResult
  readonly report: Report | null
}

export type OrderJobs = Pick<FullStore, 'step' | 'complete'> & {
  readonly release: (claims: readonly Claim[], as: ReleasedAs) => TaskEither<Unavailable, void>
  /** Makes a claimed job stuck without reading its order, which may be unreadable itself. */
  readonly markStuck: (
    claim: Claim,
    fault: string,
  ) => Promise<E.Either<Unavailable, CompletionResult>>
}

type Conflicts = ReadonlySet<Conflict>

const doneResult = <Answer>(answer: Answer) => ({ type: 'done', answer }) as const

// A full queue refuses requests, but not the results of claimed jobs: the merchant would be called
// again.
const NEVER_REFUSED = { isBackground: true }

export const createOrderJobs = <On extends ReadOrder>(
  run: GroupCommit<OrderWrite<On>, WriteResult>['run'],
  { cached, read, cache, removePayload, prepareCompletion }: OrderSource<On>,
  toError: (thrown: unknown) => Unavailable = toUnavailable,
): OrderJobs => {
  type DecisionResult<E, A> = DecidedOn<On> & { readonly decision: ReturnType<Decide<E, A>> }

  // A write carries the revision that it was decided on, so an outdated one is noticed and planned
  // again. An answer without a write must come from the committed order. A completion always
  // writes.
  const decideOnCached = <E, A>(
    orderRef: string,
    decide: Decide<E, A>,
    conflicts: Conflicts,
    alwaysWrites: boolean,
  ): DecisionResult<E, A> | null => {
    const on = conflicts.has('changed') ? undefined : cached(orderRef)
    if (on === undefined) return null
    try {
      const decision = decide(on.order, conflicts.has('reference_taken'))
      const writes = E.isRight(decision) && (alwaysWrites || !isUnchanged(decision.right.step))
      return writes ? { on, decision, isRecalled: true } : null
    } catch {
      return null
    }
  }

  /** Null: the order does not exist. */
  const decideOn = async <E, A>(
    orderRef: string,
    decide: Decide<E, A>,
    conflicts: Conflicts,
    alwaysWrites: boolean,
  ): Promise<DecisionResult<E, A> | null> => {
    const recalled = decideOnCached(orderRef, decide, conflicts, alwaysWrites)
    if (recalled !== null) return recalled
    const on = await read(orderRef)
    return on === undefined
      ? null
      : { on, decision: decide(on.order, conflicts.has('reference_taken')), isRecalled: false }
  }

  const step =
    <Err, A>(orderRef: string, decide: Decide<Err, A>) =>
    async (): Promise<E.Either<Err | OrderNotFound | ReferenceTaken | Unavailable, A>> => {
      type Answer = E.Either<Err | OrderNotFound | ReferenceTaken, A>
      const plan = async (
        conflicts: Conflicts,
      ): Promise<PlannedJob<OrderWrite<On>, WriteResult, Answer>> => {
        const decided = await decideOn(orderRef, decide, conflicts, false)
        if (decided === null) return doneResult(E.left(orderNotFound))
        const { decision, ...readOrder } = decided
        if (E.isLeft(decision)) return doneResult(decision)
        const { step, answer } = decision.right
        if (isUnchanged(step)) return doneResult(E.right(answer))
        return {
          type: 'write',
          write: {
            type: 'step',
            step,
            ...readOrder,
            isReferenceTaken: conflicts.has('reference_taken'),
          },
          answer: (result) => {
            if (result === 'reference_taken')
              return E.left({ _tag: 'ReferenceTaken', reference: step.reference ?? '' })
            cache(step, readOrder)
            return E.right(answer)
          },
        }
      }
      return E.flattenW(await run({ key: orderRef, plan }))
    }

  const decideCompletion = async (
    completed: ClaimCompletion,
    decide: CompletionDecide | null,
    conflicts: Conflicts,
  ): Promise<Pick<CompletionWrite<On>, 'decided' | 'fault'>> => {
    if (decide === null) {
      await prepareCompletion?.(completed)
      return { decided: null, fault: null }
    }
    try {
      const decided = await decideOn(completed.orderRef, decide, conflicts, true)
      if (decided === null) return { decided: null, fault: null }
      const { decision, ...readOrder } = decided
      if (E.isLeft(decision)) return { decided: null, fault: decision.left.message }
      return {
        decided: {
          ...readOrder,
          step: decision.right.step,
          finalStatus: decision.right.answer.statusOverride,
        },
        fault: null,
      }
    } catch (cause) {
      const error = toError(cause)
      if (error.code !== 'internal_error') throw cause
      return { decided: null, fault: error.message }
    }
  }

  const complete = async (
    completed: ClaimCompletion,
    decide: CompletionDecide | null,
  ): Promise<E.Either<Unavailable, CompletionResult>> => {
    const plan = async (
      conflicts: Conflicts,
    ): Promise<PlannedJob<OrderWrite<On>, WriteResult, CompletionAnswer>> => {
      const outcome = await decideCompletion(completed, decide, conflicts)
      return {
        type: 'write',
        write: {
          type: 'completion',
          ...completed,
          ...outcome,
          isReferenceTaken: conflicts.has('reference_taken'),
        },
        answer: (result) => {
          const answer = toCompletionAnswer(result)
          if (outcome.decided !== null && answer !== 'reference_taken' && wasApplied(answer))
            cache(outcome.decided.step, outcome.decided)
          return answer
        },
      }
    }
    const ended = await run({ key: completed.orderRef, plan }, NEVER_REFUSED)
    if (E.isRight(ended))
      return ended.right === 'reference_taken'
        ? completeAsStuck(completed, 'ReferenceTaken')
        : E.right(ended.right)
    // A failure that would repeat makes the job stuck.
    return ended.left.code === 'internal_error'
      ? completeAsStuck(completed, ended.left.message)
      : ended
  }

  const completeAsStuck = async (
    completed: ClaimCompletion,
    fault: string,
  ): Promise<E.Either<Unavailable, CompletionResult>> => {
    const write = {
      type: 'completion',
      ...completed,
      decided: null,
      fault,
      isReferenceTaken: true,
    } as const
    const ended = await run(
      {
        key: completed.orderRef,
        plan: () => ({ type: 'write', write, answer: toCompletionAnswer }),
      },
      NEVER_REFUSED,
    )
    return E.map((answer: CompletionAnswer) => (answer === 'reference_taken' ? 'stuck' : answer))(
      ended,
    )
  }

  const releaseOne = (
    { orderRef, token }: Claim,
    as: ReleasedAs,
  ): Promise<E.Either<Unavailable, void>> =>
    // The key makes it wait for an earlier completion of the same job.
    run(
      {
        key: orderRef,
        plan: () => ({
          type: 'write',
          write: { type: 'release', orderRef, token, as },
          answer: () => undefined,
        }),
      },
      NEVER_REFUSED,
    )

  return {
    step,
    complete:
      ({ key, orderRef, token }, { result, decide = null, report = null }) =>
      async () => {
        const completed = await complete({ orderRef, token, attemptResult: result, report }, decide)
        if (E.isRight(completed) && completed.right !== 'retry') removePayload(key)
        return completed
      },
    markStuck: ({ orderRef, token }, fault) =>
      completeAsStuck(
        { orderRef, token, attemptResult: { type: 'retry', dueAt: 0 }, report: null },
        fault,
      ),
    release: (claims, as) => async () => {
      const results = await Promise.all(claims.map((claim) => releaseOne(claim, as)))
      return results.find(E.isLeft) ?? E.right(undefined)
    },
  }
}

type CompletionAnswer = CompletionResult | 'reference_taken'

// Only a step is reported as `done`.
const toCompletionAnswer = (result: WriteResult): CompletionAnswer =>
  result === 'done' ? 'retry' : result

export type PayloadCache = ReturnType<typeof createPayloadCache>

// The payloads of a burst may wait for a while. Those without personal data, such as timers that
// wait for hours, are not cached: they need no decryption.
const PAYLOADS_MAX = 48_000

/**
 * Keeps the payloads of the jobs that this process has created until the jobs are completed, by the
 * effects' keys. Most jobs are due at once, and some run again a second later, so most payloads
 * need no decryption.
 */
export const createPayloadCache = () => {
  const payloads = new LRUCache<string, EffectPayload>({ max: PAYLOADS_MAX })
  return {
    /** Call it once the effects are committed. */
    add: (effects: readonly Effect[]): void => {
      for (const effect of effects)
        if (effect.type === 'do' && !hasNoPersonalData(effect.payload))
          payloads.set(effect.key, effect.payload)
    },
    get: (key: string): EffectPayload | undefined => payloads.get(key),
    remove: (key: string): void => void payloads.delete(key),
    clear: (): void => payloads.clear(),
  }
}
