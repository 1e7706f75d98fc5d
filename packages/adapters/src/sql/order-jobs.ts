// The one path of a write. A SQL store reads orders and commits a batch of writes
// (`OrderDatabase`). Everything else is shared: the group commit gathers a batch, and here each job
// decides, and turns its result into an answer or a conflict. What hangs on a write, such as the
// count of committed steps, is derived from the batch, so that no store can forget it.
import type { Step } from '@plazo/core'
import {
  type CompletionDecide,
  type CompletionResult,
  type Decide,
  type FullStore,
  isGoodAttempt,
  isUnchanged,
  type OrderNotFound,
  orderNotFound,
  type ReferenceTaken,
  type ReleasedAs,
  toUnavailable,
  type Unavailable,
  wasApplied,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import {
  type Conflict,
  type GroupCommit,
  type GroupCommitOptions,
  groupCommit,
  type PlannedJob,
} from './group-commit.ts'
import type { OrderCache } from './order-cache.ts'
import {
  type CompletionDecision,
  countSteps,
  type DecidedStep,
  type JobResult,
  type NamedCommand,
  type OrderDatabase,
  type StoredOrder,
  toCompletionWrite,
  toPlaceWrite,
  toStepWrite,
  type Write,
  type WriteResult,
} from './order-writes.ts'
import { type CommitListeners, createCommitListeners } from './storage.ts'

export type Claim = { readonly orderRef: string; readonly token: string }

export type OrderJobs<Row, Command extends NamedCommand> = Pick<
  FullStore,
  'place' | 'step' | 'complete'
> &
  CommitListeners & {
    readonly release: (claims: readonly Claim[], as: ReleasedAs) => TaskEither<Unavailable, void>
    /** Makes a claimed job stuck without reading its order, which may be unreadable itself. */
    readonly markStuck: (
      claim: Claim,
      fault: string,
    ) => Promise<E.Either<Unavailable, CompletionResult>>
    /** The committed order. Throws if it cannot be decrypted. */
    readonly readOrder: (orderRef: string) => Promise<StoredOrder<Row> | undefined>
    /** Runs a command of the store in the next commit, next to writes. */
    readonly run: GroupCommit<Write<Row> | Command, unknown>['run']
    readonly close: () => Promise<void>
  }

type OrderJobsOptions = Omit<GroupCommitOptions<never, never>, 'commit'>

type Conflicts = ReadonlySet<Conflict>

type Decided<Row, E, A> = {
  readonly on: StoredOrder<Row>
  readonly decision: ReturnType<Decide<E, A>>
}

type CompletionAnswer = CompletionResult | 'reference_taken'

const doneResult = <Answer>(answer: Answer) => ({ type: 'done', answer }) as const

const referenceTaken = (step: Step): ReferenceTaken => ({
  _tag: 'ReferenceTaken',
  reference: step.reference ?? '',
})

// A full queue refuses requests, but not the results of claimed jobs: the merchant would be called
// again.
const NEVER_REFUSED = { isBackground: true }

const NOT_DECIDED = { decided: null, fault: null, finalStatus: null }

export const createOrderJobs = <Row, Command extends NamedCommand = never>(
  { readOrders, commit }: OrderDatabase<Row, Command>,
  cache: OrderCache<Row>,
  options: OrderJobsOptions = {},
): OrderJobs<Row, Command> => {
  type Planned<Answer> = PlannedJob<Write<Row>, unknown, Answer>

  const listeners = createCommitListeners()

  const { run, close } = groupCommit<Write<Row> | Command, unknown>({
    ...options,
    commit: async (batch) => {
      const committed = await commit(batch)
      const steps = countSteps(batch, committed)
      listeners.notify({ nextDueAt: committed.nextDueAt, steps })
      return committed.outcomes
    },
  })

  const readOrder = async (orderRef: string): Promise<StoredOrder<Row> | undefined> =>
    (await readOrders([orderRef])).get(orderRef)?.()

  /**
   * Plans a write. It is planned again if the order has changed, or once if its reference turns out
   * to be taken, which the decision may not have known.
   */
  const planWrite = <Answer>(
    conflicts: Conflicts,
    encode: () => Write<Row>,
    answer: (result: Exclude<WriteResult<Row>, 'changed'>) => Answer,
  ): Planned<Answer> => ({
    type: 'write',
    encode,
    answer: (reported) => {
      const result = reported as WriteResult<Row>
      return result === 'changed' || (result === 'reference_taken' && !conflicts.has(result))
        ? E.left(result)
        : E.right(answer(result))
    },
  })

  // A write carries the revision that it was decided on, so an outdated one is noticed and planned
  // again. An answer without a write must come from the committed order. A completion always
  // writes.
  const decideOnGuess = <Err, A>(
    orderRef: string,
    decide: Decide<Err, A>,
    conflicts: Conflicts,
    alwaysWrites: boolean,
  ): Decided<Row, Err, A> | null => {
    const on = conflicts.has('changed') ? undefined : cache.guess(orderRef)
    if (on === undefined) return null
    try {
      const decision = decide(on.order, conflicts.has('reference_taken'))
      const writes = E.isRight(decision) && (alwaysWrites || !isUnchanged(decision.right.step))
      return writes ? { on, decision } : null
    } catch {
      return null
    }
  }

  /** Null: the order does not exist. */
  const decideOn = async <Err, A>(
    orderRef: string,
    decide: Decide<Err, A>,
    conflicts: Conflicts,
    alwaysWrites = false,
  ): Promise<Decided<Row, Err, A> | null> => {
    const guessed = decideOnGuess(orderRef, decide, conflicts, alwaysWrites)
    if (guessed !== null) return guessed
    const on = await readOrder(orderRef)
    if (on === undefined) return null
    return { on, decision: decide(on.order, conflicts.has('reference_taken')) }
  }

  const cacheStep = ({ step, on }: DecidedStep<Row>): void => {
    cache.noteCurrent(true)
    cache.addStep(step, on.row)
  }

  const place: FullStore['place'] = (step, payload) => async () => {
    const plan = (conflicts: Conflicts): Planned<E.Either<ReferenceTaken, void>> =>
      planWrite(
        conflicts,
        () => ({ name: 'place', input: toPlaceWrite(step, payload) }),
        (result) => {
          if (result === 'reference_taken') return E.left(referenceTaken(step))
          if (typeof result === 'object') cache.addStep(step, result.row)
          return E.right(undefined)
        },
      )
    return E.flattenW(await run({ key: step.order.placed.orderRef, plan }))
  }

  const step =
    <Err, A>(orderRef: string, decide: Decide<Err, A>) =>
    async (): Promise<E.Either<Err | OrderNotFound | ReferenceTaken | Unavailable, A>> => {
      type Answer = E.Either<Err | OrderNotFound | ReferenceTaken, A>
      const plan = async (conflicts: Conflicts): Promise<Planned<Answer>> => {
        const decided = await decideOn(orderRef, decide, conflicts)
        if (decided === null) return doneResult(E.left(orderNotFound))
        const { decision, on } = decided
        if (E.isLeft(decision)) return doneResult(decision)
        const { step, answer } = decision.right
        if (isUnchanged(step)) return doneResult(E.right(answer))
        return planWrite(
          conflicts,
          () => ({ name: 'step', input: toStepWrite({ step, on }) }),
          (result): Answer => {
            if (result === 'reference_taken') return E.left(referenceTaken(step))
            cacheStep({ step, on })
            return E.right(answer)
          },
        )
      }
      return E.flattenW(await run({ key: orderRef, plan }))
    }

  const decideCompletion = async (
    orderRef: string,
    decide: CompletionDecide,
    conflicts: Conflicts,
  ): Promise<CompletionDecision<Row>> => {
    try {
      const decided = await decideOn(orderRef, decide, conflicts, true)
      if (decided === null) return NOT_DECIDED
      const { decision, on } = decided
      if (E.isLeft(decision)) return { ...NOT_DECIDED, fault: decision.left.message }
      const { step, answer } = decision.right
      return { decided: { step, on }, fault: null, finalStatus: answer.statusOverride }
    } catch (cause) {
      const error = toUnavailable(cause)
      if (error.code !== 'internal_error') throw cause
      return { ...NOT_DECIDED, fault: error.message }
    }
  }

  const planCompletion = (
    result: JobResult,
    decision: CompletionDecision<Row>,
    conflicts: Conflicts,
  ): Planned<CompletionAnswer> =>
    planWrite(
      conflicts,
      () => ({ name: 'complete', input: toCompletionWrite(result, decision) }),
      (reported) => {
        const answer = toCompletionAnswer(reported)
        const { decided } = decision
        if (decided !== null && answer !== 'reference_taken' && wasApplied(answer))
          cacheStep(decided)
        return answer
      },
    )

  const completeResult = async (
    result: JobResult,
    decide: CompletionDecide | null,
  ): Promise<E.Either<Unavailable, CompletionResult>> => {
    const plan = async (conflicts: Conflicts): Promise<Planned<CompletionAnswer>> => {
      const decision = decide && (await decideCompletion(result.orderRef, decide, conflicts))
      return planCompletion(result, decision ?? NOT_DECIDED, conflicts)
    }
    const ended = await run({ key: result.orderRef, plan }, NEVER_REFUSED)
    if (E.isRight(ended))
      return ended.right === 'reference_taken'
        ? completeAsStuck(result, 'ReferenceTaken')
        : E.right(ended.right)
    // A failure that would repeat makes the job stuck.
    return ended.left.code === 'internal_error'
      ? completeAsStuck(result, ended.left.message)
      : ended
  }

  const completeAsStuck = async (
    result: JobResult,
    fault: string,
  ): Promise<E.Either<Unavailable, CompletionResult>> => {
    const plan = (conflicts: Conflicts): Planned<CompletionAnswer> =>
      planCompletion(result, { ...NOT_DECIDED, fault }, conflicts)
    const ended = await run({ key: result.orderRef, plan }, NEVER_REFUSED)
    return E.map((answer: CompletionAnswer) => (answer === 'reference_taken' ? 'stuck' : answer))(
      ended,
    )
  }

  const complete: FullStore['complete'] =
    (job, { result, decide = null, report = null }) =>
    async () => {
      const { key, orderRef, token } = job
      const isGood = report && isGoodAttempt(report)
      const completed = await completeResult(
        { orderRef, token, attemptResult: result, report, isGood },
        decide,
      )
      if (E.isRight(completed) && completed.right !== 'retry') cache.removePayload(key)
      return completed
    }

  const releaseOne = (
    { orderRef, token }: Claim,
    as: ReleasedAs,
  ): Promise<E.Either<Unavailable, void>> => {
    const plan = (conflicts: Conflicts): Planned<void> =>
      planWrite(
        conflicts,
        () => ({ name: 'release', input: { orderRef, token, as } }),
        () => undefined,
      )
    // The key makes it wait for an earlier completion of the same job.
    return run({ key: orderRef, plan }, NEVER_REFUSED)
  }

  return {
    place,
    step,
    complete,
    release: (claims, as) => async () => {
      const results = await Promise.all(claims.map((claim) => releaseOne(claim, as)))
      return results.find(E.isLeft) ?? E.right(undefined)
    },
    markStuck: ({ orderRef, token }, fault) => {
      const attemptResult = { type: 'retry', dueAt: 0 } as const
      return completeAsStuck({ orderRef, token, attemptResult, report: null, isGood: null }, fault)
    },
    readOrder,
    run,
    close,
    ...listeners,
  }
}

// Only other writes are reported as `done` or with a row.
const toCompletionAnswer = (result: WriteResult<unknown>): CompletionAnswer =>
  typeof result === 'object' || result === 'done' || result === 'changed' ? 'retry' : result
