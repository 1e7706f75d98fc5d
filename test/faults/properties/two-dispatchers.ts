// One history of two processes that dispatch by turns, with all that must be true of it. It sees each
// write of an order, and each attempt at the merchant.
import { randomUUID } from 'node:crypto'
import {
  ATTEMPT_MILLIS,
  type AttemptResult,
  type Effect,
  type Job,
  NEW_CONTEXT,
  type Order,
  type OrderJob,
  type Step,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { startedAttempt } from '../../../packages/adapters/src/store/tokens.ts'
import { PLACED, PLACED_AT } from '../../../packages/core/src/testing/harness/order-fixture.ts'
import type { Orders, StoredOrder } from './base-in-memory.ts'
import {
  type CallEnd,
  createLeases,
  LEASE_MILLIS,
  openProcess,
  type Process,
} from './dispatchers.ts'
import type { HistoryBase } from './history-bases.ts'

export type Lane = 'notice' | 'ipn' | 'timer.checkoutLifetime'

/** What a step does in a lane. `delay`: until it is due, in milliseconds. */
export type Act = { readonly type: Effect['type']; readonly lane: Lane; readonly delay: number }

/** How an attempt ends. Milliseconds: it is repeated after them. `fault`: its step cannot be made. */
export type Ending = 'delivered' | 'exhausted' | 'fault' | number

type Attempt = {
  readonly process: Process
  readonly job: Job
  readonly n: number
  readonly tries: number
  readonly startedAt: number
}

type Result = { readonly attempt: Attempt; readonly ending: Ending; readonly acts: readonly Act[] }

/** The clocks of the two machines are so far apart at first. */
const SKEW_MILLIS = 60_000
const FORMER_MILLIS = 40_000
const PASS_MILLIS = 11_000
const TURNS_MAX = 300
const CAPACITY = { deliveries: 3, notGood: 3, internal: 3 }

const payloadIn = (lane: Lane): Extract<Effect, { type: 'do' }>['payload'] => {
  const request = { url: 'https://shop.test', contentType: 'text/plain', body: '' }
  if (lane === 'notice') return { kind: 'event', event: 'risk_assessment', ...request }
  if (lane === 'ipn') return { kind: 'ipn', state: 'approved', ...request }
  return { kind: 'timer', timer: 'checkoutLifetime' }
}

const stepOf = (before: Order, now: number, detail: string, acts: readonly Act[]): Step => {
  const at = Math.max(now, before.context.updatedAt)
  const revision = before.revision + 1
  const { orderRef } = before.placed
  return {
    order: { ...before, revision, context: { ...before.context, updatedAt: at } },
    effects: acts.map(({ type, lane, delay }) =>
      type === 'do'
        ? {
            ...{ type, key: `${orderRef}:${revision}:${lane}`, lane, payload: payloadIn(lane) },
            dueAt: at + delay,
            expiresAt: null,
          }
        : { type, lane },
    ),
    journal: [
      {
        seq: revision,
        at,
        event: 'noted',
        detail,
        from: before.state,
        to: before.state,
        input: null,
      },
    ],
    reference: null,
  }
}

const isWaiting = ({ state }: Pick<OrderJob, 'state'>): boolean =>
  state === 'queued' || state === 'pending'

export const openHistory = async (base: HistoryBase) => {
  const { flush } = base
  let realNow = 0
  let databaseShift = PLACED_AT
  const machineShifts = [PLACED_AT, PLACED_AT - SKEW_MILLIS]
  /** When a process last went by the clock that was set back. */
  let setBackAt = Number.NEGATIVE_INFINITY
  /** A process that did not see the clock before it was set back misjudges what began earlier. */
  let unseenUntil = Number.NEGATIVE_INFINITY
  let opened = 0
  const orders: Orders = new Map()
  const leases = createLeases(() => realNow)
  const faults: string[] = []
  let attempts: readonly Attempt[] = []
  let results: readonly Result[] = []
  const claiming = new Set<Process>()
  /** Attempts whose end was written: order, job and tries. */
  const ended = new Set<string>()
  /** How many attempts of each delivery have ended. */
  const endedOf = new Map<string, number>()
  const firstStarts = new Map<string, number>()
  const retried = new Set<string>()

  const check = (isTrue: boolean, promise: string): void => {
    if (!isTrue) faults.push(promise)
  }

  const onWrite = (before: StoredOrder | undefined, after: StoredOrder): void => {
    if (before === undefined) return
    const { ref } = after
    const lines = after.lines.slice(before.lines.length)
    const newAttempts = after.attempts.slice(before.attempts.length)
    const isUsed =
      lines.length > 0 ||
      after.jobs.length !== before.jobs.length ||
      after.jobs.some((job) => !before.jobs.includes(job))
    check(isUsed, 'a version has a line or a job')
    for (const { n, tries, queue, resendOf } of before.jobs) {
      const now = after.jobs.find((job) => job.n === n)
      const isEnded =
        now === undefined
          ? lines.some(({ detail }) => detail === `${n}.${tries}`) ||
            newAttempts.some((attempt) => attempt.n === resendOf)
          : now.tries > tries
      if (!isEnded) continue
      check(!ended.has(`${ref} ${n}.${tries}`), 'no attempt is counted twice')
      ended.add(`${ref} ${n}.${tries}`)
      const delivery = `${ref} ${resendOf ?? n}`
      if (queue !== 'work') endedOf.set(delivery, (endedOf.get(delivery) ?? 0) + 1)
    }
  }

  const open = (slot: number): Promise<Process> => {
    opened += 1
    const clocks = {
      realNow: () => realNow,
      databaseNow: () => realNow + databaseShift,
      machineNow: () => realNow + (machineShifts[slot] ?? 0),
    }
    return openProcess({ name: `process ${opened}`, ...{ base, orders, leases, clocks, onWrite } })
  }
  await base.begin()
  const processes = [await open(0), await open(1)]
  const processAt = (slot: number): Process => processes[slot] as Process
  const isAwake = ({ state }: Process): boolean => !state.isDead && state.frozenAt === null

  const refs = [randomUUID(), randomUUID()]
  const refAt = (order: number): string => refs[order] ?? ''
  const jobsOf = (ref: string) => (orders.get(ref)?.jobs ?? []).map(({ work: _, ...job }) => job)

  /** It may be in flight, and may not be repeated meanwhile. Only a frozen process has older ones. */
  const isGuarded = ({ startedAt }: Attempt): boolean =>
    startedAt >= unseenUntil && realNow - startedAt <= ATTEMPT_MILLIS + LEASE_MILLIS

  const isCurrent = ({ job: { orderRef }, n, tries }: Attempt): boolean =>
    jobsOf(orderRef).some((job) => job.n === n && job.tries === tries && isWaiting(job))

  const start = (process: Process, job: Job): void => {
    if (process.now() > realNow + databaseShift) {
      if (unseenUntil >= setBackAt) unseenUntil = realNow + 1
      setBackAt = realNow + 1
    }
    const { n, tries } = startedAttempt(job)
    const { orderRef: ref, lane, isResend } = job
    const others = attempts.filter((other) => other.job.orderRef === ref && isGuarded(other))
    const isDelivery = job.payload.kind !== 'timer'
    check(process.lease.isHeld(), 'only the process with the lease starts jobs')
    check(
      !others.some((other) => other.n === n && (isDelivery || other.process === process)),
      'no job is in flight twice at once',
    )
    const lanes = others
      .filter((other) => !other.job.isResend && isCurrent(other))
      .map((other) => other.job.lane)
    if (!isResend) {
      check(
        ![...lanes, lane].includes('timer.checkoutLifetime') || ![...lanes, lane].includes('ipn'),
        'jobs that exclude each other are not in flight together',
      )
      const first = firstStarts.get(`${ref} ${lane}`) ?? 0
      if (isDelivery && !retried.has(`${ref} ${n}`)) {
        check(n >= first, 'a lane keeps its order')
        firstStarts.set(`${ref} ${lane}`, n)
      }
    }
    attempts = [...attempts, { process, job, n, tries, startedAt: realNow }]
  }

  const claim = async (process: Process): Promise<void> => {
    if (claiming.has(process)) return
    claiming.add(process)
    const request = () => ({ at: process.now(), perAccount: null, capacity: CAPACITY })
    const claimed = await process.store.claim(request)()
    claiming.delete(process)
    if (E.isRight(claimed)) for (const job of claimed.right) start(process, job)
  }

  const complete = async (result: Result): Promise<void> => {
    const { attempt, ending, acts } = result
    const { process, job, n, tries } = attempt
    const key = `${job.orderRef} ${n}.${tries}`
    const at = process.now()
    const attemptResult: AttemptResult =
      typeof ending === 'number'
        ? { type: 'retry', dueAt: at + ending }
        : { type: 'finished', status: ending === 'fault' ? 'delivered' : ending }
    const answer = await process.store.complete(job, {
      result: attemptResult,
      decide: (order) =>
        ending === 'fault'
          ? E.left({ message: 'a fault' })
          : E.right({
              step: stepOf(order, at, `${n}.${tries}`, acts),
              answer: { statusOverride: null },
            }),
    })()
    if (E.isLeft(answer)) results = [...results, result]
    else if (answer.right !== 'lost') check(ended.has(key), 'a result is written')
    else {
      const isLate =
        realNow - attempt.startedAt >= ATTEMPT_MILLIS || attempt.startedAt < unseenUntil
      check(ended.has(key) || isLate, 'a result reaches its order')
    }
  }

  const end = (attempt: Attempt, ending: Ending, acts: readonly Act[]): void => {
    attempts = attempts.filter((each) => each !== attempt)
    void complete({ attempt, ending, acts })
  }

  const store = (isMeant: (result: Result) => boolean): void => {
    const stored = results.filter(isMeant)
    results = results.filter((result) => !isMeant(result))
    for (const result of stored) void complete(result)
  }

  const attemptsOf = (process: Process): readonly Attempt[] =>
    attempts.filter((attempt) => attempt.process === process)

  const place = async (order: number): Promise<void> => {
    const placed = { ...PLACED, orderRef: refAt(order) }
    const state = { checkout: 'confirmed', risk: 'none', cancellation: 'none' } as const
    const acts: readonly Act[] = [
      { type: 'do', lane: 'notice', delay: 0 },
      { type: 'do', lane: 'ipn', delay: 500 },
      { type: 'do', lane: 'timer.checkoutLifetime', delay: 700 },
    ]
    const before: Order = { placed, revision: 0, state, context: NEW_CONTEXT }
    const process = processAt(order % 2)
    await process.store.place(stepOf(before, process.now(), 'placed', acts), '{}')()
  }
  await place(0)
  await place(1)

  const endOldAttempts = (process: Process): void => {
    for (const attempt of attemptsOf(process))
      if (realNow - attempt.startedAt >= ATTEMPT_MILLIS) end(attempt, 1_000, [])
  }

  const wait = (millis: number): void => {
    realNow += millis
    for (const process of processes) {
      process.endOld()
      if (!isAwake(process)) continue
      if (!process.state.isCutOff) leases.renew(process.name)
      process.refreshClock()
      endOldAttempts(process)
    }
    store(({ attempt: { process } }) => isAwake(process))
  }

  const fast = (slot: number): void => {
    processAt(slot).state.isSlow = false
    processAt(slot).endAll('answered')
  }

  const resume = (slot: number): void => {
    processAt(slot).resume()
    endOldAttempts(processAt(slot))
    if (!processAt(slot).state.isSlow) processAt(slot).endAll('answered')
  }

  const isOver = (): boolean =>
    attempts.length === 0 &&
    results.length === 0 &&
    [...orders.keys()].every((ref) => !jobsOf(ref).some(isWaiting))

  /** Each attempt ends with a success. */
  const settle = async (): Promise<void> => {
    for (const slot of [0, 1]) {
      processAt(slot).state.isCutOff = false
      resume(slot)
      fast(slot)
    }
    wait(FORMER_MILLIS)
    for (let turn = 0; turn < TURNS_MAX && !isOver(); turn++) {
      await flush()
      for (const process of processes) void claim(process)
      await flush()
      for (const attempt of attempts) end(attempt, 'delivered', [])
      await flush()
      wait(PASS_MILLIS)
    }
    check(isOver(), 'no job is lost')
  }

  const checkOrder = (order: StoredOrder): void => {
    const results = order.lines.flatMap(({ detail }) => (/^\d/.test(detail ?? '') ? detail : []))
    check(new Set(results).size === results.length, 'a result has one line')
    const numbers = new Map<number, number[]>()
    for (const { n, number } of order.attempts) numbers.set(n, [...(numbers.get(n) ?? []), number])
    for (const [key, count] of endedOf) {
      const [ref, n] = [key.slice(0, key.lastIndexOf(' ')), Number(key.slice(key.lastIndexOf(' ')))]
      if (ref !== order.ref) continue
      const found = numbers.get(n)?.toSorted((a, b) => a - b) ?? []
      const isCounted =
        found.length === count && found.every((number, index) => number === index + 1)
      check(isCounted, 'each attempt that has ended has a number of its own')
    }
  }

  return {
    wait,
    settle: async (): Promise<readonly string[]> => {
      await settle()
      for (const order of orders.values()) checkOrder(order)
      return faults
    },
    claim: (slot: number) => void claim(processAt(slot)),
    step: (slot: number, order: number, acts: readonly Act[]): void => {
      const process = processAt(slot)
      void process.store.step(refAt(order), (before) =>
        E.right({ step: stepOf(before, process.now(), 'step', acts), answer: null }),
      )()
    },
    end: (slot: number, pick: number, ending: Ending, acts: readonly Act[]): void => {
      const own = attemptsOf(processAt(slot))
      const attempt = own[pick % Math.max(1, own.length)]
      if (attempt !== undefined) end(attempt, ending, acts)
    },
    release: (slot: number, pick: number, as: 'started' | 'not_started'): void => {
      const own = attemptsOf(processAt(slot))
      const attempt = own[pick % Math.max(1, own.length)]
      if (attempt === undefined) return
      attempts = attempts.filter((each) => each !== attempt)
      void attempt.process.store.release([attempt.job], as)()
    },
    resend: (slot: number, order: number, pick: number): void => {
      const process = processAt(slot)
      const deliveries = jobsOf(refAt(order)).filter(
        ({ queue, resendOf }) => queue !== 'work' && resendOf === null,
      )
      const delivery = deliveries[pick % Math.max(1, deliveries.length)]
      if (delivery === undefined) return
      void process.store.resend(
        refAt(order),
        { ...delivery, message: null },
        'resend',
        process.now(),
      )
    },
    retryStuck: (slot: number, order: number, pick: number): void => {
      const process = processAt(slot)
      const stuck = jobsOf(refAt(order)).filter(({ state }) => state === 'stuck')
      const job = stuck[pick % Math.max(1, stuck.length)]
      if (job === undefined) return
      retried.add(`${refAt(order)} ${job.n}`)
      const key = `${refAt(order)}:${job.revision}:${job.lane}`
      void process.store.retryStuckJob(key, process.now())()
    },
    erase: (order: number): Promise<void> =>
      base.erase(orders, refAt(order), (before) => stepOf(before, PLACED_AT, 'erased', [])),
    setMachine: (slot: number, millis: number): void => {
      machineShifts[slot] = PLACED_AT + millis
    },
    setBack: async (millis: number): Promise<void> => {
      // Each process looks for jobs every second.
      for (const process of processes) if (isAwake(process)) void claim(process)
      await flush()
      const isSeen = processes.every(
        (process) => isAwake(process) && !process.state.isCutOff && !process.state.isSlow,
      )
      realNow += 1
      databaseShift -= millis
      setBackAt = realNow
      if (!isSeen) unseenUntil = realNow
    },
    isAwake: (slot: number): boolean => isAwake(processAt(slot)),
    freeze: (slot: number): void => {
      processAt(slot).state.frozenAt ??= realNow
      // Answers reach it when it goes on.
      processAt(slot).endAll('answered')
    },
    resume,
    cutOff: (slot: number, isCutOff: boolean): void => {
      processAt(slot).state.isCutOff = isCutOff
      if (isCutOff) processAt(slot).endAll('failed')
    },
    slow: (slot: number): void => {
      processAt(slot).state.isSlow = true
    },
    fast,
    endCall: (slot: number, pick: number, as: CallEnd): void => processAt(slot).endOne(pick, as),
    crash: async (slot: number, pick: number): Promise<void> => {
      const process = processAt(slot)
      process.state.isDead = true
      process.endOne(pick, 'answered')
      leases.free(process.name)
      attempts = attempts.filter((attempt) => attempt.process !== process)
      results = results.filter(({ attempt }) => attempt.process !== process)
      processes[slot] = await open(slot)
      unseenUntil = Math.max(unseenUntil, setBackAt)
    },
    flush,
  }
}
