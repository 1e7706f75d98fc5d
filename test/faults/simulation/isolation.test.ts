// Simulates a week in which most merchants' endpoints hang. The real dispatcher and gateway run
// with few sockets, so that sockets are always scarce. Good merchants must never wait, and the
// others must lose nothing.

import { startDispatcher } from '@plazo/adapters/host'
import {
  addressGuard,
  type HttpRequest,
  type HttpResult,
  merchantGateway,
} from '@plazo/adapters/internal/http'
import type { Timers } from '@plazo/adapters/internal/system'
import { memoryRecords } from '@plazo/adapters/memory'
import { sandboxProviders } from '@plazo/adapters/sandbox'
import { openSqlite } from '@plazo/adapters/sqlite'
import { completeJob, type Delivery, executeEffect } from '@plazo/core/internal'
import { listedDeliveries, NOON, openShop } from '@plazo/core/internal/testing'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { anEvent, anIpn, placeWith } from '../../end-to-end/delivery/engine.ts'
import { AS_IN_SANDBOX } from '../../harness/raw-merchant.ts'
import { seededRandom } from '../../harness/seeded-random.ts'
import { scheduler } from './scheduler.ts'

const SOCKETS = 20
const PER_ACCOUNT = 4
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const HANGING = 8 * DAY

const GOOD = Array.from({ length: 5 }, (_, n) => `good${n}`)
const BAD = Array.from({ length: 15 }, (_, n) => `bad${n}`)

type Kind = 'event' | 'ipn'

type IsolatedWeek = {
  /**
   * Simulated milliseconds between the due time and the sending of each delivery of a good
   * merchant.
   */
  readonly waits: readonly number[]
  /** The highest number in flight of all bad merchants while they hung. */
  readonly mostBad: number
  /** Every delivery of a bad merchant, at the end. */
  readonly unfinished: readonly Delivery[]
}

/** Eight days with bad merchants hanging, then an hour in which they answer. */
const isolatedWeek = async (): Promise<IsolatedWeek> => {
  const time = scheduler()
  const draw = seededRandom(1, 'isolation')
  const timers: Timers = {
    realNow: () => NOON + time.now(),
    monotonicNow: time.now,
    after: (millis, call) => time.after(millis, call, millis <= SECOND ? 'poll' : 'other'),
    soon: (call) => void time.after(0, call),
  }
  const { store } = openSqlite(':memory:', { timers: { ...timers, soon: queueMicrotask } })
  const shop = openShop(store)
  const clock = { now: timers.realNow }

  const dueAt = new Map<string, number>()
  const waits: number[] = []
  let badInFlight = 0
  let mostBad = 0
  let isHanging = true

  const sendRequest = async ({ url, headers, deadline }: HttpRequest): Promise<HttpResult> => {
    const [, merchantRef = ''] = url.pathname.split('/')
    const expectedAt = dueAt.get(headers['Webhook-Id'] ?? '')
    if (merchantRef.startsWith('good') && expectedAt !== undefined)
      waits.push(timers.realNow() - expectedAt)
    if (merchantRef.startsWith('bad')) badInFlight += 1
    if (isHanging) mostBad = Math.max(mostBad, badInFlight)
    try {
      const answers = merchantRef.startsWith('good') || !isHanging
      if (answers) await time.sleep(20 + draw.below(200))
      else await new Promise<void>((resolve) => deadline.addEventListener('abort', () => resolve()))
      return answers
        ? E.right({ status: 200, retryAfter: null, body: '' })
        : E.left({ _tag: 'RequestFailure', error: 'timeout', message: 'The attempt timed out.' })
    } finally {
      if (merchantRef.startsWith('bad')) badInFlight -= 1
    }
  }

  const gateway = merchantGateway({
    ...AS_IN_SANDBOX,
    guard: addressGuard(AS_IN_SANDBOX.guard),
    timers,
    sendRequest,
    onActivity: (attempt, activity) => dispatcher.noteActivity(attempt, activity),
  })
  const dispatcher = startDispatcher({
    store,
    clock,
    timers,
    executeEffect: executeEffect(
      { providers: sandboxProviders(memoryRecords()), gateway, clock },
      0,
    ),
    complete: completeJob({ ...shop.host, store, clock }),
    limits: { deliveries: 8, internal: 8, perAccount: PER_ACCOUNT, sockets: SOCKETS },
    onFailure: () => {},
  })

  const place = async (merchantRef: string, count: number): Promise<void> => {
    shop.advance(timers.realNow() - shop.now())
    const address = (kind: Kind) => `http://127.0.0.1:9999/${merchantRef}/${kind}`
    const works = Array.from({ length: count }, (_, n) =>
      n % 2 === 0 ? anEvent(address('event')) : anIpn(address('ipn')),
    )
    for (const key of await placeWith(shop, merchantRef, works)) dueAt.set(key, timers.realNow())
    dispatcher.wake()
  }
  const every = (millis: number, from: number, run: () => void): void => {
    for (let at = from; at < HANGING; at += millis) time.after(at, run)
  }
  for (const merchant of GOOD) {
    time.after(0, () => void place(merchant, 2))
    every(3 * HOUR, 2 * HOUR + draw.below(HOUR), () => void place(merchant, 2))
  }
  for (const merchant of BAD) {
    time.after(HOUR, () => void place(merchant, 16))
    every(DAY, DAY + draw.below(HOUR), () => void place(merchant, 2))
  }

  const runUntil = async (until: number): Promise<void> => {
    for (let next = time.next(); next !== null && next.dueAt <= until; next = time.next()) {
      // A poll finds nothing before a job is due.
      const nextDueAt = next.turn === 'poll' ? await store.nextDueAt()() : null
      const dueIn =
        nextDueAt !== null && E.isRight(nextDueAt) && nextDueAt.right !== null
          ? nextDueAt.right - NOON
          : Number.POSITIVE_INFINITY
      const until = Math.min(dueIn, time.nextOther())
      if (next.turn === 'poll' && until > next.dueAt && until < Infinity) time.putOff(until)
      else await time.step()
    }
  }

  await runUntil(HANGING)
  isHanging = false
  // Recovers failed deliveries, as an operator would.
  for (const merchantRef of BAD)
    await store.deliveries.recover({
      merchantRef,
      since: NOON,
      at: timers.realNow(),
      after: 0,
      limit: 1_000,
    })()
  dispatcher.wake()
  await runUntil(HANGING + HOUR)

  const unfinished = (
    await Promise.all(BAD.map((merchantRef) => listedDeliveries(store, { merchantRef })))
  ).flat()
  const stopping = dispatcher.stop(0)
  await runUntil(HANGING + HOUR + MINUTE)
  await stopping
  return { waits, mostBad, unfinished }
}

describe('a week in which fifteen of twenty merchants hang, on a node with twenty sockets', () => {
  it('delays no good merchant, uses at most half of the sockets for the bad ones, and loses nothing', async () => {
    const { waits, mostBad, unfinished } = await isolatedWeek()
    expect(waits.length).toBeGreaterThan(500)
    expect(Math.max(...waits)).toBeLessThanOrEqual(SECOND)
    expect(mostBad).toBeLessThanOrEqual(SOCKETS / 2)

    // Every delayed delivery was sent, and no attempt was dropped or lost.
    expect(unfinished.length).toBeGreaterThan(250)
    expect(new Set(unfinished.map(({ state }) => state))).toEqual(new Set(['delivered']))
    const attempts = unfinished.flatMap((delivery) => delivery.attempts)
    expect(new Set(attempts.map(({ outcome }) => outcome))).toEqual(new Set(['error', 'accepted']))
    for (const delivery of unfinished) {
      const bySchedule = delivery.attempts.filter(({ trigger }) => trigger === 'schedule')
      expect(bySchedule.length).toBeLessThanOrEqual(24)
      expect(delivery.attempts.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1)
    }
  })
})
