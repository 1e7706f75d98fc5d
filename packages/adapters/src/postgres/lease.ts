// Which node starts jobs: the one that the row of plazo.lease names. Every node that wants to asks once
// a second, on a connection of its own, so that no other statement is in the way. A node whose process
// or connection ends loses the lease at once; one that is frozen, when its time is over. The others
// tell the holder by NOTIFY what they have changed.
//
// Its state: what this node wants, the last answer, and the orders that the holder has not been told.
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { ATTEMPT_MILLIS } from '@plazo/core/internal'
import {
  type Former,
  type InFlight,
  keyOf,
  type Lease,
  type LeaseHolder,
  NO_FORMER,
} from '../store/lease.ts'
import type { CancelableTimer, Timers } from '../system/clock-and-ids.ts'
import { type Connection, openConnection, statement } from './connection/connection.ts'
import { throwUnavailable } from './unavailable.ts'

// In milliseconds: how often a node asks, or looks if it is not told; for how long it gets the lease;
// and for how long after it asked it starts jobs.
const ASK_MILLIS = 1_000
const LOOK_MILLIS = 250
const LEASE_MILLIS = 5_000
const SURE_MILLIS = 4_000
const LEFT_MILLIS = 35_000
const LEFT_MAX = 4_000
// For how long a node that gives way does not ask, and after how long it may give way again: if nobody
// else asks, it goes on.
const QUIET_MILLIS = 10_000
const GOES_ON_MILLIS = 60_000
// After so many nodes in a row that died within a minute, jobs run one by one for a minute.
const DEATHS = 3
const MINUTE = 60_000
// A notification has at most 8,000 bytes.
const TOLD_MAX = 200
const ECHO = 'echo '

const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

const IS_GONE = `(pid is not null and not exists (
  select from pg_stat_activity a where a.pid = l.pid and coalesce(a.backend_start, l.backend_start) = l.backend_start))`

// The time of a lease that ends much later than any other is from another clock.
const IS_OVER = `(until not between ${NOW} and ${NOW} + ${2 * LEASE_MILLIS})`

const ASK = statement('lease')`
  with taken as (
    update plazo.lease l set holder = $1, until = ${NOW} + ${LEASE_MILLIS},
      since = case when holder = $1 then since else ${NOW} end,
      deaths = case when holder = $1 then deaths when holder is null then 0 when since > ${NOW} - ${MINUTE} then deaths + 1 else 1 end,
      former_until = case when holder is null or holder = $1 or ${IS_GONE} then former_until else ${NOW} + ${ATTEMPT_MILLIS} end,
      pid = case when $2::boolean then pg_backend_pid() end,
      backend_start = (select backend_start from pg_stat_activity a where a.pid = pg_backend_pid())
    where holder is null or holder = $1 or ${IS_OVER} or ${IS_GONE}
    returning former_until - ${NOW} as former_millis, deaths >= ${DEATHS} and since > ${NOW} - ${MINUTE} as is_deadly,
      case when left_by <> $1 and left_until > ${NOW} then left_running end as left_running)
  select count as erasures, former_millis as "formerMillis", is_deadly as "isDeadly", t.left_running as running, holder <> $1 as "isOther"
  from plazo.key_changes cross join plazo.lease left join taken t on true`

type Answer = {
  readonly erasures: number
  /** For how long a former holder may deliver. Null: another node has the lease. */
  readonly formerMillis: number | null
  readonly isDeadly: boolean
  readonly running: readonly InFlight[] | null
  /** The row named another node. */
  readonly isOther: boolean | null
}

const SUSPECT = statement('lease-suspect')`
  update plazo.lease set suspect = $2, suspected_by = $1, suspect_deaths = case when suspect is distinct from $2 then 0
    when suspected_by = $1 then suspect_deaths else suspect_deaths + 1 end
  where holder = $1 returning suspect_deaths as deaths`

const LEAVE = statement('lease-leave')`
  update plazo.lease set holder = nullif(holder, $1), left_by = $1, left_running = $2,
    left_until = case when holder = $1 then ${NOW} + ${LEFT_MILLIS} else left_until end
  where $1 in (holder, left_by)`

const HOLDER = statement('lease-holder')`
  select holder, since from plazo.lease l where holder is not null and not ${IS_OVER} and not ${IS_GONE}`

// It waits for no disk.
const NOTIFY = statement('notify')`
  select pg_notify('plazo', $1) from (select set_config('synchronous_commit', 'off', true)) s`

const NOTHING = (): readonly InFlight[] => []

export const postgresLease = (url: string, connection: Connection, timers: Timers) => {
  const name = `${hostname()} ${process.pid} ${randomUUID()}`
  let isWanted = false
  let inFlight = NOTHING
  let quietUntil = Number.NEGATIVE_INFINITY
  /** When the node asked, if it got the lease. */
  let heldFrom: { readonly monotonic: number; readonly real: number } | null = null
  let former: Former = NO_FORMER
  let erasures = 0
  let takeovers = 0
  /** True if notifications arrive. A pooler may keep them. */
  let isTold = false
  let asking: Promise<void> | null = null
  let next: CancelableTimer | null = null
  let listener = (_refs: readonly string[] | null): void => {}
  const untold = new Set<string | null>()
  let telling: Promise<void> | null = null

  const isHeld = (): boolean =>
    heldFrom !== null &&
    timers.monotonicNow() - heldFrom.monotonic < SURE_MILLIS &&
    timers.realNow() - heldFrom.real < SURE_MILLIS

  const session = openConnection(url, {
    connections: 1,
    onNotification: (text) => {
      if (text.startsWith(ECHO)) isTold ||= text === ECHO + name
      else if (isHeld()) listener(text === '' ? null : text.split(' '))
      // The holder may have left.
      else if (text === '' && mayAsk()) void askOrLeave()
    },
  })
  session.onBroken(() => {
    heldFrom = null
    isTold = false
  })

  const mayAsk = (): boolean => isWanted && timers.monotonicNow() >= quietUntil

  const notify = (text: string): Promise<unknown> => connection.query(NOTIFY, text).catch(() => {})

  const ask = async (): Promise<void> => {
    const instants = { monotonic: timers.monotonicNow(), real: timers.realNow() }
    const [wasHeld, erasuresBefore] = [isHeld(), erasures]
    const [answer] = await session.query<Answer>(ASK, name, isTold)
    // It may have given the lease away meanwhile.
    if (!mayAsk() || answer === undefined) return
    if (!isTold) void notify(ECHO + name)
    const { formerMillis, running, isDeadly, isOther } = answer
    heldFrom = formerMillis === null ? null : instants
    if (formerMillis !== null) {
      const mayRunUntil = timers.monotonicNow() + formerMillis
      former = { running: running ?? NO_FORMER.running, mayRunUntil, isDeadly }
      if (isOther) takeovers += 1
    }
    erasures = answer.erasures
    if (isHeld() !== wasHeld || erasures !== erasuresBefore) listener([])
    else if (isHeld() && !isTold) listener(null)
  }

  const leave = async (): Promise<void> => {
    const jobs = [...former.running, ...inFlight()].slice(0, LEFT_MAX)
    await session.query(LEAVE, name, JSON.stringify(jobs.map(({ ref, n }) => ({ ref, n }))))
  }

  const askOrLeave = (): Promise<void> => {
    next?.cancel()
    const isLast = !isWanted && inFlight().length === 0
    const current = (mayAsk() ? ask : leave)()
    asking = current
    const askAgain = (): void => {
      if (asking === current && !isLast)
        next = timers.after(isTold ? ASK_MILLIS : LOOK_MILLIS, askOrLeave)
    }
    current.then(askAgain, askAgain)
    return current
  }

  /** Starts nothing more. */
  const end = async (running: () => readonly InFlight[]): Promise<void> => {
    const wasHeld = isHeld()
    isWanted = false
    heldFrom = null
    inFlight = running
    if (asking !== null) await askOrLeave().catch(() => {})
    if (wasHeld) void notify('')
  }

  const readHolder = async (): Promise<LeaseHolder | null> => {
    const [found] = await connection.query<Omit<LeaseHolder, 'isHere'>>(HOLDER)
    return found ? { ...found, isHere: isHeld() } : null
  }

  const tell = async (): Promise<void> => {
    await new Promise<void>((resolve) => timers.soon(resolve))
    while (untold.size > 0) {
      const refs = [...untold]
      untold.clear()
      await notify(refs.includes(null) || refs.length > TOLD_MAX ? '' : refs.join(' '))
    }
    telling = null
  }

  return {
    take: async () => {
      if (!isWanted) {
        isWanted = true
        void askOrLeave()
      }
      if (!isHeld()) await asking?.catch(throwUnavailable)
      return isHeld() ? former : null
    },
    isHeld,
    suspect: async (job) => {
      const [found] = await session.query<{ readonly deaths: number }>(SUSPECT, name, keyOf(job))
      return found?.deaths ?? 0
    },
    giveWay: (running) => {
      if (timers.monotonicNow() < quietUntil + GOES_ON_MILLIS) return
      inFlight = running
      quietUntil = timers.monotonicNow() + QUIET_MILLIS
      heldFrom = null
      void askOrLeave()
    },
    handOver: end,
    /** Counts the data keys that were destroyed, as it was when the node last asked. */
    erasures: async (): Promise<number> => erasures,
    /** The listener is told which orders are to be looked at; null: all that are due. */
    onNews: (listen: typeof listener): void => {
      listener = listen
    },
    /** Tells the holder. Null: any order may have changed. */
    noteChange: (ref: string | null): void => {
      if (isHeld()) return
      untold.add(ref)
      telling ??= tell()
    },
    /** If no node starts jobs, this one asks at once. */
    holder: async (): Promise<LeaseHolder | null> => {
      const found = await readHolder()
      if (found !== null || !isWanted) return found
      await askOrLeave().catch(() => {})
      return readHolder()
    },
    takeovers: (): number => takeovers,
    close: async (): Promise<void> => {
      await telling
      await end(isWanted ? NOTHING : inFlight)
      next?.cancel()
      await session.close()
    },
  } satisfies Lease & Record<string, unknown>
}
