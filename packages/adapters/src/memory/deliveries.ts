// Deliveries of the memory store: lists them with their attempts, resends and recovers them.
import {
  type Deliveries,
  type Delivery,
  type DeliveryNotFound,
  type DeliveryState,
  isRecoverable,
  type ManualTrigger,
  RESPONSES_SHOWN,
  type Unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { deliveryNotFound, publicDeliveryState, readWithinByteLimit, responseBytes } from '../sql/delivery-view.ts'
import type { MemoryJob } from './job-table.ts'

type MemoryDeliveriesParts = {
  /** In the order in which they were added. */
  readonly jobs: () => readonly MemoryJob[]
  readonly expedite: (job: MemoryJob, at: number) => void
  readonly addResend: (job: MemoryJob, by: ManualTrigger, at: number) => void
  readonly runOrUnavailable: <Err, A>(run: () => E.Either<Err, A>) => TaskEither<Err | Unavailable, A>
  /** The same, for calls that make a job due. */
  readonly runAndNotify: MemoryDeliveriesParts['runOrUnavailable']
}

const stateOf = ({ state }: MemoryJob): DeliveryState => publicDeliveryState(state)

const toDelivery = (job: MemoryJob): Delivery => {
  const { payload, key } = job.effect
  const state = stateOf(job)
  return {
    id: key,
    event: payload.kind === 'event' ? payload.event : 'ipn',
    orderRef: job.orderRef,
    state,
    dueAt: state === 'pending' ? job.dueAt : null,
    attempts: job.attemptRecords.map((attempt, index) =>
      index < job.attemptRecords.length - RESPONSES_SHOWN ? { ...attempt, response: null } : attempt,
    ),
  }
}

export const memoryDeliveries = ({
  jobs,
  expedite,
  addResend,
  runOrUnavailable,
  runAndNotify,
}: MemoryDeliveriesParts): Deliveries => {
  const ofMerchant = (ref: string): readonly MemoryJob[] =>
    jobs().filter(({ merchantRef, queue, resendOf }) => merchantRef === ref && queue !== 'work' && resendOf === null)

  const findDelivery = (merchantRef: string, id: string): E.Either<DeliveryNotFound, MemoryJob> =>
    E.fromNullable(deliveryNotFound)(ofMerchant(merchantRef).find(({ effect }) => effect.key === id))

  const resendDelivery = (job: MemoryJob, by: ManualTrigger, at: number): void => {
    if (stateOf(job) !== 'pending') addResend(job, by, at)
    else {
      job.cause ??= by
      job.dueAt = Math.min(job.dueAt, at)
      expedite(job, at)
    }
  }

  const triedAt = ({ attemptRecords, madeAt }: MemoryJob): number => attemptRecords.at(-1)?.startedAt ?? madeAt

  return {
    list: ({ merchantRef, orderRef, state, before, limit, answerBytes }) =>
      runOrUnavailable(() => {
        const cursor = before === null ? E.right(null) : findDelivery(merchantRef, before)
        if (E.isLeft(cursor)) return cursor
        const end = cursor.right?.id ?? Number.POSITIVE_INFINITY
        const matching = ofMerchant(merchantRef).filter(
          (job) =>
            job.id < end &&
            (orderRef === null || job.orderRef === orderRef) &&
            (state === null || stateOf(job) === state),
        )
        const newestFirst = matching.slice(-limit).reverse()
        return E.right(readWithinByteLimit(newestFirst, toDelivery, responseBytes, answerBytes).toReversed())
      }),
    find: (merchantRef, id) => runOrUnavailable(() => E.map(toDelivery)(findDelivery(merchantRef, id))),
    resend: (merchantRef, id, at) =>
      runAndNotify(() => E.map((job: MemoryJob) => resendDelivery(job, 'resend', at))(findDelivery(merchantRef, id))),
    recover: ({ merchantRef, since, at, after, limit }) =>
      runAndNotify(() => {
        const page = ofMerchant(merchantRef)
          .filter(({ id, state }) => id > after && state !== 'delivered')
          .slice(0, limit)
        const matching = page.filter(
          (job) => isRecoverable(stateOf(job)) && triedAt(job) >= since && triedAt(job) <= at,
        )
        for (const job of matching) resendDelivery(job, 'recover', at)
        const last = page.at(-1)
        return E.right({ count: matching.length, next: page.length < limit || last === undefined ? null : last.id })
      }),
  }
}
