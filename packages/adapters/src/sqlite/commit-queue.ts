// Group commit: many callers' writes share one transaction, so that one flush to disk pays for all of them. Jobs that wait at a
// turn of the event loop are decided and written together, and no caller is answered before the commit. Only one job per order
// is in flight at a time. A job is decided again if its order has changed meanwhile.
import type { Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { CLOSED, CONTENDED, queueFull } from '../sql/batch-reads.ts'
import { type CommitListeners, createCommitListeners } from '../sql/commit-listeners.ts'
import { type CancelableTimer, createSteadyClock, systemTimers, type Timers } from '../system/timers.ts'
import { type Ranked, requestsFirst } from './requests-first.ts'
import { sqliteUnavailable } from './unavailable.ts'
import type { Command, CommandOf, Commands, Write, Written } from './writer/commands.ts'

export type QueuedWrite = {
  /** The order that the job decides on. Null: it decides on no order. */
  readonly about: string | null
  /** Decides what to write. Null: there is nothing to write, and the caller has its answer. May throw. */
  readonly plan: () => Command | null
  /** Receives the writer's answer. False: the job must be decided again. */
  readonly came: (result: unknown) => boolean
  readonly failed: (error: Unavailable) => void
}

export type CommitQueue = Pick<CommitListeners, 'onCommitted'> & {
  /** Runs the job in the next commit. Refuses it if the queue is full, unless `mayBeRefused` is false. */
  readonly run: (job: QueuedWrite, options?: { readonly mayBeRefused: boolean }) => void
  /**
   * The same for background work, for which no HTTP request waits. It waits a moment to share a commit, and lets a burst of
   * requests go first. It is never refused because the queue is full: claims, completions and releases of jobs come this way.
   */
  readonly runSoon: (job: QueuedWrite) => void
  /** Calls the writer in the next commit. `Left` if the write failed or was refused. */
  readonly ask: Asking
  readonly askSoon: Asking
  /** True if writes succeed. Tries one if a write has failed since the last check, or if the disk is full. */
  readonly takesWrites: () => Promise<boolean>
  /** Refuses new jobs, and resolves once all waiting jobs are committed. */
  readonly close: () => Promise<void>
}

type Asking = <Name extends keyof Commands>(
  call: CommandOf<Name>,
) => Promise<E.Either<Unavailable, ReturnType<Commands[Name]>>>

type Waiting = Ranked & { readonly job: QueuedWrite; readonly tries: number }

type Planned = { readonly waiting: Waiting; readonly call: Command }

export type CommitQueueOptions = {
  /** With this many waiting jobs, new requests are refused and may be retried. */
  readonly capacity?: number
  readonly timers?: Timers
  /** Real time, used only for leases. By default it is not affected when the machine's clock is set. */
  readonly realNow?: () => number
  /** True if the disk has so little space that `takesWrites` must try a write even if none has failed. */
  readonly isDiskFull?: () => boolean
  /** Called after each commit with the number of jobs that shared it. */
  readonly committed?: (jobs: number) => void
}

// In milliseconds. A flush takes about one on a common disk. Requests of a burst are gathered for that long, and background
// work waits a little longer.
const GATHERING = 1
const SOON = 4
const QUIET = 20

// While another thread writes one commit, the next one is decided here and is ready when the first is done.
const UNDERWAY_MAX = 2
// A commit that starts while another is in flight takes a third of all jobs, so that writing, deciding and answering get equal
// shares.
const SHARES = UNDERWAY_MAX + 1
const SHARE_MIN = 8
const TRIES = 50

export const commitQueue = (write: Write, options: CommitQueueOptions = {}): CommitQueue => {
  const {
    capacity = 10_000,
    timers = systemTimers,
    realNow = createSteadyClock(timers),
    committed,
    isDiskFull,
  } = options
  const next = requestsFirst(timers.monotonicNow)
  const listeners = createCommitListeners()

  // In the order of arrival.
  let waiting: Waiting[] = []
  const busy = new Set<string>()
  let underway = 0
  let writing = 0
  let failures = 0
  let forgiven = 0
  let probing: ReturnType<typeof ask<'probe'>> | null = null
  let requestsWriting = 0
  let isScheduled = false
  let later: CancelableTimer | undefined
  let isClosed = false
  let gathered = 0
  let gatherUntil = 0
  let urgentUntil = 0

  const again = (jobs: readonly Waiting[]): void => {
    waiting = [...jobs, ...waiting]
  }

  // At most one job per order, in the order of arrival.
  const free = (): readonly Waiting[] => {
    const met = new Set(busy)
    return waiting.filter(({ job: { about } }) => {
      if (about === null) return true
      const isFree = !met.has(about)
      met.add(about)
      return isFree
    })
  }

  const plan = (each: Waiting): readonly Planned[] => {
    try {
      const call = each.job.plan()
      return call === null ? [] : [{ waiting: each, call }]
    } catch (cause) {
      each.job.failed(sqliteUnavailable(cause))
      return []
    }
  }

  const hear = (each: Waiting, outcome: Written['outcomes'][number]): readonly Waiting[] => {
    if (outcome === null) return [each]
    if (E.isLeft(outcome)) each.job.failed(outcome.left)
    else if (!each.job.came(outcome.right)) {
      if (each.tries < TRIES) return [{ ...each, tries: each.tries + 1 }]
      each.job.failed(CONTENDED)
    }
    return []
  }

  const writeTogether = (planned: readonly Planned[]): void => {
    const abouts = planned.flatMap(({ waiting: { job } }) => job.about ?? [])
    const commands = planned.map(({ call }) => call)
    for (const about of abouts) busy.add(about)
    underway += 1
    writing += planned.length
    const requests = planned.filter(({ waiting: { isRequest } }) => isRequest).length
    requestsWriting += requests
    write({ commands, now: realNow() }, { isAwaited: requests > 0 }, ({ outcomes, nextDueAt }) => {
      underway -= 1
      writing -= planned.length
      requestsWriting -= requests
      for (const about of abouts) busy.delete(about)
      if (outcomes.some((outcome) => outcome !== null && E.isLeft(outcome) && outcome.left.code !== 'internal_error'))
        failures += 1
      // The listeners are notified before any caller is answered.
      listeners.notify(nextDueAt)
      again(planned.flatMap(({ waiting: each }, n) => hear(each, outcomes[n] ?? null)))
      committed?.(outcomes.length)
      if (waiting.length > 0) schedule()
    })
  }

  const share = (): number =>
    underway === 0 ? waiting.length : Math.max(SHARE_MIN, Math.ceil((waiting.length + writing) / SHARES))

  const turn = (): void => {
    // As long as each turn of the event loop brings more jobs, a short wait makes one commit instead of two.
    if (underway === 0 && waiting.length > gathered && timers.monotonicNow() < gatherUntil) {
      gathered = waiting.length
      timers.soon(turn)
      return
    }
    isScheduled = false
    if (underway >= UNDERWAY_MAX) return
    later?.cancel()
    later = undefined
    const batch = next(free(), requestsWriting).slice(0, share())
    if (batch.length === 0) return
    const leaving = new Set(batch)
    waiting = waiting.filter((each) => !leaving.has(each))
    const planned = batch.flatMap(plan)
    if (planned.length > 0) writeTogether(planned)
    if (waiting.length > 0) schedule()
  }

  const schedule = (): void => {
    if (isScheduled || underway >= UNDERWAY_MAX) return
    isScheduled = true
    gathered = 0
    gatherUntil = timers.monotonicNow() + GATHERING
    timers.soon(turn)
  }

  const scheduleUrgently = (): void => {
    urgentUntil = timers.monotonicNow() + QUIET
    schedule()
  }

  // If no request has arrived recently, there is none to wait for.
  const scheduleSoon = (): void => {
    if (timers.monotonicNow() > urgentUntil) schedule()
    else if (!isScheduled) later ??= timers.after(SOON, schedule)
  }

  const enqueue = (job: QueuedWrite, isRequest: boolean, mayBeRefused: boolean): void => {
    const refusal = isClosed ? CLOSED : mayBeRefused && waiting.length >= capacity ? queueFull(waiting.length) : null
    if (refusal !== null) {
      job.failed(refusal)
      return
    }
    waiting.push({ job, isRequest, tries: 0 })
    if (isRequest) scheduleUrgently()
    else scheduleSoon()
  }

  const asking =
    (isRequest: boolean): Asking =>
    (call) =>
      new Promise((resolve) =>
        enqueue(
          {
            about: null,
            plan: () => call as unknown as Command,
            came: (result) => {
              resolve(E.right(result as never))
              return true
            },
            failed: (error) => resolve(E.left(error)),
          },
          isRequest,
          true,
        ),
      )

  const ask = asking(true)

  return {
    onCommitted: listeners.onCommitted,
    run: (job, { mayBeRefused } = { mayBeRefused: true }) => enqueue(job, true, mayBeRefused),
    runSoon: (job) => enqueue(job, false, false),
    ask,
    askSoon: asking(false),
    takesWrites: async () => {
      if (failures === forgiven && !isDiskFull?.()) return true
      const known = failures
      // Concurrent callers share one probe.
      probing ??= ask({ name: 'probe', input: undefined }).finally(() => {
        probing = null
      })
      if (E.isLeft(await probing)) return false
      forgiven = Math.max(forgiven, known)
      return failures === forgiven
    },
    close: async () => {
      isClosed = true
      if (waiting.length > 0) schedule()
      while (waiting.length > 0 || isScheduled || underway > 0)
        await new Promise<void>((resolve) => timers.soon(resolve))
    },
  }
}
