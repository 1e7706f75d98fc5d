// Many callers' work in one commit: what waits when the event loop turns is decided, and written together; nobody is
// answered before the commit. Of an order one job at a time is underway, and what finds its order moved is decided again.
import { type Entry, type Unavailable, unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { type Pending, steadyFromNow, systemTimers, type Timers } from '../system/timers.ts'
import { type HandingOver, handingOver } from './handing-over.ts'
import { type Ranked, requestsFirst } from './requests-first.ts'
import type { Write, Written } from './writer/batch.ts'
import type { Call, CallOf, Calls } from './writer/calls.ts'
import { type Failure, failureOf } from './writer/committing.ts'

export type Job = {
  /** The order that it is decided on; null: it is decided on none. */
  readonly about: string | null
  /** Decides what is to be written. Null: it is answered, and there is nothing to write. May throw. */
  readonly plan: () => Call | null
  /** What the writer has answered. False: it is to be decided again. */
  readonly came: (result: unknown) => boolean
  readonly failed: (failure: Failure) => void
  /** The n-th effect of what was planned, as it is handed over. */
  readonly handed?: (n: number, token: string, at: number) => Entry | null
}

export type CommitQueue = Pick<HandingOver, 'handOver'> & {
  /** Runs the job in the next commit. Refuses it when the queue is full, unless it may not be refused. */
  readonly run: (job: Job, options?: { readonly mayBeRefused: boolean }) => void
  /**
   * The same for work nobody waits for at a screen: it waits a moment for a commit to share, and lets a burst go first. It is
   * never refused because the queue is full: claims, completions and releases of jobs come this way.
   */
  readonly runSoon: (job: Job) => void
  /** Calls the writer in the next commit. `Left` when it could not be made. */
  readonly ask: Asking
  readonly askSoon: Asking
  /** Whether writes are taken: known, or tried where one has failed. */
  readonly takesWrites: () => Promise<boolean>
  /** Ends once all that waits has been committed. */
  readonly close: () => Promise<void>
}

type Asking = <Name extends keyof Calls>(call: CallOf<Name>) => Promise<E.Either<Unavailable, ReturnType<Calls[Name]>>>

type Waiting = Ranked & { readonly job: Job; readonly tries: number }

type Planned = { readonly waiting: Waiting; readonly call: Call }

export type CommitQueueOptions = {
  /** The number of waiting jobs from which on requests are refused, and told to come back. */
  readonly capacity?: number
  readonly timers?: Timers
  /** Real time, for leases alone; unless given as time goes by, however the machine's clock is set. */
  readonly realNow?: () => number
  /** Whether the disk has so little space that writes are tried before they are said to be taken, even if none has failed. */
  readonly isDiskFull?: () => boolean
  /** Told of each commit, and of how many jobs shared it. */
  readonly committed?: (jobs: number) => void
}

// In milliseconds. A flush costs about one on a common disk: requests of a burst are gathered for as long, background work
// waits a little longer.
const GATHERING = 1
const SOON = 4
const QUIET = 20

// While one commit is written elsewhere the next is decided, and is there when it is done.
const UNDERWAY_MAX = 2
// A commit beside another takes a third of all there is, so that writing, deciding and answering have even shares.
const SHARES = UNDERWAY_MAX + 1
const SHARE_MIN = 8
const TRIES = 50

const passing = (message: string): Failure => ({ message, isOurs: false })

/** When the effects fall due that the call's commit could hand over. */
const handableIn = (call: Call): readonly number[] => {
  const write =
    call.name === 'settle' ? call.given.step : call.name === 'place' || call.name === 'step' ? call.given : null
  return write === null
    ? []
    : write.effects.flatMap((effect) => (effect.type === 'do' && effect.kind === 'work' ? effect.dueAt : []))
}

export const commitQueue = (write: Write, options: CommitQueueOptions = {}): CommitQueue => {
  const { capacity = 10_000, timers = systemTimers, realNow = steadyFromNow(timers), committed, isDiskFull } = options
  const next = requestsFirst(timers.monotonicNow)
  const handing = handingOver()

  // In the order they came.
  let waiting: Waiting[] = []
  const busy = new Set<string>()
  let underway = 0
  let writing = 0
  let failures = 0
  let forgiven = 0
  let probing: ReturnType<typeof ask<'probe'>> | null = null
  let requestsWriting = 0
  let isScheduled = false
  let later: Pending | undefined
  let isClosed = false
  let gathered = 0
  let gatherUntil = 0
  let urgentUntil = 0

  const again = (jobs: readonly Waiting[]): void => {
    waiting = [...jobs, ...waiting]
  }

  // One of each order, in the order they came.
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
      each.job.failed(failureOf(cause))
      return []
    }
  }

  const hear = (each: Waiting, outcome: Written['outcomes'][number]): readonly Waiting[] => {
    if (outcome === null) return [each]
    if (E.isLeft(outcome)) each.job.failed(outcome.left)
    else if (!each.job.came(outcome.right)) {
      if (each.tries < TRIES) return [{ ...each, tries: each.tries + 1 }]
      each.job.failed(passing('The order is being changed by too many at once.'))
    }
    return []
  }

  const writeTogether = (planned: readonly Planned[]): void => {
    const abouts = planned.flatMap(({ waiting: { job } }) => job.about ?? [])
    const calls = planned.map(({ call }) => call)
    const { offer, ended } = handing.offer(calls.flatMap(handableIn))
    for (const about of abouts) busy.add(about)
    underway += 1
    writing += planned.length
    const requests = planned.filter(({ waiting: { isRequest } }) => isRequest).length
    requestsWriting += requests
    write({ calls, offer, now: realNow() }, { isAwaited: requests > 0 }, ({ outcomes, handed, nextDueAt }) => {
      underway -= 1
      writing -= planned.length
      requestsWriting -= requests
      for (const about of abouts) busy.delete(about)
      if (outcomes.some((outcome) => outcome !== null && E.isLeft(outcome) && !outcome.left.isOurs)) failures += 1
      const entryOf = (call: number, effect: number, token: string) =>
        planned[call]?.waiting.job.handed?.(effect, token, offer?.at ?? 0) ?? []
      // Before any caller is answered.
      ended(
        handed.flatMap(({ call, effect, token }) => entryOf(call, effect, token)),
        nextDueAt,
      )
      again(planned.flatMap(({ waiting: each }, n) => hear(each, outcomes[n] ?? null)))
      committed?.(outcomes.length)
      if (waiting.length > 0) schedule()
    })
  }

  const share = (): number =>
    underway === 0 ? waiting.length : Math.max(SHARE_MIN, Math.ceil((waiting.length + writing) / SHARES))

  const turn = (): void => {
    // While each turn of the event loop still brings more, a moment's wait makes one commit of two.
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

  // Where no request has come of late, there is none to wait for.
  const scheduleSoon = (): void => {
    if (timers.monotonicNow() > urgentUntil) schedule()
    else if (!isScheduled) later ??= timers.after(SOON, schedule)
  }

  const enqueue = (job: Job, isRequest: boolean, mayBeRefused: boolean): void => {
    const refusal = isClosed
      ? 'The store is closed.'
      : mayBeRefused && waiting.length >= capacity
        ? `${waiting.length} steps are waiting already.`
        : null
    if (refusal !== null) {
      job.failed(passing(refusal))
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
            plan: () => call as unknown as Call,
            came: (result) => {
              resolve(E.right(result as never))
              return true
            },
            failed: ({ message }) => resolve(unavailable(message)),
          },
          isRequest,
          true,
        ),
      )

  const ask = asking(true)

  return {
    handOver: handing.handOver,
    run: (job, { mayBeRefused } = { mayBeRefused: true }) => enqueue(job, true, mayBeRefused),
    runSoon: (job) => enqueue(job, false, false),
    ask,
    askSoon: asking(false),
    takesWrites: async () => {
      if (failures === forgiven && !isDiskFull?.()) return true
      const known = failures
      // Many may ask at once: one probe is underway.
      probing ??= ask({ name: 'probe', given: undefined }).finally(() => {
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
