// Starts jobs, in the process that has the lease. Due jobs are in memory. The database is searched for
// those that other processes have committed, and for those that had no room. To start an attempt writes
// nothing.
//
// Its state: since when the process has the lease, and how far it has searched the database.
import {
  type ClaimRequest,
  type EffectPayload,
  effectKey,
  isExcluded,
  type Job,
  type JobQueue,
  nextAttempt,
  type OrderJob,
  stopRevoked,
  toUnavailable,
  type Unavailable,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Base, DueKey, Opener } from './base.ts'
import type { Commits } from './commits.ts'
import { type FormerJobs, type Lease, NO_FORMER } from './lease.ts'
import type { Orders, StoredOrder } from './orders.ts'
import { type JobsInMemory, REFILL } from './queue.ts'
import { attempt, startedAttempt, tokenOf } from './tokens.ts'
import type { Entry } from './turns.ts'

type ClaimParts<Value, Key> = {
  readonly base: Base<Value, Key>
  readonly open: Opener<Value, Key>
  readonly orders: Orders<Key>
  readonly queue: JobsInMemory
  readonly commits: Commits<Key>
  readonly lease: Lease | undefined
  readonly formerJobs: FormerJobs
  readonly monotonicNow: () => number
  /** Forgets all that was opened. */
  readonly forget: () => void
  /** Makes a job stuck that cannot be opened. */
  readonly markStuck: (job: Job, message: string) => Promise<unknown>
}

// In milliseconds: how far the queue looks ahead, how long an order counts as unchanged after it was
// seen, and how often the database is searched from the beginning for jobs that were committed late.
const LOOK_AHEAD = 4_000
const CURRENT_MILLIS = 1_000
const PASS_MILLIS = 10_000
// No other process has a job in flight that is due later than this: each knows an order as it was within
// the last second, and its clock may be ahead.
const SOON_MILLIS = 2_000
const PAGE = 500
// A job of which so many processes have died is stuck.
const DEATHS_MAX = 3
const NONE = { deliveries: 0, notGood: 0, internal: 0 }
const PAGES_AT_ONCE = 4

/** In place of a payload that cannot be opened. */
const UNREAD: EffectPayload = { kind: 'timer', timer: '' }

const BEFORE_ALL: DueKey = { dueAt: Number.NEGATIVE_INFINITY, order: 0, n: 0 }

export const createClaims = <Value, Key>(parts: ClaimParts<Value, Key>) => {
  type Stored = StoredOrder<Key>
  const { base, open, orders, queue, commits, lease, formerJobs } = parts
  const { monotonicNow, markStuck, forget } = parts
  /** Null: this process has not looked for due jobs. */
  let lookedTo: number | null = null
  /** Where the pass through all due jobs goes on. Null: the last one has ended, at `passedAt`. */
  let pass: { readonly from: DueKey } | null = null
  let passedAt = 0
  let isPassWanted = false
  /** What is due later was not started by another process before this one began. */
  let begunAt = 0
  let formerUntil = Number.NEGATIVE_INFINITY
  /** A clock may be set back, while what was due before still runs. */
  let latestAt = Number.NEGATIVE_INFINITY
  let erasuresSeen = 0
  let lastAnswer: Promise<unknown> = Promise.resolve()
  /** A key was missing, which the next claim reports. */
  let unreported: Unavailable | null = null

  /** What another process has erased is not kept for longer than a second. */
  const forgetErased = async (): Promise<void> => {
    const erasures = await base.erasures()
    if (erasures !== erasuresSeen) forget()
    erasuresSeen = erasures
  }

  const lookForDue = async (at: number, runningElsewhere: number): Promise<void> => {
    if (lookedTo === null || at > lookedTo - LOOK_AHEAD / 2) {
      const until = Math.max(at + LOOK_AHEAD, lookedTo ?? 0)
      // What is committed meanwhile comes by itself.
      queue.reachTo(until)
      if (lookedTo === null) {
        for (const { merchant, kind } of await base.goodEndpoints())
          queue.judge(merchant, kind, true)
        pass = { from: BEFORE_ALL }
      } else {
        for (let from: DueKey | null = { ...BEFORE_ALL, dueAt: lookedTo }; from !== null; )
          from = await addPage(from, until)
      }
      lookedTo = until
    }
    if (pass === null && (isPassWanted || monotonicNow() - passedAt > PASS_MILLIS)) {
      pass = { from: BEFORE_ALL }
      isPassWanted = false
    }
    // A backlog comes in pages: the next one once there is room for it.
    for (let page = 0; pass !== null && page < PAGES_AT_ONCE && queue.hasRoom(); page++) {
      const next = await addPage(pass.from, lookedTo)
      pass = next && { from: next }
      passedAt = monotonicNow()
    }
    for (const { line, last } of queue.takeShort()) {
      // Of those that the database has, some run already.
      const limit = REFILL + line.running + runningElsewhere
      queue.add(await base.dueOf(line.queue, line.merchant, last ?? BEFORE_ALL, limit))
    }
  }

  /** Returns where the next page begins. Null: this was the last. */
  const addPage = async (from: DueKey, until: number): Promise<DueKey | null> => {
    const rows = await base.due(from, until, PAGE)
    queue.add(rows)
    return rows.length < PAGE ? null : (rows.at(-1) ?? null)
  }

  /** One after another, since each looks on where the one before it has stopped. */
  const claim: JobQueue['claim'] = (buildRequest) => () => {
    const answer = lastAnswer.then(claimNow(buildRequest))
    lastAnswer = answer
    return answer
  }

  const claimNow: JobQueue['claim'] = (buildRequest) =>
    attempt(async () => {
      const error = unreported
      unreported = null
      if (error !== null) return E.left(error)
      const former = lease === undefined ? NO_FORMER : await lease.take()
      await forgetErased()
      const { at } = buildRequest()
      latestAt = Math.max(latestAt, at)
      if (former === null) {
        // Another process goes on.
        if (lookedTo !== null) queue.empty()
        lookedTo = null
        return E.right([])
      }
      // It may have lost the lease and got it again since the last claim.
      if (lookedTo === null || former.mayRunUntil > formerUntil + CURRENT_MILLIS)
        begunAt = latestAt + SOON_MILLIS
      formerUntil = former.mayRunUntil
      const mayRunStill = monotonicNow() < formerUntil
      if (formerJobs.set(former.running, mayRunStill ? begunAt : Number.NEGATIVE_INFINITY))
        isPassWanted = true
      await lookForDue(at, former.running.length)
      const request = buildRequest()
      for (const { merchantRef, kind } of request.slow ?? []) queue.judge(merchantRef, kind, false)
      const taken: Entry[] = []
      const takeMore = () => {
        const more = (former.isDeadly ? takeOne : take)(request)
        taken.push(...more)
        return more
      }
      try {
        const jobs = await start(takeMore, request.at)
        return E.right(former.isDeadly ? await runAlone(jobs) : jobs)
      } catch (cause) {
        for (const entry of taken) queue.end(entry)
        queue.add(taken)
        throw cause
      }
    })

  // Deliveries come first, so that internal work that excludes their lanes sees them.
  const take = (request: ClaimRequest): readonly Entry[] =>
    queue
      .take(request, commits.isWriting)
      .toSorted((a, b) => Number(a.queue === 'work') - Number(b.queue === 'work'))

  const takeOne = (request: ClaimRequest): readonly Entry[] => {
    if (queue.running().length > 0) return []
    const ofWork = take({ ...request, capacity: { ...NONE, internal: 1 } })
    return ofWork.length > 0
      ? ofWork
      : take({ ...request, capacity: { ...NONE, deliveries: 1, notGood: 1 } })
  }

  /** Of one of the jobs in flight, the processes before this one may have died. */
  const runAlone = async ([job]: readonly Job[]): Promise<readonly Job[]> => {
    if (job === undefined) return []
    const deaths = await lease?.suspect?.({ ref: job.orderRef, n: startedAttempt(job).n })
    if ((deaths ?? 0) < DEATHS_MAX) return [job]
    await markStuck(job, 'Three processes ended while they ran it.')
    return []
  }

  const start = async (takeMore: () => readonly Entry[], at: number): Promise<readonly Job[]> => {
    const taken = takeMore()
    if (taken.length === 0) return []
    const isKnown = ({ ref, seenAt }: Entry): boolean =>
      monotonicNow() - seenAt < CURRENT_MILLIS && orders.guess(ref) !== undefined
    const outdated = new Set(taken.flatMap((entry) => (isKnown(entry) ? [] : entry.ref)))
    const found = outdated.size === 0 ? new Map<string, Stored>() : await orders.read([...outdated])
    const undecided = new Set(taken)
    const revoked: Promise<unknown>[] = []
    const startable = taken.flatMap((entry) => {
      const stored = found.get(entry.ref) ?? orders.guess(entry.ref)
      undecided.delete(entry)
      const job = stored?.jobs.list.find(({ n }) => n === entry.n)
      const isDue = job?.state === 'pending' && job.dueAt <= at
      if (stored && isDue && mayStart(stored, job, undecided)) return [{ stored, job }]
      queue.end(entry)
      // One that waits for another comes back when that ends, or with the next pass.
      if (stored && !isDue) commits.enqueue(stored)
      if (job?.isRevoked && !runs(entry.ref, job)) revoked.push(endRevoked(entry))
      return []
    })
    const unread = startable.filter(({ stored, job }) => !stored.work.has(job.n))
    const keys = unread.map(({ stored: { row }, job }) => ({ order: row.id, n: job.n }))
    const values = keys.length === 0 ? [] : await base.readWork(keys)
    const sealedOf = new Map(unread.map(({ job }, n) => [job, values[n] ?? null]))
    const jobs: Job[] = []
    for (const { stored, job } of startable) {
      const cachedWork = stored.work.get(job.n)
      const payload = cachedWork ?? (await openWork(stored, job, sealedOf.get(job) ?? null))
      if (payload !== null) jobs.push(toJob(stored, job, payload, at))
    }
    // It was lost meanwhile.
    if (lease?.isHeld() === false) {
      for (const entry of taken) queue.end(entry)
      return []
    }
    if (unreported !== null) lease?.giveWay?.(queue.running)
    await Promise.all(revoked)
    return jobs.length > 0 ? jobs : start(takeMore, at)
  }

  /** Its turn has come after another process revoked it. */
  const endRevoked = ({ ref, n }: Entry) =>
    commits.changeJobs(ref, (jobs) => {
      const revoked = jobs.list.find((job) => job.n === n && job.isRevoked)
      return revoked ? stopRevoked(jobs, revoked) : null
    })

  /** The queue has taken it, so that only its order can be in the way. */
  const mayStart = (
    { ref, jobs }: Stored,
    job: OrderJob,
    undecided: ReadonlySet<Entry>,
  ): boolean => {
    const waits = new Set([...undecided].flatMap((entry) => (entry.ref === ref ? entry.n : [])))
    return (
      !job.isRevoked &&
      !formerJobs.delays({ ref, ...job }) &&
      !isExcluded(jobs, job, (other) => other !== job && !waits.has(other.n) && runs(ref, other))
    )
  }

  const runs = (ref: string, job: OrderJob): boolean =>
    job.state === 'pending' &&
    (queue.claimOf({ ref, n: job.n }) !== undefined || formerJobs.has({ ref, ...job }))

  /** Null: it cannot be opened here. If it never can, the job is stuck. */
  const openWork = async (stored: Stored, job: OrderJob, value: Value | null) => {
    try {
      if (value === null) throw new Error('The payload of the job is missing.')
      return await open.work({ ref: stored.ref, ...stored.row }, job, value)
    } catch (cause) {
      const error = toUnavailable(cause)
      if (error.code === 'internal_error')
        await markStuck(toJob(stored, job, UNREAD, job.dueAt), error.message)
      else if (error.code === 'key_missing') {
        // A process that was started with more keys may go on. Here, the next pass meets it again.
        queue.end({ ref: stored.ref, n: job.n })
        unreported = error
      } else throw cause
      return null
    }
  }

  const toJob = ({ ref, jobs }: Stored, job: OrderJob, payload: EffectPayload, at: number): Job => {
    const { queue: kind, merchantRef } = job
    return {
      key: effectKey(ref, job.revision, job.lane),
      orderRef: ref,
      merchantRef,
      lane: job.lane,
      payload,
      expiresAt: job.expiresAt,
      attempt: nextAttempt(jobs, job),
      isResend: job.resendOf !== null,
      ...(kind !== 'work' && { isGood: queue.isGood(merchantRef, kind) }),
      firstAt: job.firstAt ?? at,
      startedAt: at,
      token: tokenOf(ref, job, queue.claimOf({ ref, n: job.n }) ?? 0),
    }
  }

  return {
    claim,
    /** True if an attempt of the job may be in flight, here or in another process. */
    mayRun:
      (ref: string, at: number) =>
      (job: OrderJob): boolean => {
        const until = Math.max(latestAt, at) + SOON_MILLIS
        const startsJobs = lease === undefined || (lease.isHeld() && lookedTo !== null)
        return runs(ref, job) || (!startsJobs && job.state === 'pending' && job.dueAt <= until)
      },
    /** The database is looked through from the beginning, once the pass under way has ended. */
    lookAgain: (): void => {
      isPassWanted = true
    },
    nextDueAt: (after = Number.NEGATIVE_INFINITY): ReturnType<JobQueue['nextDueAt']> =>
      attempt(async () => {
        const inMemory = queue.nextDueAt()
        if (inMemory !== null && inMemory > after) return E.right(inMemory)
        return E.right(await base.nextDueAt(Math.max(after, lookedTo ?? after)))
      }),
  }
}
