// The jobs of the memory store, by order. Finished jobs stay with their order, so that deliveries can be listed.
import { queueNameOf } from '@plazo/core'
import { isUnfinished, type MemoryJob } from './job.ts'

type NewJob = Pick<
  MemoryJob,
  'effect' | 'orderRef' | 'merchantRef' | 'account' | 'state' | 'madeAt' | 'resendOf' | 'cause' | 'firstAt'
>

type JobTable = {
  /** Jobs that may be due, are in flight or are stuck, in the order in which they were added. */
  readonly live: Set<MemoryJob>
  /** In the order in which they were added. */
  readonly ofOrder: (orderRef: string) => readonly MemoryJob[]
  readonly unfinishedIn: (orderRef: string, lane: string | null) => readonly MemoryJob[]
  readonly insert: (own: NewJob) => MemoryJob
  readonly removeFromOrder: (job: MemoryJob) => void
  readonly drop: (job: MemoryJob) => void
}

export const createJobTable = (): JobTable => {
  const byOrder = new Map<string, MemoryJob[]>()
  const live = new Set<MemoryJob>()
  let added = 0

  const ofOrder = (orderRef: string): readonly MemoryJob[] => byOrder.get(orderRef) ?? []

  const unfinishedIn = (orderRef: string, lane: string | null): readonly MemoryJob[] =>
    ofOrder(orderRef).filter((job) => job.lane === lane && isUnfinished(job))

  const insert = (own: NewJob): MemoryJob => {
    const job: MemoryJob = {
      id: ++added,
      kind: queueNameOf(own.effect.work.kind),
      lane: own.resendOf === null ? own.effect.lane : null,
      attemptRecords: [],
      dueAt: own.effect.dueAt,
      attempts: 0,
      share: null,
      attempt: 0,
      token: null,
      leaseUntil: 0,
      isRevoked: false,
      message: null,
      ...own,
    }
    byOrder.set(own.orderRef, [...ofOrder(own.orderRef), job])
    live.add(job)
    return job
  }

  const removeFromOrder = (job: MemoryJob): void => {
    byOrder.set(
      job.orderRef,
      ofOrder(job.orderRef).filter((each) => each !== job),
    )
  }

  const drop = (job: MemoryJob): void => {
    live.delete(job)
    removeFromOrder(job)
  }

  return { live, ofOrder, unfinishedIn, insert, removeFromOrder, drop }
}
