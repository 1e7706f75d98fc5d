// The data of the memory store: rows of orders and jobs, and what stays of finished deliveries. All
// values are replaced, never changed in place, so that a transaction that throws can be undone.
import type { Attempt, FinalStatus, ManualTrigger, Outcome, Unavailable } from '@plazo/core/ports'
import type * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { isDelivery } from '../rows/claim.ts'
import type { AttemptRows, JobRow, OrderRow, Rows } from '../rows/rows.ts'
import type { StoredState } from '../sql/delivery-view.ts'
import { memoryEndpoints } from './endpoints.ts'

/** A job in any state. Only deliveries stay when they are finished. */
export type MemoryJob = Omit<JobRow, 'state'> & { readonly state: StoredState }

/** Runs in one transaction. */
export type RunInTables = <Err, A>(run: () => E.Either<Err, A>) => TaskEither<Err | Unavailable, A>

/** The instant of the last attempt, or of the creation if there was none. */
export const lastTriedAt = ({ createdAt }: MemoryJob, attempts: readonly Attempt[]): number =>
  attempts.at(-1)?.startedAt ?? createdAt

type ManualRequest = { readonly by: ManualTrigger; readonly at: number }

/** Null: it is in flight, and not listed. */
type StartedAttempt = Omit<Attempt, 'outcome'> & { readonly outcome: Outcome | null }

const isUnfinished = ({ state }: MemoryJob): boolean =>
  state === 'queued' || state === 'pending' || state === 'claimed'

const byId = (a: MemoryJob, b: MemoryJob): number => a.id - b.id

const NOT_ENDED = {
  outcome: null,
  durationMillis: null,
  status: null,
  error: null,
  response: null,
}

/** Maps whose changes can be undone together. */
const createMaps = () => {
  let undo: (() => void)[] = []
  const put = <K, A>(map: Map<K, A>, key: K, value: A | undefined): void => {
    const before = map.get(key)
    undo.push(() => void (before === undefined ? map.delete(key) : map.set(key, before)))
    if (value === undefined) map.delete(key)
    else map.set(key, value)
  }
  const transaction = <A>(run: () => A): A => {
    undo = []
    try {
      return run()
    } catch (cause) {
      for (const putBack of undo.toReversed()) putBack()
      throw cause
    }
  }
  return { put, transaction }
}

export type MemoryTables = ReturnType<typeof memoryTables>

export const memoryTables = () => {
  const { put, transaction } = createMaps()
  const orders = new Map<string, OrderRow>()
  // By order, in ascending order of their ids.
  const jobs = new Map<string, readonly JobRow[]>()
  const finished = new Map<number, MemoryJob>()
  // By the key of the delivery, which its resends share.
  const attempts = new Map<string, readonly StartedAttempt[]>()
  const manualRequests = new Map<number, ManualRequest>()
  const endpoints = memoryEndpoints()
  let lastId = 0

  const allJobs = (): readonly JobRow[] => [...jobs.values()].flat().sort(byId)
  const jobsOf = (orderRef: string): readonly JobRow[] => jobs.get(orderRef) ?? []
  const startedOf = ({ effect }: MemoryJob) => attempts.get(effect.key) ?? []
  const attemptsOf = (job: MemoryJob): readonly Attempt[] =>
    startedOf(job).flatMap(({ outcome, ...each }) =>
      outcome === null ? [] : [{ ...each, outcome }],
    )

  const removeJob = ({ id, orderRef }: MemoryJob): void =>
    put(
      jobs,
      orderRef,
      jobsOf(orderRef).filter((each) => each.id !== id),
    )

  const insertJob = (job: JobRow): void =>
    put(jobs, job.orderRef, [...jobsOf(job.orderRef), job].sort(byId))

  const addJob = (job: Omit<JobRow, 'id'>): number => {
    lastId += 1
    insertJob({ ...job, id: lastId })
    return lastId
  }

  const isListed = (job: MemoryJob): boolean => isDelivery(job) && !job.isResend

  /** The deliveries of an order, or of all orders, in any state and without resends. */
  const deliveries = (orderRef?: string): readonly MemoryJob[] =>
    [...finished.values(), ...(orderRef === undefined ? allJobs() : jobsOf(orderRef))]
      .filter((job) => isListed(job) && (orderRef === undefined || job.orderRef === orderRef))
      .sort(byId)

  const deliveryOf = ({ orderRef, effect }: JobRow): MemoryJob | undefined =>
    deliveries(orderRef).find((each) => each.effect.key === effect.key)

  const isBeingResent = ({ orderRef, effect }: MemoryJob): boolean =>
    jobsOf(orderRef).some((job) => job.isResend && job.effect.key === effect.key)

  const finishDelivery = (delivery: MemoryJob, as: FinalStatus): void => {
    removeJob(delivery)
    put(finished, delivery.id, { ...delivery, state: as, token: null })
  }

  const finishResend = (resend: JobRow, as: FinalStatus): void => {
    removeJob(resend)
    const delivery = deliveryOf(resend)
    const wasAccepted = as === 'delivered' || as === 'unsupported'
    // If the delivery is back in its lane by now, it finishes there.
    if (delivery === undefined || isUnfinished(delivery) || delivery.state === 'delivered') return
    if (wasAccepted) finishDelivery(delivery, as)
  }

  const markResendStuck = (resend: JobRow): void => {
    removeJob(resend)
    const delivery = deliveryOf(resend)
    if (delivery === undefined || isUnfinished(delivery)) return
    removeJob(delivery)
    put(finished, delivery.id, undefined)
    insertJob({ ...delivery, state: 'stuck', message: resend.message })
  }

  const replaceJob = (job: JobRow): void =>
    put(
      jobs,
      job.orderRef,
      jobsOf(job.orderRef).map((each) => (each.id === job.id ? job : each)),
    )

  const putJob = (job: JobRow): void => {
    const requestedAt = manualRequests.get(job.id)?.at ?? job.dueAt
    if (job.isResend && job.state === 'stuck') markResendStuck(job)
    else if (job.state === 'pending')
      replaceJob({ ...job, dueAt: Math.min(job.dueAt, requestedAt) })
    else replaceJob(job)
  }

  const attemptRows: AttemptRows = {
    start: (job, at) => {
      const earlier = startedOf(job)
      const n = (earlier.at(-1)?.n ?? 0) + 1
      const trigger = manualRequests.get(job.id)?.by ?? 'schedule'
      if (!job.isResend) put(manualRequests, job.id, undefined)
      put(attempts, job.effect.key, [...earlier, { n, trigger, startedAt: at, ...NOT_ENDED }])
      return n
    },
    end: (job, outcome, report) => {
      const changed = startedOf(job).map((each) =>
        each.n === job.attempts ? { ...each, ...report, outcome } : each,
      )
      put(attempts, job.effect.key, changed)
      const ended = changed.find(({ n }) => n === job.attempts)
      if (ended !== undefined) endpoints.noteAttempt(job, ended.startedAt, report)
    },
    undo: (job) => {
      const undone = startedOf(job).find(({ n }) => n === job.attempts)
      put(
        attempts,
        job.effect.key,
        startedOf(job).filter((each) => each !== undone),
      )
      if (undone === undefined || undone.trigger === 'schedule') return
      if (!manualRequests.has(job.id))
        put(manualRequests, job.id, { by: undone.trigger, at: job.dueAt })
    },
  }

  const rows: Rows = {
    order: (orderRef) => orders.get(orderRef),
    orderHolding: (merchantRef, reference) =>
      [...orders.values()].find(
        (row) => row.merchantRef === merchantRef && row.reference === reference,
      )?.orderRef,
    putOrder: (row) => {
      put(orders, row.orderRef, row)
    },
    jobs: (orderRef) => (orderRef === undefined ? allJobs() : jobsOf(orderRef)),
    addJob: (job) => void addJob(job),
    putJob,
    dropJob: (job, as) => {
      put(manualRequests, job.id, undefined)
      if (job.isResend) finishResend(job, as)
      else if (isDelivery(job)) finishDelivery(job, as)
      else removeJob(job)
    },
    transaction,
    attempts: attemptRows,
    isGood: (merchantRef, kind) => endpoints.isGood(merchantRef, kind) === true,
    noteGood: endpoints.noteGoodness,
  }

  return {
    rows,
    endpoints,
    deliveries,
    attemptsOf,
    isBeingResent,
    orders: (): readonly OrderRow[] => [...orders.values()],

    /**
     * Makes an unfinished delivery due now, with the jobs ahead of it. Adds a resend of another,
     * unless there is one already.
     */
    resend: (delivery: MemoryJob, by: ManualTrigger, at: number): void => {
      const { id, orderRef, effect } = delivery
      if (isUnfinished(delivery)) {
        const request = manualRequests.get(id)
        put(manualRequests, id, {
          by: request?.by ?? by,
          at: Math.min(request?.at ?? at, delivery.dueAt, at),
        })
        for (const job of jobsOf(orderRef))
          if (job.effect.lane === effect.lane && !job.isResend && job.state === 'pending')
            putJob({ ...job, dueAt: Math.min(job.dueAt, at) })
      } else if (!isBeingResent(delivery)) {
        const resendId = addJob({
          ...delivery,
          effect: { ...effect, dueAt: at, expiresAt: null, excludes: null },
          isResend: true,
          state: 'pending',
          createdAt: at,
          dueAt: at,
        })
        put(manualRequests, resendId, { by, at })
      }
    },

    dropDelivery: ({ id, effect }: MemoryJob): void => {
      put(finished, id, undefined)
      put(attempts, effect.key, undefined)
    },
  }
}

/** Rows that end with the process. */
export const memoryRows = (): Rows => memoryTables().rows
