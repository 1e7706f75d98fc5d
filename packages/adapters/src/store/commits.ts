// Commits changes of orders. A change is decided on the order in memory, and again on the stored order if
// another process was faster. While an order is being written, none of its jobs starts.
//
// Its state: the orders that are being written, and the steps that were not reported yet.
import {
  isGoodAttempt,
  NO_JOBS,
  type OrderJobs,
  type Records,
  type Unavailable,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import {
  type Conflict,
  type GroupCommitOptions,
  groupCommit,
  type PlannedJob,
} from '../sql/group-commit.ts'
import { createCommitListeners } from '../sql/storage.ts'
import type { Base, ChangeResult, Done, OrderChange } from './base.ts'
import {
  type Change,
  createPersonHash,
  type EndedAttempt,
  toOrderChange,
  withoutEnded,
} from './changes.ts'
import type { Orders, StoredOrder } from './orders.ts'
import type { JobsInMemory } from './queue.ts'

/**
 * What a decision makes of an order. `change` null: nothing is written. `refusal`: the answer if the
 * change sends a code that the number may not get.
 */
export type Decided<A> = {
  readonly change: Change | null
  readonly answer: A
  readonly refusal?: A | undefined
}

/** Another order of the merchant holds the reference, as the decision knew. */
export const TAKEN = Symbol('reference taken')
export type Taken = typeof TAKEN

/** Decides on an order; null: there is none. */
type DecideOn<Key, A> = (stored: StoredOrder<Key> | null, isTaken: boolean) => Promise<Decided<A>>

export type CommitOptions = Omit<GroupCommitOptions<never, never>, 'commit'> & {
  readonly monotonicNow: () => number
  /** Absent: no order is found by its person, and no number is counted. */
  readonly hash?: Records['hash'] | undefined
  /** True: a number gets only so many codes. Default: false. */
  readonly limitsCodes?: boolean | undefined
  /** The order has changed. Null: any order may have. */
  readonly onChange?: ((ref: string | null) => void) | undefined
}

type CommitParts<Key> = {
  readonly base: Pick<Base<unknown, Key>, 'commit'>
  readonly orders: Orders<Key>
  readonly queue: JobsInMemory
  readonly options: CommitOptions
}

export type Commits<Key> = ReturnType<typeof createCommits<Key>>

export const ofJobs = (jobs: OrderJobs): Change => ({
  step: null,
  before: null,
  jobs,
  work: new Map(),
  ended: null,
})

export const createCommits = <Key>({ base, orders, queue, options }: CommitParts<Key>) => {
  type Stored = StoredOrder<Key>
  type Committing = { readonly change: OrderChange<string, Key>; readonly isStep: boolean }
  const listeners = createCommitListeners()
  const hashPerson = createPersonHash(options.hash)
  const writing = new Map<string, number>()
  let newSteps = 0
  const newlyDue: number[] = []

  const { run, close } = groupCommit<Committing, ChangeResult<Key>>({
    ...options,
    commit: async (batch) => {
      const outcomes = await base.commit(batch.map(({ change }) => change))
      for (const [n, outcome] of outcomes.entries())
        if (batch[n]?.isStep && E.isRight(outcome) && outcome.right.as === 'done') newSteps += 1
      return outcomes
    },
  })

  const report = (nextDueAt: number): void => {
    listeners.notify({ nextDueAt, steps: newSteps })
    newSteps = 0
  }

  const enqueue = ({ ref, row: { id }, jobs }: Stored): void =>
    queue.put({ ref, id, jobs }, options.monotonicNow())

  /** No job of the order starts meanwhile, because the decision may end it. */
  const whileWriting = async <A>(ref: string, write: () => Promise<A>): Promise<A> => {
    writing.set(ref, (writing.get(ref) ?? 0) + 1)
    try {
      return await write()
    } finally {
      const others = (writing.get(ref) ?? 1) - 1
      if (others > 0) writing.set(ref, others)
      else writing.delete(ref)
      const nextDueAt = Math.min(
        ...newlyDue.splice(0),
        queue.nextDueAt() ?? Number.POSITIVE_INFINITY,
      )
      report(nextDueAt)
    }
  }

  /**
   * Decides on an order, and commits what that changes. A decision to write may be made on an order
   * that is outdated, which the commit notices; any other is made on the committed order.
   */
  const change = <A>(
    ref: string,
    decide: DecideOn<Key, A>,
    { isNew = false, isBackground = false } = {},
  ): Promise<E.Either<Unavailable, A | Taken>> => {
    const decideOn = async (
      conflicts: readonly Conflict[],
    ): Promise<readonly [Stored | null, Decided<A>]> => {
      const isTaken = conflicts.includes('reference_taken')
      if (isNew) return [null, await decide(null, isTaken)]
      const isGuess = !conflicts.includes('changed')
      const cached = isGuess ? orders.guess(ref) : undefined
      if (cached !== undefined) {
        const guessed = await decide(cached, isTaken).catch(() => null)
        if (guessed !== null && guessed.change !== null) return [cached, guessed]
      }
      const stored = (await orders.read([ref])).get(ref) ?? null
      return [stored, await decide(stored, isTaken)]
    }
    const plan = async (
      conflicts: readonly Conflict[],
    ): Promise<PlannedJob<Committing, ChangeResult<Key>, A | Taken>> => {
      const [stored, { change, answer, refusal }] = await decideOn(conflicts)
      if (change === null) return { type: 'done', answer }
      return {
        type: 'write',
        write: {
          change: toOrderChange(
            { ref, row: stored?.row ?? null },
            stored?.jobs ?? NO_JOBS,
            change,
            hashPerson,
          ),
          isStep: change.step !== null,
        },
        answer: (result) => {
          if (result.as === 'taken')
            return conflicts.includes('reference_taken')
              ? E.right(TAKEN)
              : E.left('reference_taken')
          if (result.as === 'refused' && refusal !== undefined) return E.right(refusal)
          if (result.as !== 'done') return E.left('changed')
          const after = toChanged(stored, ref, change, result)
          if (change.ended !== null) noteEnd(ref, change.ended)
          orders.remember(after)
          enqueue(after)
          for (const job of after.jobs.list) if (job.state === 'pending') newlyDue.push(job.dueAt)
          options.onChange?.(ref)
          return E.right(answer)
        },
      }
    }
    return whileWriting(ref, () => run({ key: ref, isBackground, plan }))
  }

  const noteEnd = (ref: string, { job, report: answered }: EndedAttempt): void => {
    queue.end({ ref, n: job.n })
    const isGood = answered && isGoodAttempt(answered)
    if (isGood !== null && job.queue !== 'work') queue.judge(job.merchantRef, job.queue, isGood)
  }

  const toChanged = (
    stored: Stored | null,
    ref: string,
    { step, jobs, work }: Change,
    { created }: Done<Key>,
  ): Stored => {
    const remaining = withoutEnded(jobs)
    const payloads = new Map([...(stored?.work ?? []), ...work])
    return {
      ref,
      // An order that was not read is a new one.
      row: {
        ...(stored?.row ?? (created as NonNullable<typeof created>)),
        version: (stored?.row.version ?? -1) + 1,
      },
      jobs: remaining,
      order:
        step === null && stored !== null
          ? stored.order
          : async () => (step as NonNullable<typeof step>).order,
      work: new Map([...payloads].filter(([n]) => remaining.list.some((job) => job.n === n))),
    }
  }

  /** `decide`: null if there is nothing to change. */
  const changeJobs = async (
    ref: string,
    decide: (jobs: OrderJobs) => OrderJobs | null,
  ): Promise<E.Either<Unavailable, boolean>> =>
    E.map((isChanged: boolean | Taken) => isChanged === true)(
      await change<boolean>(
        ref,
        async (stored) => {
          const jobs = stored && decide(stored.jobs)
          const isChanged = jobs !== null && jobs !== stored?.jobs
          return { change: isChanged ? ofJobs(jobs) : null, answer: jobs !== null }
        },
        { isBackground: true },
      ),
    )

  return {
    change,
    changeJobs,
    enqueue,
    isWriting: (ref: string): boolean => writing.has(ref),
    /** Tells listeners that a claim may find more. */
    report,
    onCommitted: listeners.onCommitted,
    close,
  }
}
