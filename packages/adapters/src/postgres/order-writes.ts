// Many callers' writes in one statement: what waits when the event loop turns is read together, decided one by one, and
// written together. Whatever finds its order moved is decided again, in the next; nobody is answered before the commit.
import type { Order } from '@plazo/core'
import { isKeyMissing } from '../sealing/sealer.ts'
import { type Connection, isOfTheRows, isPassing, isUuid, messageOf } from './connection.ts'
import type { HandingOver, MadeEffect } from './handing-over.ts'
import type { OrderReading, ReadOrder } from './order-reading.ts'
import type { LaneRow, LineRow, OrderWrite, Written } from './writing.ts'
import { writeOrders } from './writing.ts'

/** What one job writes of its order. */
export type OrderChange = {
  readonly order: OrderWrite
  readonly lines: readonly LineRow[]
  readonly lanes: readonly LaneRow[]
  readonly effects: readonly MadeEffect[]
  /** What the order is then, to be remembered. */
  readonly leaves: Order | null
}

export type Job = {
  readonly orderRef: string
  /** Without: it is decided without the order. */
  readonly reads: boolean
  /**
   * Decides; what is to be written of it is sealed when that is asked for, once all have decided. Null: it is answered, and
   * there is nothing to write. May throw, both.
   */
  readonly plan: (read: ReadOrder | undefined, referenceIsTaken: boolean) => (() => OrderChange) | null
  /** `taken`: another holds the reference, and deciding again did not give way. */
  readonly written: (came: Exclude<Written, 'moved'>) => void
  /** `isOurs`: it would fail again, whenever it is tried. */
  readonly failed: (message: string, isOurs: boolean) => void
}

export type OrderWrites = {
  readonly run: (job: Job) => void
  /** Ends once all that waits has been written. */
  readonly close: () => Promise<void>
}

type Waiting = Job & { readonly referenceIsTaken: boolean; readonly tries: number; readonly alone: boolean }

export type OrderWritesOptions = {
  /** How many jobs may wait; beyond it a caller is told to come back. */
  readonly capacity?: number
  /** For tests: called right before a write is sent, and right after it was answered. */
  readonly onCommit?: ((moment: 'before' | 'after') => void) | undefined
}

const TOGETHER = 128
// One at a time: those that come meanwhile are one statement then, and what it costs is shared by more.
const AT_ONCE = 1
const TRIES = 50

type Planned = { readonly job: Waiting; readonly change: OrderChange; readonly key: ReadOrder['key'] | null }

/** A claim may find something else of the order's from then on, or of its merchant's. */
const dueAfter = ({ order, lanes }: OrderChange, waitsSince: ReadonlyMap<string, number>): number => {
  // A delivery has given its place to another of the merchant's, whichever it is.
  if (order.is_work === false) return Number.NEGATIVE_INFINITY
  const isPendingAgain = order.is_work === true && order.ends_as === undefined
  return Math.min(
    isPendingAgain ? (order.due_at ?? Number.NEGATIVE_INFINITY) : Number.POSITIVE_INFINITY,
    waitsSince.get(order.order_ref) ?? Number.POSITIVE_INFINITY,
    ...lanes.map(({ hastens_to }) => hastens_to ?? Number.POSITIVE_INFINITY),
  )
}

export const orderWrites = (
  connection: Connection,
  reading: OrderReading,
  handing: HandingOver,
  { capacity = 10_000, onCommit }: OrderWritesOptions = {},
): OrderWrites => {
  let waiting: Waiting[] = []
  const busy = new Set<string>()
  let inFlight = 0
  let isScheduled = false
  let isClosed = false

  const again = (job: Waiting, own: Partial<Waiting>): void => {
    if (job.tries >= TRIES) job.failed('The order is being changed by too many at once.', false)
    else waiting.unshift({ ...job, ...own, tries: job.tries + 1 })
  }

  /** Each of them, but those that throw, which are answered. */
  const each = <A, B>(given: readonly A[], jobOf: (a: A) => Waiting, run: (a: A) => B | null): readonly B[] =>
    given.flatMap((a) => {
      try {
        return run(a) ?? []
      } catch (cause) {
        jobOf(a).failed(messageOf(cause), !isKeyMissing(cause))
        return []
      }
    })

  // All decide, then all seal: a processor's caches hold the code of one of these at a time.
  const plansOf = (jobs: readonly Waiting[], read: ReadonlyMap<string, () => ReadOrder>): readonly Planned[] => {
    const decided = each(
      jobs,
      (job) => job,
      (job) => {
        const found = read.get(job.orderRef)?.()
        const seal = job.plan(found, job.referenceIsTaken)
        return seal && { job, seal, key: found?.key ?? null }
      },
    )
    return each(
      decided,
      ({ job }) => job,
      ({ job, seal, key }) => ({ job, change: seal(), key }),
    )
  }

  const write = async (plans: readonly Planned[]): Promise<ReadonlyMap<string, Written>> => {
    onCommit?.('before')
    const changes = plans.map(({ change }) => change)
    const offered = handing.offer(changes.flatMap(({ effects }) => effects))
    try {
      const { came, handed, waitsSince } = await writeOrders(connection, {
        orders: changes.map(({ order, lanes }, n) => ({
          n,
          ...order,
          lets_go_on: order.id !== undefined || lanes.some(({ withdraws }) => withdraws),
        })),
        lines: changes.flatMap(({ lines }) => lines),
        lanes: changes.flatMap(({ lanes }) => lanes),
        effects: offered.rows,
        offer: offered.values,
      })
      onCommit?.('after')
      const isDone = (orderRef: string): boolean => came.get(orderRef) === 'done'
      const done = changes.filter(({ order }) => isDone(order.order_ref))
      offered.committed(handed, isDone, Math.min(...done.map((change) => dueAfter(change, waitsSince))))
      return came
    } catch (cause) {
      offered.failed()
      throw cause
    }
  }

  const finish = ({ job, change, key }: Planned, came: Written): void => {
    if (came === 'done' && change.leaves !== null && key !== null) reading.remember(change.leaves, key)
    if (came === 'moved') again(job, {})
    else if (came === 'taken' && !job.referenceIsTaken) again(job, { referenceIsTaken: true })
    else job.written(came)
  }

  const fail = (jobs: readonly Waiting[], cause: unknown): void => {
    for (const job of jobs)
      if (isPassing(cause)) again(job, {})
      // One of them cannot be written: each stands alone then.
      else if (isOfTheRows(cause) && jobs.length > 1) again(job, { alone: true })
      else job.failed(messageOf(cause), isOfTheRows(cause))
  }

  const runTogether = async (jobs: readonly Waiting[]): Promise<void> => {
    let left = jobs
    try {
      const wanted = jobs.filter(({ reads, orderRef }) => reads && isUuid(orderRef)).map(({ orderRef }) => orderRef)
      const read = wanted.length === 0 ? new Map<string, () => ReadOrder>() : await reading.readAll(wanted)
      const plans = plansOf(jobs, read)
      left = plans.map(({ job }) => job)
      if (plans.length === 0) return
      const written = await write(plans)
      left = []
      for (const plan of plans) finish(plan, written.get(plan.job.orderRef) ?? 'moved')
    } catch (cause) {
      fail(left, cause)
    }
  }

  // One of each order, in the order they came.
  const next = (): readonly Waiting[] => {
    const [first] = waiting
    if (first?.alone && !busy.has(first.orderRef)) {
      waiting = waiting.slice(1)
      return [first]
    }
    const batch: Waiting[] = []
    const rest: Waiting[] = []
    const met = new Set<string>()
    for (const job of waiting) {
      const isFree = !job.alone && !busy.has(job.orderRef) && !met.has(job.orderRef) && batch.length < TOGETHER
      met.add(job.orderRef)
      if (isFree) batch.push(job)
      else rest.push(job)
    }
    waiting = rest
    return batch
  }

  const turn = async (): Promise<void> => {
    isScheduled = false
    const batch = next()
    if (batch.length === 0) return
    for (const { orderRef } of batch) busy.add(orderRef)
    inFlight += 1
    schedule()
    await runTogether(batch)
    inFlight -= 1
    for (const { orderRef } of batch) busy.delete(orderRef)
    schedule()
  }

  const schedule = (): void => {
    if (isScheduled || waiting.length === 0 || inFlight >= AT_ONCE) return
    isScheduled = true
    setImmediate(() => void turn())
  }

  return {
    run: (job) => {
      if (isClosed) return job.failed('The store is closed.', false)
      if (waiting.length >= capacity) return job.failed(`${waiting.length} steps are waiting already.`, false)
      waiting.push({ ...job, referenceIsTaken: false, tries: 0, alone: false })
      schedule()
    },
    close: async () => {
      isClosed = true
      while (waiting.length > 0 || inFlight > 0 || isScheduled)
        await new Promise<void>((resolve) => setImmediate(resolve))
    },
  }
}
