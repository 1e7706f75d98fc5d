// Carries out what orders want done: claims due effects, calls the ports, settles what came of it. Woken after every
// commit that may have made work, and each second besides.

import type { Clock, Entry, Result, Settled, Store, Unavailable } from '@plazo/core'
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
  readonly onTrouble: (message: string, entry: Entry | null) => void
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

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

export const startDispatcher = (parts: DispatcherParts): Dispatcher => {
  const { store, clock, carryOut, settle, limits, onSettled, onTrouble, onMoment } = parts
  const inFlight = new Map<string, Entry>()
  let deliveries = 0
  let isPumping = false
  let isWoken = false
  let isStopped = false
  let hasGivenBack = false
  let timer: NodeJS.Timeout | undefined
  let drained: (() => void)[] = []

  const isDelivery = ({ work }: Entry): boolean => work.kind === 'event' || work.kind === 'ipn'

  const settleInTime = async (entry: Entry, result: Result): Promise<void> => {
    for (const until = Date.now() + LEASE / 2; ; ) {
      const settled = await settle(entry, result)()
      if (E.isRight(settled)) return onSettled?.(entry, result, settled.right)
      // The claim passes on by itself when its lease ends: nothing is lost, something may be done twice.
      if (Date.now() > until || hasGivenBack) return onTrouble(settled.left.message, entry)
      await sleep(SETTLE_AGAIN)
    }
  }

  const perform = async (entry: Entry): Promise<void> => {
    try {
      const result = await carryOut(entry)()
      onMoment?.('carried out')
      if (result.error !== null) onTrouble(result.error, entry)
      await settleInTime(entry, result)
    } catch (cause) {
      onTrouble(cause instanceof Error ? cause.message : String(cause), entry)
    } finally {
      inFlight.delete(entry.token)
      if (isDelivery(entry)) deliveries -= 1
      wake()
    }
  }

  const claim = async (): Promise<number> => {
    const work = limits.work - (inFlight.size - deliveries)
    const room = { deliveries: limits.deliveries - deliveries, work }
    const claimed = await store.claim({ at: clock.now(), lease: LEASE, room, perMerchant: limits.perMerchant })()
    if (E.isLeft(claimed)) {
      onTrouble(claimed.left.message, null)
      return 0
    }
    // Told to stop in the meantime: whoever comes next begins them, without waiting for leases.
    if (isStopped) {
      await store.release(claimed.right)()
      return 0
    }
    if (claimed.right.length > 0) onMoment?.('claimed')
    for (const entry of claimed.right) {
      inFlight.set(entry.token, entry)
      if (isDelivery(entry)) deliveries += 1
      void perform(entry)
    }
    return claimed.right.length
  }

  const sleepUntilDue = async (): Promise<void> => {
    const due = await store.nextDueAt()()
    if (isStopped) return
    const wait = E.isRight(due) && due.right !== null ? Math.max(1, due.right - clock.now()) : POLL
    clearTimeout(timer)
    // What is due but cannot be claimed now (behind an attempt in flight, say) is looked for again at the poll.
    timer = setTimeout(wake, Math.min(POLL, wait <= 1 ? POLL : wait))
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
    if (!isStopped) await sleepUntilDue()
    isPumping = false
    if (isWoken) return wake()
    if (inFlight.size === 0) tellDrained()
  }

  const wake = (): void => {
    if (isStopped) return
    isWoken = true
    if (!isPumping) void pump()
  }

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
      clearTimeout(timer)
      for (const until = Date.now() + patience; (inFlight.size > 0 || isPumping) && Date.now() < until; )
        await sleep(20)
      hasGivenBack = true
      await store.release([...inFlight.values()])()
      tellDrained()
    },
  }
}
