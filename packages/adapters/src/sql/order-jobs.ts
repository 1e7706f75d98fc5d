// What changes orders: placements, steps, and the completions and releases of claimed jobs. Both SQL
// stores read, decide and answer here; a store reads orders and commits a batch of writes
// (order-writes.ts). The payloads of new jobs are kept in memory until they ran.
import type { Effect, Step } from '@plazo/core'
import {
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
  toUnavailable,
  type Unavailable,
  wasApplied,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { LRUCache } from 'lru-cache'
import type { Conflict, GroupCommit, PlannedJob } from './group-commit.ts'
import {
  type DecidedStep,
  type JobResult,
  type StoredOrder,
  toCompletionWrite,
  toPlaceWrite,
  toStepWrite,
  type Write,
  type WriteResult,
} from './order-writes.ts'

/**
 * `isRecalled`: the order comes from the cache and may be outdated. The write must check its
 * revision.
 */
type DecidedOn<Row> = { readonly on: StoredOrder<Row>; readonly isRecalled: boolean }

export type Claim = { readonly orderRef: string; readonly token: string }

export type OrderSource<Row> = {
  /** The order as this process last saw it. It may have changed since. */
  readonly cached: (orderRef: string) => StoredOrder<Row> | undefined
  /** The committed order. */
  readonly read: (
    orderRef: string,
  ) => StoredOrder<Row> | undefined | Promise<StoredOrder<Row> | undefined>
  /**
   * Called after the commit of a step, before its caller is answered. `isRecalled`: it was decided
   * on the cached order.
   */
  readonly cache: (step: Step, row: Row, isRecalled: boolean) => void
  /** Called when a job is completed and will not run again. `key`: its effect's. */
  readonly removePayload: (key: string) => void
  /** Loads what the store needs to write a completion that reads no order. */
  readonly prepareCompletion?: (completion: JobResult) => Promise<unknown>
}

export type OrderJobs = Pick<FullStore, 'place' | 'step' | 'complete'> & {
  readonly release: (claims: readonly Claim[], as: ReleasedAs) => TaskEither<Unavailable, void>
  /** Makes a claimed job stuck without reading its order, which may be unreadable itself. */
  readonly markStuck: (
    claim: Claim,
    fault: string,
  ) => Promise<E.Either<Unavailable, CompletionResult>>
}

type Conflicts = ReadonlySet<Conflict>

const doneResult = <Answer>(answer: Answer) => ({ type: 'done', answer }) as const

const referenceTaken = (step: Step): ReferenceTaken => ({
  _tag: 'ReferenceTaken',
  reference: step.reference ?? '',
})

// A full queue refuses requests, but not the results of claimed jobs: the merchant would be called
// again.
const NEVER_REFUSED = { isBackground: true }

export const createOrderJobs = <Row>(
  run: GroupCommit<Write<Row>, WriteResult<Row>>['run'],
  { cached, read, cache, removePayload, prepareCompletion }: OrderSource<Row>,
  toError: (thrown: unknown) => Unavailable = toUnavailable,
): OrderJobs => {
  type Result = WriteResult<Row>
  type Planned<Answer> = PlannedJob<Write<Row>, Result, Answer>
  type DecisionResult<E, A> = DecidedOn<Row> & { readonly decision: ReturnType<Decide<E, A>> }

  /**
   * Plans a write. It is planned again if the order has changed, or once if its reference turns out
   * to be taken, which the decision may not have known.
   */
  const planWrite = <Answer>(
    conflicts: Conflicts,
    encode: () => Write<Row>,
    answer: (result: Exclude<Result, 'changed'>) => Answer,
  ): Planned<Answer> => ({
    type: 'write',
    encode,
    answer: (result) =>
      result === 'changed' || (result === 'reference_taken' && !conflicts.has(result))
        ? E.left(result)
        : E.right(answer(result)),
  })

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

  const place: OrderJobs['place'] = (step, payload) => async () =>
    E.flattenW(
      await run({
        key: step.order.placed.orderRef,
        plan: () => ({
          type: 'write',
          encode: () => ({ name: 'place', input: toPlaceWrite(step, payload) }),
          answer: (result): E.Either<Conflict, E.Either<ReferenceTaken, void>> => {
            if (result === 'changed') return E.left(result)
            if (result === 'reference_taken') return E.right(E.left(referenceTaken(step)))
            if (typeof result === 'object') cache(step, result.row, false)
            return E.right(E.right(undefined))
          },
        }),
      }),
    )

  const step =
    <Err, A>(orderRef: string, decide: Decide<Err, A>) =>
    async (): Promise<E.Either<Err | OrderNotFound | ReferenceTaken | Unavailable, A>> => {
      type Answer = E.Either<Err | OrderNotFound | ReferenceTaken, A>
      const plan = async (conflicts: Conflicts): Promise<Planned<Answer>> => {
        const decided = await decideOn(orderRef, decide, conflicts, false)
        if (decided === null) return doneResult(E.left(orderNotFound))
        const { decision, on, isRecalled } = decided
        if (E.isLeft(decision)) return doneResult(decision)
        const { step, answer } = decision.right
        if (isUnchanged(step)) return doneResult(E.right(answer))
        return planWrite(
          conflicts,
          () => ({ name: 'step', input: toStepWrite({ step, on }) }),
          (result): Answer => {
            if (result === 'reference_taken') return E.left(referenceTaken(step))
            cache(step, on.row, isRecalled)
            return E.right(answer)
          },
        )
      }
      return E.flattenW(await run({ key: orderRef, plan }))
    }

  type CompletionPlan = {
    readonly decided: (DecidedStep<Row> & DecidedOn<Row>) | null
    readonly fault: string | null
    readonly finalStatus: FinalStatus | null
  }

  const NOT_DECIDED: CompletionPlan = { decided: null, fault: null, finalStatus: null }

  const decideCompletion = async (
    completion: JobResult,
    decide: CompletionDecide | null,
    conflicts: Conflicts,
  ): Promise<CompletionPlan> => {
    if (decide === null) {
      await prepareCompletion?.(completion)
      return NOT_DECIDED
    }
    try {
      const decided = await decideOn(completion.orderRef, decide, conflicts, true)
      if (decided === null) return NOT_DECIDED
      const { decision, ...readOrder } = decided
      if (E.isLeft(decision)) return { ...NOT_DECIDED, fault: decision.left.message }
      const { step, answer } = decision.right
      return { decided: { ...readOrder, step }, fault: null, finalStatus: answer.statusOverride }
    } catch (cause) {
      const error = toError(cause)
      if (error.code !== 'internal_error') throw cause
      return { ...NOT_DECIDED, fault: error.message }
    }
  }

  const planCompletion = (
    completion: JobResult,
    outcome: CompletionPlan,
    conflicts: Conflicts,
  ): Planned<CompletionAnswer> =>
    planWrite(
      conflicts,
      () => ({ name: 'complete', input: toCompletionWrite(completion, outcome.decided, outcome) }),
      (result) => {
        const answer = toCompletionAnswer(result)
        const { decided } = outcome
        if (decided !== null && answer !== 'reference_taken' && wasApplied(answer))
          cache(decided.step, decided.on.row, decided.isRecalled)
        return answer
      },
    )

  const complete = async (
    completion: JobResult,
    decide: CompletionDecide | null,
  ): Promise<E.Either<Unavailable, CompletionResult>> => {
    const plan = async (conflicts: Conflicts): Promise<Planned<CompletionAnswer>> =>
      planCompletion(completion, await decideCompletion(completion, decide, conflicts), conflicts)
    const ended = await run({ key: completion.orderRef, plan }, NEVER_REFUSED)
    if (E.isRight(ended))
      return ended.right === 'reference_taken'
        ? completeAsStuck(completion, 'ReferenceTaken')
        : E.right(ended.right)
    // A failure that would repeat makes the job stuck.
    return ended.left.code === 'internal_error'
      ? completeAsStuck(completion, ended.left.message)
      : ended
  }

  const completeAsStuck = async (
    completion: JobResult,
    fault: string,
  ): Promise<E.Either<Unavailable, CompletionResult>> => {
    const plan = (conflicts: Conflicts): Planned<CompletionAnswer> =>
      planCompletion(completion, { ...NOT_DECIDED, fault }, conflicts)
    const ended = await run({ key: completion.orderRef, plan }, NEVER_REFUSED)
    return E.map((answer: CompletionAnswer) => (answer === 'reference_taken' ? 'stuck' : answer))(
      ended,
    )
  }

  const releaseOne = (claim: Claim, as: ReleasedAs): Promise<E.Either<Unavailable, void>> => {
    const input = { orderRef: claim.orderRef, token: claim.token, as }
    const plan = (conflicts: Conflicts): Planned<void> =>
      planWrite(
        conflicts,
        () => ({ name: 'release', input }),
        () => undefined,
      )
    // The key makes it wait for an earlier completion of the same job.
    return run({ key: claim.orderRef, plan }, NEVER_REFUSED)
  }

  return {
    place,
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

// Only other writes are reported as `done` or with a row.
const toCompletionAnswer = (result: WriteResult<unknown>): CompletionAnswer =>
  typeof result === 'object' || result === 'done' || result === 'changed' ? 'retry' : result

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
