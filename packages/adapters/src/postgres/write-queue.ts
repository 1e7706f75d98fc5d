// Group commit: many callers' writes share one statement. Waiting jobs are decided and written together once the previous
// statement is answered. A job is decided on the cached order, or on a fresh read if there is none. If the order has changed
// meanwhile, it is read and the job decided again; the others are written. No caller is answered before the commit.
import { type Order, toUnavailable, type Unavailable } from '@plazo/core'
import { CAPACITY, CLOSED, CONTENDED, queueFull } from '../sql/batch-reads.ts'
import type { CommitListeners } from '../sql/commit-listeners.ts'
import { type Connection, isUuid } from './connection/connection.ts'
import { isConflict, isRowError } from './connection/connection-errors.ts'
import type { CachedOrder, OrderCache } from './order-cache.ts'
import { type EffectRow, firstDueAt } from './sql/insert-effects.sql.ts'
import type { NewEffect } from './step-rows.ts'
import { postgresUnavailable } from './unavailable.ts'
import { isDone, type LaneRow, type LineRow, type OrderWrite, type WriteOutcome, writeOrders } from './writer/orders.ts'

/** The changes that one job makes to its order. */
export type OrderChange = {
  readonly order: OrderWrite
  readonly lines: readonly LineRow[]
  readonly lanes: readonly LaneRow[]
  readonly effects: readonly NewEffect[]
  /** The resulting order, to be cached. Null if there is no step. */
  readonly leaves: Order | null
}

/** The decision of a job. */
export type Plan =
  /** `change` encrypts, and is called after all jobs have decided. If it was decided on an order, it names the revision. */
  | { readonly type: 'write'; readonly change: () => OrderChange }
  /** There is nothing to write. */
  | { readonly type: 'answer'; readonly answer: () => void }

export const toWritePlan = (change: () => OrderChange): Plan => ({ type: 'write', change })

export type QueuedWrite = {
  readonly orderRef: string
  /** The job completes or released_reference a claimed job, so it is never refused because the queue is full. */
  readonly isOfClaim?: true
  /** False: the job is decided without the order. */
  readonly reads: boolean
  /** Decides without side effects, because it may be called again. It may throw, and so may its `change`. */
  readonly plan: (read: CachedOrder | undefined, referenceIsTaken: boolean) => Plan
  /** `taken`: another order held_reference the reference, and deciding again did not give way. */
  readonly written: (came: Exclude<WriteOutcome, 'moved'>) => void
  /** With the code `internal_error`, a later try would fail as well. */
  readonly failed: (error: Unavailable) => void
}

export type WriteQueue = {
  readonly run: (job: QueuedWrite) => void
  /** Refuses new jobs, and resolves once all waiting jobs are written. */
  readonly close: () => Promise<void>
}

export type WriteQueueOptions = {
  /** How many jobs may wait before further requests are refused. New orders and steps are counted separately. */
  readonly capacity?: number
  /** For tests: called right before a write is sent, and right after it was answered. */
  readonly onCommit?: ((moment: 'before' | 'after') => void) | undefined
}

type Waiting = QueuedWrite & {
  readonly referenceIsTaken: boolean
  readonly tries: number
  readonly alone: boolean
  /** The cached order is outdated, so the order must be read. */
  readonly mustRead: boolean
}

/** `on`: the order as it was read, or as it was cached. */
type Decided = {
  readonly job: Waiting
  readonly plan: Plan
  readonly on: CachedOrder | undefined
  readonly isRecalled: boolean
}

type Planned = Omit<Decided, 'plan'> & { readonly change: OrderChange }

// The most jobs in one statement.
const TOGETHER = 128
const TRIES = 50

/** The instant from which a claim may find another job of the order or of its merchant. */
const dueAfter = ({ order, lanes }: OrderChange, waitsSince: ReadonlyMap<string, number>): number => {
  // A delivery has freed its place for another delivery of the merchant.
  if (order.is_work === false) return Number.NEGATIVE_INFINITY
  const isPendingAgain = order.is_work === true && order.final_status === undefined
  return Math.min(
    isPendingAgain ? (order.due_at ?? Number.NEGATIVE_INFINITY) : Number.POSITIVE_INFINITY,
    waitsSince.get(order.order_ref) ?? Number.POSITIVE_INFINITY,
    ...lanes.map(({ expedited_to }) => expedited_to ?? Number.POSITIVE_INFINITY),
  )
}

export const writeQueue = (
  connection: Connection,
  reading: OrderCache,
  { notify }: Pick<CommitListeners, 'notify'>,
  { capacity = CAPACITY, onCommit }: WriteQueueOptions = {},
): WriteQueue => {
  let waiting: Waiting[] = []
  let isUnderway = false
  let isScheduled = false
  let isClosed = false

  const again = (job: Waiting, own: Partial<Waiting>): void => {
    if (job.tries >= TRIES) job.failed(CONTENDED)
    else waiting.unshift({ ...job, ...own, tries: job.tries + 1 })
  }

  /** Null: `run` threw, and the job's caller is answered. */
  const trying = <A>(job: Waiting, run: () => A): A | null => {
    try {
      return run()
    } catch (cause) {
      job.failed(toUnavailable(cause))
      return null
    }
  }

  /**
   * Decides without asking the database. The cached order may be outdated, which is acceptable for a write: the write checks
   * that the order is still at that revision. Null: the order must be read.
   */
  const decideAtOnce = (job: Waiting): Decided | null => {
    const known = job.reads && !job.mustRead ? reading.getCached(job.orderRef) : undefined
    if (job.reads && known === undefined) return null
    try {
      const plan = job.plan(known, job.referenceIsTaken)
      return job.reads && plan.type === 'answer' ? null : { job, plan, on: known, isRecalled: job.reads }
    } catch {
      return null
    }
  }

  const decideOnWhatIsRead = async (jobs: readonly Waiting[]): Promise<readonly Decided[]> => {
    const wanted = jobs.filter(({ reads, orderRef }) => reads && isUuid(orderRef)).map(({ orderRef }) => orderRef)
    const read = wanted.length === 0 ? new Map<string, () => CachedOrder>() : await reading.readAll(wanted)
    const decide = (job: Waiting) => (): Decided => {
      const on = read.get(job.orderRef)?.()
      return { job, plan: job.plan(on, job.referenceIsTaken), on, isRecalled: false }
    }
    return jobs.flatMap((job) => trying(job, decide(job)) ?? [])
  }

  // All jobs decide first, and all are encrypted afterwards: a processor's caches hold the code of only one of these at a time.
  const seal = (decided: readonly Decided[]): readonly Planned[] =>
    decided.flatMap(({ job, plan, ...own }) => {
      if (plan.type === 'write') return trying(job, (): Planned => ({ job, change: plan.change(), ...own })) ?? []
      plan.answer()
      return []
    })

  const write = async (plans: readonly Planned[]): Promise<ReadonlyMap<string, WriteOutcome>> => {
    onCommit?.('before')
    const changes = plans.map(({ change }) => change)
    const effects = changes.flatMap((change) => change.effects).map((effect, n): EffectRow => ({ n, ...effect }))
    const { came, waitsSince } = await writeOrders(connection, {
      orders: changes.map(({ order, lanes }, n) => ({
        n,
        ...order,
        unblocks_jobs: order.is_work === true || lanes.some(({ revokes }) => revokes),
      })),
      lines: changes.flatMap(({ lines }) => lines),
      lanes: changes.flatMap(({ lanes }) => lanes),
      effects,
    })
    onCommit?.('after')
    const isWritten = (orderRef: string): boolean => isDone(came.get(orderRef))
    const written = changes.filter(({ order }) => isWritten(order.order_ref))
    const added = firstDueAt(effects.filter(({ order_ref }) => isWritten(order_ref)))
    notify(Math.min(added, ...written.map((change) => dueAfter(change, waitsSince))))
    return came
  }

  const finish = ({ job, change, on, isRecalled }: Planned, came: WriteOutcome): void => {
    if (isRecalled && came !== 'moved') reading.confirmCurrent()
    if (isDone(came) && change.leaves !== null && on !== undefined) reading.cache(change.leaves, on.key)
    if (came === 'moved') again(job, { mustRead: true })
    else if (came === 'taken' && !job.referenceIsTaken) again(job, { referenceIsTaken: true })
    else job.written(came)
  }

  const fail = (jobs: readonly Waiting[], cause: unknown): void => {
    for (const job of jobs)
      if (isConflict(cause)) again(job, {})
      // One of them cannot be written, so each is tried alone.
      else if (isRowError(cause) && jobs.length > 1) again(job, { alone: true })
      else job.failed(postgresUnavailable(cause))
  }

  const runTogether = async (jobs: readonly Waiting[]): Promise<void> => {
    let left = jobs
    try {
      const atOnce = jobs.map(decideAtOnce)
      const unread = jobs.filter((_, n) => atOnce[n] === null)
      const read = unread.length === 0 ? [] : await decideOnWhatIsRead(unread)
      const plans = seal([...atOnce.flatMap((decided) => decided ?? []), ...read])
      left = plans.map(({ job }) => job)
      if (plans.length === 0) return
      const written = await write(plans)
      left = []
      for (const plan of plans) finish(plan, written.get(plan.job.orderRef) ?? 'moved')
    } catch (cause) {
      fail(left, cause)
    }
  }

  // Takes at most one job per order, first in, first out.
  const next = (): readonly Waiting[] => {
    const [first] = waiting
    if (first?.alone) {
      waiting = waiting.slice(1)
      return [first]
    }
    const batch: Waiting[] = []
    const rest: Waiting[] = []
    const met = new Set<string>()
    for (const job of waiting) {
      const isFree = !job.alone && !met.has(job.orderRef) && batch.length < TOGETHER
      met.add(job.orderRef)
      if (isFree) batch.push(job)
      else rest.push(job)
    }
    waiting = rest
    return batch
  }

  // Runs one statement at a time. Jobs that arrive meanwhile share the next one, so more jobs share its cost.
  const turn = async (): Promise<void> => {
    isScheduled = false
    isUnderway = true
    await runTogether(next())
    isUnderway = false
    schedule()
  }

  const schedule = (): void => {
    if (isScheduled || isUnderway || waiting.length === 0) return
    isScheduled = true
    setImmediate(() => void turn())
  }

  return {
    run: (job) => {
      if (isClosed) return job.failed(CLOSED)
      if (!job.isOfClaim && waiting.length >= capacity) return job.failed(queueFull(waiting.length))
      waiting.push({ ...job, referenceIsTaken: false, tries: 0, alone: false, mustRead: false })
      schedule()
    },
    close: async () => {
      isClosed = true
      while (waiting.length > 0 || isUnderway || isScheduled)
        await new Promise<void>((resolve) => setImmediate(resolve))
    },
  }
}
