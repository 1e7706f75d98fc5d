// Processes with a store each, over one base in memory, for the property of two dispatchers. A process
// can be slow, cut off, frozen and killed; what it sends to the database can be lost, with or without
// its effect.
import { ATTEMPT_MILLIS, UnavailableError } from '@plazo/core/internal'
import type { Base } from '../../../packages/adapters/src/store/base.ts'
import { type Lease, NO_FORMER } from '../../../packages/adapters/src/store/lease.ts'
import { createStore } from '../../../packages/adapters/src/store/store.ts'
import { baseInMemory, type OnWrite, type Orders, plainOpener } from './base-in-memory.ts'

// In real milliseconds. A database cancels what takes longer than CALL_MILLIS.
const CALL_MILLIS = 500
export const LEASE_MILLIS = 5_000
const SURE_MILLIS = 4_000

/** The row of the lease, which a process has while it renews it. */
export const createLeases = (realNow: () => number) => {
  let holder: string | null = null
  let renewedAt = 0
  let formerUntil = 0

  const take = (name: string): boolean => {
    if (holder !== name) {
      if (holder !== null && realNow() - renewedAt < LEASE_MILLIS) return false
      if (holder !== null) formerUntil = realNow() + ATTEMPT_MILLIS
    }
    holder = name
    renewedAt = realNow()
    return true
  }

  return {
    renew: (name: string): void => {
      if (holder === name) renewedAt = realNow()
    },
    /** The process is known to be gone. */
    free: (name: string): void => {
      if (holder === name) holder = null
    },
    of: (name: string, isConnected: () => boolean): Lease => ({
      take: async () =>
        isConnected() && take(name) ? { ...NO_FORMER, mayRunUntil: formerUntil } : null,
      isHeld: () => holder === name && realNow() - renewedAt < SURE_MILLIS,
    }),
  }
}

/** `unanswered`: it is done, but the process does not hear of it. */
export type CallEnd = 'answered' | 'unanswered' | 'failed'

type Call = { readonly sentAt: number; readonly end: (as: CallEnd) => void }

const failure = () => new UnavailableError({ code: 'connection_lost', message: 'cut off' })

/** The connection of a process with the database. */
const createLine = (realNow: () => number) => {
  const state = { isDead: false, isCutOff: false, isSlow: false, frozenAt: null as number | null }
  let calls: readonly Call[] = []
  let onResume: (() => void)[] = []

  const reach = (): CallEnd | Promise<CallEnd> => {
    if (state.isCutOff) return 'failed'
    if (!state.isDead && !state.isSlow && state.frozenAt === null) return 'answered'
    return new Promise((end) => {
      calls = [...calls, { sentAt: realNow(), end }]
    })
  }

  const isAwake = (): Promise<void> | undefined =>
    state.isDead || state.frozenAt !== null
      ? new Promise((resolve) => onResume.push(resolve))
      : undefined

  const endCalls = (isMeant: (call: Call) => boolean, as: CallEnd): void => {
    const ended = calls.filter(isMeant)
    calls = calls.filter((call) => !isMeant(call))
    for (const { end } of ended) end(as)
  }

  return {
    state,
    call: async <A>(run: () => Promise<A>): Promise<A> => {
      const as = await reach()
      const answer = as === 'failed' ? null : { value: await run() }
      await isAwake()
      if (answer === null || as !== 'answered') throw failure()
      return answer.value
    },
    endOne: (pick: number, as: CallEnd): void => {
      const picked = calls[pick % Math.max(1, calls.length)]
      endCalls((call) => call === picked, as)
    },
    endAll: (as: CallEnd): void => endCalls(() => true, as),
    endOld: (): void => endCalls(({ sentAt }) => realNow() - sentAt >= CALL_MILLIS, 'failed'),
    resume: (): void => {
      state.frozenAt = null
      const resumed = onResume
      onResume = []
      for (const resolve of resumed) resolve()
    },
  }
}

const overLine = (
  base: Base<string, null>,
  call: <A>(run: () => Promise<A>) => Promise<A>,
): Base<string, null> => ({
  readOrders: (asked) => call(() => base.readOrders(asked)),
  readWork: (jobs) => call(() => base.readWork(jobs)),
  commit: (changes) => call(() => base.commit(changes)),
  due: (...page) => call(() => base.due(...page)),
  dueOf: (...page) => call(() => base.dueOf(...page)),
  goodEndpoints: () => call(() => base.goodEndpoints()),
  erasures: () => call(() => base.erasures()),
  nextDueAt: (after) => call(() => base.nextDueAt(after)),
  holderOf: (...reference) => call(() => base.holderOf(...reference)),
})

type ProcessParts = {
  readonly name: string
  readonly orders: Orders
  readonly leases: ReturnType<typeof createLeases>
  readonly realNow: () => number
  readonly onWrite: OnWrite
}

export type Process = ReturnType<typeof openProcess>

export const openProcess = ({ name, orders, leases, realNow, onWrite }: ProcessParts) => {
  const line = createLine(realNow)
  const lease = leases.of(name, () => !line.state.isCutOff)
  const store = createStore({
    base: overLine(baseInMemory(orders, onWrite), line.call),
    open: plainOpener,
    lease,
    options: { soon: queueMicrotask, monotonicNow: realNow },
  })
  return { name, store, lease, ...line }
}
