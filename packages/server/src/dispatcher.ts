// Carries out what orders want done: takes what commits hand over, claims what else is due, calls the ports, settles what
// came of it. The store tells when there may be something to claim; each second it is looked for besides.

import { type Pending, systemTimers, type Timers } from '@plazo/adapters/system'
import {
  type ClaimRequest,
  type Clock,
  type Entry,
  type Result,
  type Settled,
  type Store,
  type Taker,
  type Unavailable,
  workClass,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

export type DispatcherParts = {
  readonly store: Store
  readonly clock: Clock
  readonly carryOut: (entry: Entry) => Task<Result>
  readonly settle: (entry: Entry, result: Result) => TaskEither<Unavailable, Settled>
  readonly limits: { readonly deliveries: number; readonly work: number; readonly perMerchant: number }
  /** Told of every entry that was settled, and of what did not work. */
  readonly onSettled?: (entry: Entry, result: Result, settled: Settled) => void
  /** Without an entry: nothing could be claimed. */
  readonly onTrouble: (message: string, entry: Entry | null, thrown?: unknown) => void
  /** The store has answered what there is to claim, if anything. */
  readonly onClaimed?: () => void
  /** For tests: real milliseconds until a claim passes on, instead of a minute. */
  readonly lease?: number
  readonly timers?: Timers
  /** For tests of crashes. */
  readonly onMoment?: (moment: 'claimed' | 'carried out') => void
}

export type Dispatcher = {
  /** There may be something due. */
  readonly wake: () => void
  /** Ends once nothing is due and nothing in flight. */
  readonly drain: () => Promise<void>
  readonly isRunning: () => boolean
  /** Claims nothing more, waits for what is in flight, at most `patience` milliseconds, and gives back the rest. */
  readonly stop: (patience: number) => Promise<void>
}

// An attempt has 30 s; the rest is for settling it.
const LEASE = 60_000
const POLL = 1_000
const SETTLE_AGAIN = 250
const GIVING_BACK = 2_000
// A place that has been taken for longer will not soon come free, and nothing is claimed ahead for it: what waits here is
// neither withdrawn any more nor given to another server, and its lease runs.
const PROMPT = 1_000

const concludedAs = ({ conclusion }: Result): Settled => (conclusion.type === 'ended' ? conclusion.as : 'again')

type Place = 'deliveries' | 'work'

/** A machine that slept knows it by one of its clocks only. */
type Instant = { readonly monotonic: number; readonly real: number }

export const startDispatcher = (parts: DispatcherParts): Dispatcher => {
  const {
    store,
    clock,
    carryOut,
    settle,
    limits,
    onSettled,
    onTrouble,
    onClaimed,
    onMoment,
    lease = LEASE,
    timers = systemTimers,
  } = parts
  const claimed = new Map<string, { readonly entry: Entry; readonly since: Instant }>()
  // Being carried out, by their tokens, and since when; what is being settled has given its place to the next.
  const busy: { readonly [place in Place]: Map<string, number> } = { deliveries: new Map(), work: new Map() }
  // Claimed ahead, so that a place that comes free while the store is asked for more is taken at once.
  const next: { readonly [place in Place]: Entry[] } = { deliveries: [], work: [] }
  // More may be due than was claimed, or handed over: a place that comes free is for the oldest of it.
  let isBehind = { deliveries: true, work: true }
  // What is not due yet falls due then at the earliest. Infinite: nothing that is known of.
  let nextDueAt = Number.POSITIVE_INFINITY
  let isNextDueKnown = false
  let givingBack = 0
  let isPumping = false
  let isWoken = false
  let isStopped = false
  let hasGivenBack = false
  let timer: Pending | undefined
  let drained: (() => void)[] = []

  const instant = (): Instant => ({ monotonic: timers.monotonicNow(), real: timers.realNow() })

  const pause = (millis: number): Promise<void> => new Promise((resolve) => timers.after(millis, resolve))

  const patiently = async (work: Promise<unknown>, millis: number): Promise<void> => {
    let over: Pending | undefined
    await Promise.race([work, new Promise<void>((resolve) => (over = timers.after(millis, resolve)))])
    over?.cancel()
  }

  const placeOf = ({ work }: Entry): Place => (workClass(work.kind) === 'work' ? 'work' : 'deliveries')

  const settleInTime = async (entry: Entry, result: Result): Promise<void> => {
    let isUnanswered = false
    for (const until = timers.monotonicNow() + lease / 2; ; isUnanswered = true) {
      const settled = await settle(entry, result)()
      if (E.isRight(settled)) {
        // What was not answered may have been written all the same, and whoever hears of it once too often is told at all.
        const isOurs = isUnanswered && settled.right === 'lost'
        return onSettled?.(entry, result, isOurs ? concludedAs(result) : settled.right)
      }
      // The claim passes on by itself when its lease ends: nothing is lost, something may be done twice.
      if (timers.monotonicNow() > until || hasGivenBack) return onTrouble(settled.left.message, entry)
      await pause(SETTLE_AGAIN)
    }
  }

  const carryOutInPlace = async (entry: Entry): Promise<Result> => {
    const place = placeOf(entry)
    busy[place].set(entry.token, timers.monotonicNow())
    try {
      return await carryOut(entry)()
    } finally {
      busy[place].delete(entry.token)
      beginNext(place)
    }
  }

  // An attempt may take the half of a lease. Whoever was frozen, or waited for a place for so long, may find that others
  // have it by now, or that it was withdrawn.
  const isTooLate = ({ token }: Entry): boolean => {
    const since = claimed.get(token)?.since
    if (since === undefined) return true
    const now = instant()
    return Math.max(now.monotonic - since.monotonic, now.real - since.real) > lease / 2
  }

  const beginNext = (place: Place): void => {
    while (next[place].length > 0 && busy[place].size < limits[place]) {
      const entry = next[place].shift()
      if (entry === undefined) return
      if (!isTooLate(entry)) {
        void perform(entry)
        continue
      }
      claimed.delete(entry.token)
      void giveBack([entry]).then(wake)
    }
  }

  const begin = (entries: readonly Entry[], since: Instant): void => {
    for (const entry of entries) {
      claimed.set(entry.token, { entry, since })
      next[placeOf(entry)].push(entry)
    }
    beginNext('deliveries')
    beginNext('work')
  }

  const perform = async (entry: Entry): Promise<void> => {
    try {
      const result = await carryOutInPlace(entry)
      onMoment?.('carried out')
      if (result.error !== null) onTrouble(result.error, entry, result.thrown)
      const settling = settleInTime(entry, result)
      // The next one's claim shares the commit that settles this one.
      if (isBehind[placeOf(entry)]) wake()
      await settling
    } catch (cause) {
      onTrouble('an error of ours', entry, cause)
    } finally {
      claimed.delete(entry.token)
      if (claimed.size === 0 && drained.length > 0) wake()
    }
  }

  // One for every place, and one ahead for each that will soon come free.
  const roomFor = (place: Place): number => {
    const promptSince = timers.monotonicNow() - PROMPT
    let slow = 0
    for (const begunAt of busy[place].values()) if (begunAt < promptSince) slow += 1
    return Math.max(0, 2 * limits[place] - slow - busy[place].size - next[place].length)
  }

  // What is asked for inside the commit: what comes to be due after it is not this claim's to find.
  const request = (): ClaimRequest => {
    const room = { deliveries: roomFor('deliveries'), work: roomFor('work') }
    const at = clock.now()
    isBehind = { deliveries: room.deliveries === 0, work: room.work === 0 }
    if (nextDueAt <= at) isNextDueKnown = false
    return { at, lease, room, perMerchant: limits.perMerchant }
  }

  const claim = async (): Promise<void> => {
    const asked: { room: ClaimRequest['room'] | null; since: Instant } = { room: null, since: instant() }
    const taken = await store.claim(() => {
      const wanted = request()
      Object.assign(asked, { room: wanted.room, since: instant() })
      return wanted
    })()
    if (E.isLeft(taken)) {
      isBehind = { deliveries: true, work: true }
      isNextDueKnown = false
      return onTrouble(taken.left.message, null)
    }
    onClaimed?.()
    // Told to stop in the meantime: whoever comes next begins them, without waiting for leases.
    if (isStopped) return giveBack(taken.right)
    noteHowFull(asked.room, taken.right)
    if (taken.right.length > 0) onMoment?.('claimed')
    begin(taken.right, asked.since)
  }

  const noteHowFull = (room: ClaimRequest['room'] | null, entries: readonly Entry[]): void => {
    const deliveries = entries.filter((entry) => placeOf(entry) === 'deliveries').length
    if (room === null || deliveries >= room.deliveries) isBehind.deliveries = true
    if (room === null || entries.length - deliveries >= room.work) isBehind.work = true
  }

  const giveBack = async (entries: readonly Entry[]): Promise<void> => {
    givingBack += 1
    await store.release(entries, 'unbegun')()
    givingBack -= 1
  }

  const take: Taker['take'] = (entries, dueAt) => {
    if (isStopped) return entries.length > 0 ? void giveBack(entries) : undefined
    if (entries.length > 0) onMoment?.('claimed')
    begin(entries, instant())
    if (dueAt === null) return
    if (dueAt <= clock.now()) {
      // It may be a delivery whose merchant has as many in flight as may be: as one ends, the next is claimed.
      isBehind.deliveries = true
      wake()
    } else if (dueAt < nextDueAt) {
      nextDueAt = dueAt
      if (!isPumping) sleep()
    }
  }

  // First come, first served: while others wait to be claimed, nobody passes them.
  const offer: Taker['request'] = (underway) => {
    if (isStopped) return null
    if (roomFor('work') <= underway) isBehind.work = true
    return isBehind.work ? null : { at: clock.now(), lease }
  }

  const learnNextDue = async (): Promise<void> => {
    isNextDueKnown = true
    nextDueAt = Number.POSITIVE_INFINITY
    const due = await store.nextDueAt()()
    if (E.isLeft(due)) isNextDueKnown = false
    // What is due but cannot be claimed now (behind an attempt in flight, say) is looked for again at the poll.
    else if (due.right !== null && due.right > clock.now()) nextDueAt = Math.min(nextDueAt, due.right)
  }

  const sleep = (): void => {
    timer?.cancel()
    const wait = Math.max(1, nextDueAt - clock.now())
    timer = timers.after(Math.min(POLL, wait), () => {
      // Others may have made something due.
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
      isWoken = false
      if (!isStopped) await claim()
    } while (isWoken && !isStopped)
    if (!isStopped && !isNextDueKnown) await learnNextDue()
    isPumping = false
    if (isWoken) return wake()
    if (!isStopped) sleep()
    if (claimed.size === 0) tellDrained()
  }

  const wake = (): void => {
    if (isStopped) return
    isWoken = true
    if (!isPumping) void pump()
  }

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
    isRunning: () => !isStopped,
    stop: async (patience) => {
      isStopped = true
      store.handOver(null)
      timer?.cancel()
      const until = timers.monotonicNow() + patience
      const unbegun = [...next.deliveries.splice(0), ...next.work.splice(0)]
      for (const { token } of unbegun) claimed.delete(token)
      void giveBack(unbegun)
      while ((claimed.size > 0 || isPumping || givingBack > 0) && timers.monotonicNow() < until) await pause(20)
      hasGivenBack = true
      const begun = [...claimed.values()].map(({ entry }) => entry)
      // A store that does not answer holds up nobody: what is not given back passes on with its lease.
      await patiently(store.release(begun, 'begun')(), GIVING_BACK)
      tellDrained()
    },
  }
}
