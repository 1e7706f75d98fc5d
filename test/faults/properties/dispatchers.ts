// Processes with a store each, over one base, for the property of two dispatchers. A process
// can be slow, cut off, frozen and killed; what it sends to the database can be lost, with or without
// its effect.
import { ATTEMPT_MILLIS, UnavailableError } from '@plazo/core/internal'
import type { Connection } from '../../../packages/adapters/src/postgres/connection/connection.ts'
import { databaseClock } from '../../../packages/adapters/src/postgres/connection/database-clock.ts'
import { type Lease, NO_FORMER } from '../../../packages/adapters/src/store/lease.ts'
import type { Timers } from '../../../packages/adapters/src/system/clock-and-ids.ts'
import type { OnWrite, Orders } from './base-in-memory.ts'
import type { HistoryBase } from './history-bases.ts'

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

type ProcessParts = {
  readonly name: string
  readonly base: HistoryBase
  readonly orders: Orders
  readonly leases: ReturnType<typeof createLeases>
  /** The database's clock goes its own way, and so does that of the machine. */
  readonly clocks: Record<'realNow' | 'databaseNow' | 'machineNow', () => number>
  readonly onWrite: OnWrite
}

export type Process = Awaited<ReturnType<typeof openProcess>>

export const openProcess = async ({
  name,
  base,
  orders,
  leases,
  clocks,
  onWrite,
}: ProcessParts) => {
  const { realNow, databaseNow, machineNow } = clocks
  const line = createLine(realNow)
  const lease = leases.of(name, () => !line.state.isCutOff)
  const { call } = line
  let refresh: { readonly at: number; readonly run: () => void } | null = null
  const timers: Timers = {
    realNow: machineNow,
    monotonicNow: realNow,
    after: (millis, run) => {
      refresh = { at: realNow() + millis, run }
      return { cancel: () => {} }
    },
    soon: queueMicrotask,
  }
  // The only function of the connection that a clock uses.
  const connection = { query: () => call(async () => [{ now: databaseNow() }]) } as unknown
  const clock = await databaseClock(connection as Connection, timers)
  return {
    name,
    now: clock.now,
    refreshClock: (): void => {
      if (refresh !== null && refresh.at <= realNow()) refresh.run()
    },
    store: base.openStore({ orders, onWrite, call, lease, monotonicNow: realNow }),
    lease,
    ...line,
  }
}
