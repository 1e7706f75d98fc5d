// Orders only record their effects; the dispatcher carries them out. It takes jobs that commits hand over, claims other due
// jobs, calls the ports and settles the results. The store notifies it when there may be something to claim, and it polls every
// second.

import { type CancelableTimer, systemTimers, type Timers } from '@plazo/adapters/system'
import type {
  AttemptActivity,
  ClaimRequest,
  Clock,
  CompletionResult,
  Entry,
  Result,
  Store,
  Taker,
  Unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { deliveryAdmission } from './deliveries/delivery-admission.ts'
import type { ReducedMerchant } from './deliveries/merchant-shares.ts'
import { dispatcherPlaces, type Instant, placeOf } from './places.ts'

export type DispatcherParts = {
  readonly store: Store
  readonly clock: Clock
  readonly executeEffect: (entry: Entry) => Task<Result>
  readonly settle: (entry: Entry, result: Result) => TaskEither<Unavailable, CompletionResult>
  readonly limits: {
    /** Deliveries that are prepared, sent or read at the same time. */
    readonly deliveries: number
    readonly work: number
    /** Events of one account in flight across all nodes. The same limit applies separately to its IPNs. */
    readonly perMerchant: number
    /** Deliveries in flight on this node, including those that wait for an answer; default 4,000. */
    readonly sockets?: number
  }
  /** Called for every job that was settled. */
  readonly onSettled?: (entry: Entry, result: Result, settled: CompletionResult) => void
  /** Called for every failure. `entry` is null if the claim itself failed. */
  readonly onTrouble: (message: string, entry: Entry | null, thrown?: unknown) => void
  /** Called after a slow delivery with all merchants that have a smaller share, and the monotonic clock. */
  readonly onSlow?: (reduced: readonly ReducedMerchant[], now: number) => void
  /** Called when the store has answered a claim, even if nothing was due. */
  readonly onClaimed?: () => void
  /** For tests: real milliseconds until a lease expires, instead of a minute. */
  readonly lease?: number
  readonly timers?: Timers
  /** For crash tests. */
  readonly onMoment?: (moment: 'claimed' | 'carried out') => void
}

export type Dispatcher = {
  /** Tells the dispatcher that something may be due. */
  readonly wake: () => void
  /** Resolves once nothing is due and nothing is in flight. */
  readonly drain: () => Promise<void>
  /** Number of jobs that are claimed but not settled yet. */
  readonly inFlight: () => number
  /** Notes that a delivery, given by its entry's token, has begun to wait for the other side, or continues. */
  readonly noteActivity: (token: string, activity: AttemptActivity) => void
  /** The number of deliveries that wait for an answer, and the merchants with a reduced share. */
  readonly slowness: () => { readonly waiting: number; readonly merchants: readonly ReducedMerchant[] }
  readonly isRunning: () => boolean
  /** Stops claiming, waits for the jobs in flight, at most `patience` milliseconds, and gives back the rest. */
  readonly stop: (patience: number) => Promise<void>
}

// An attempt may take 30 s; the rest is for settling it.
const LEASE = 60_000
const POLL = 1_000
const SETTLE_AGAIN = 250
const GIVING_BACK = 2_000

// A claim looks at every merchant with pending jobs, and hundreds of them may have used up their share. A claim that takes long
// and finds little is followed by a rest of the same length, so that nodes do not wear out the database with useless claims.
const COSTLY = 5
const WORTHWHILE = 8
const REST_MAX = 100

// A write that was not answered may have been made, and settling again then reports a lost lease. Operators should see an alert
// twice rather than never.
const unansweredAs = ({ conclusion }: Result, settled: CompletionResult): CompletionResult =>
  settled === 'lost' && conclusion.type === 'ended' && /^(exhausted|unsupported)$/.test(conclusion.as)
    ? conclusion.as
    : settled

/** A claim's request as it was made. */
type Asked = {
  readonly request: ClaimRequest
  /** Fewer deliveries were requested than there are slots, because the sockets for everyone are nearly all taken. */
  readonly leavesSlots: boolean
  readonly since: Instant
}

/** Starts immediately and claims due jobs until it is stopped. Also takes jobs that commits of this process hand over. */
export const startDispatcher = (parts: DispatcherParts): Dispatcher => {
  const {
    store,
    clock,
    executeEffect,
    settle,
    limits,
    onSettled,
    onTrouble,
    onClaimed,
    onMoment,
    lease = LEASE,
    timers = systemTimers,
  } = parts
  // True: more may be due than was claimed or handed over, so a free place goes to the oldest of these jobs.
  let isBehind = { deliveries: true, work: true }
  // The earliest time at which another job becomes due. Infinite: no such job is known.
  let nextDueAt = Number.POSITIVE_INFINITY
  let isNextDueKnown = false
  let givingBack = 0
  let isPumping = false
  let restUntil = Number.NEGATIVE_INFINITY
  let isWoken = false
  let isStopped = false
  let hasGivenBack = false
  let timer: CancelableTimer | undefined
  let drained: (() => void)[] = []

  const admission = deliveryAdmission(limits, timers, parts.onSlow)

  const pause = (millis: number): Promise<void> => new Promise((resolve) => timers.after(millis, resolve))

  const patiently = async (work: Promise<unknown>, millis: number): Promise<void> => {
    let over: CancelableTimer | undefined
    await Promise.race([work, new Promise<void>((resolve) => (over = timers.after(millis, resolve)))])
    over?.cancel()
  }

  const settleInTime = async (entry: Entry, result: Result): Promise<void> => {
    let isUnanswered = false
    for (const until = timers.monotonicNow() + lease / 2; ; isUnanswered = true) {
      const settled = await settle(entry, result)()
      if (E.isRight(settled))
        return onSettled?.(entry, result, isUnanswered ? unansweredAs(result, settled.right) : settled.right)
      // The lease expires by itself: nothing is lost, but something may be done twice.
      if (timers.monotonicNow() > until || hasGivenBack) return onTrouble(settled.left.message, entry)
      await pause(SETTLE_AGAIN)
    }
  }

  // Nobody was called, and the merchant is not at fault: the job is given back as if it had never been claimed.
  const withoutSocket = async (entry: Entry): Promise<void> => {
    admission.pause()
    isBehind.deliveries = true
    await giveBack([entry])
  }

  const perform = async (entry: Entry): Promise<void> => {
    try {
      const begunAt = timers.monotonicNow()
      const result = await places.occupy(entry, executeEffect(entry))
      if (placeOf(entry) === 'deliveries') admission.ended(entry, begunAt, result)
      onMoment?.('carried out')
      if (result.error !== null) onTrouble(result.error, entry, result.thrown)
      if (result.hasNoSocket) return await withoutSocket(entry)
      const settling = settleInTime(entry, result)
      // The claim of the next job shares the commit that settles this one.
      if (isBehind[placeOf(entry)]) wake()
      await settling
    } catch (cause) {
      onTrouble('an error of ours', entry, cause)
    } finally {
      places.end(entry)
      if (places.isIdle() && drained.length > 0) wake()
    }
  }

  // The store calls this inside the commit. Jobs that become due later belong to a later claim.
  const request = (): Asked => {
    const slots = places.roomFor('deliveries')
    const { deliveries, isReserved, shares } = admission.request(slots, places.deliveries())
    const room = { deliveries, work: places.roomFor('work') }
    const at = clock.now()
    isBehind = { deliveries: isReserved || deliveries === 0, work: room.work === 0 }
    if (nextDueAt <= at) isNextDueKnown = false
    return {
      request: { at, lease, room, perMerchant: limits.perMerchant, ...(shares && { shares }) },
      leavesSlots: !isReserved && deliveries < slots,
      since: places.now(),
    }
  }

  const claim = async (): Promise<void> => {
    const sent: { asked: Asked | null; readonly startedAt: number } = { asked: null, startedAt: timers.monotonicNow() }
    const taken = await store.claim(() => {
      sent.asked = request()
      return sent.asked.request
    })()
    if (E.isLeft(taken)) {
      isBehind = { deliveries: true, work: true }
      isNextDueKnown = false
      return onTrouble(taken.left.message, null)
    }
    onClaimed?.()
    const took = timers.monotonicNow() - sent.startedAt
    if (took >= COSTLY && taken.right.length < WORTHWHILE) restUntil = timers.monotonicNow() + Math.min(took, REST_MAX)
    // Stopped in the meantime: the next worker starts them immediately instead of waiting for the leases to expire.
    if (isStopped) return giveBack(taken.right)
    noteHowFull(sent.asked, taken.right)
    if (taken.right.length > 0) onMoment?.('claimed')
    places.begin(taken.right, sent.asked?.since ?? places.now())
  }

  const noteHowFull = (asked: Asked | null, entries: readonly Entry[]): void => {
    const room = asked?.request.room ?? { deliveries: 0, work: 0 }
    const deliveries = entries.filter((entry) => placeOf(entry) === 'deliveries').length
    if (deliveries >= room.deliveries) isBehind.deliveries = true
    if (entries.length - deliveries >= room.work) isBehind.work = true
    // The sockets for everyone are taken, but slots are left: the next claim is for the reserved sockets.
    if (asked?.leavesSlots && deliveries >= room.deliveries) isWoken = true
  }

  const giveBack = async (entries: readonly Entry[]): Promise<void> => {
    givingBack += 1
    await store.release(entries, 'unbegun')()
    givingBack -= 1
  }

  const take: Taker['take'] = (entries, dueAt) => {
    if (isStopped) return entries.length > 0 ? void giveBack(entries) : undefined
    if (entries.length > 0) onMoment?.('claimed')
    places.begin(entries, places.now())
    if (dueAt === null) return
    if (dueAt <= clock.now()) {
      // This may be a delivery whose merchant has reached the limit in flight. When one of them ends, the next is claimed.
      isBehind.deliveries = true
      wake()
    } else if (dueAt < nextDueAt) {
      nextDueAt = dueAt
      if (!isPumping) sleep()
    }
  }

  // First come, first served: while jobs wait to be claimed, no handed-over job overtakes them.
  const offer: Taker['request'] = (underway) => {
    if (isStopped) return null
    if (places.roomFor('work') <= underway) isBehind.work = true
    return isBehind.work ? null : { at: clock.now(), lease }
  }

  const learnNextDue = async (): Promise<void> => {
    isNextDueKnown = true
    nextDueAt = Number.POSITIVE_INFINITY
    const due = await store.nextDueAt()()
    if (E.isLeft(due)) isNextDueKnown = false
    // A job that is due but cannot be claimed now (behind an attempt in flight, say) is looked for again at the next poll.
    else if (due.right !== null && due.right > clock.now()) nextDueAt = Math.min(nextDueAt, due.right)
  }

  const sleep = (): void => {
    timer?.cancel()
    const wait = Math.max(1, nextDueAt - clock.now())
    timer = timers.after(Math.min(POLL, wait), () => {
      // Another process may have made something due.
      isNextDueKnown = false
      wake()
    })
  }

  const tellDrained = (): void => {
    const waiting = drained
    drained = []
    for (const resolve of waiting) resolve()
  }

  const pump = async (): Promise<void> => {
    isPumping = true
    do {
      const rest = restUntil - timers.monotonicNow()
      if (rest > 0) await pause(rest)
      isWoken = false
      if (!isStopped) await claim()
    } while (isWoken && !isStopped)
    if (!isStopped && !isNextDueKnown) await learnNextDue()
    isPumping = false
    if (isWoken) return wake()
    if (!isStopped) sleep()
    if (places.isIdle()) tellDrained()
  }

  const wake = (): void => {
    if (isStopped) return
    isWoken = true
    if (!isPumping) void pump()
  }

  const places = dispatcherPlaces({
    limits,
    lease,
    timers,
    perform: (entry) => void perform(entry),
    onTooLate: (entry) => void giveBack([entry]).then(wake),
  })

  store.handOver({ request: offer, take })
  wake()

  return {
    wake,
    drain: () =>
      new Promise((resolve) => {
        if (isStopped) return resolve()
        drained.push(resolve)
        wake()
      }),
    inFlight: () => places.held().length,
    noteActivity: (token, activity) => {
      const left = places.note(token, activity)
      if (left === null) return
      admission.waits(left.entry, left.begunAt)
      if (isBehind.deliveries) wake()
    },
    slowness: () => ({ waiting: places.waiting(), merchants: admission.reduced() }),
    isRunning: () => !isStopped,
    stop: async (patience) => {
      isStopped = true
      store.handOver(null)
      timer?.cancel()
      const until = timers.monotonicNow() + patience
      void giveBack(places.giveUpAhead())
      while ((!places.isIdle() || isPumping || givingBack > 0) && timers.monotonicNow() < until) await pause(20)
      hasGivenBack = true
      // A store that does not answer must not block the stop: the leases of jobs that are not given back expire.
      await patiently(store.release(places.held(), 'begun')(), GIVING_BACK)
      tellDrained()
    },
  }
}
