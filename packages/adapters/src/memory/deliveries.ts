// Deliveries of the memory store: lists them with their attempts, resends and recovers them.
import {
  type Deliveries,
  type Delivery,
  type DeliveryNotFound,
  RESPONSES_SHOWN,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import {
  deliveryNotFound,
  publicDeliveryState,
  readWithinByteLimit,
  responseBytes,
  selectRecoverable,
  storedStatesOf,
} from '../sql/delivery-view.ts'
import { lastTriedAt, type MemoryJob } from './job-table.ts'
import { type MemoryOutbox, runOrUnavailable } from './outbox.ts'

const toDelivery = (job: MemoryJob): Delivery => {
  const { payload, key } = job.effect
  const state = publicDeliveryState(job.state)
  return {
    id: key,
    event: payload.kind === 'event' ? payload.event : 'ipn',
    orderRef: job.orderRef,
    state,
    dueAt: state === 'pending' ? job.dueAt : null,
    attempts: job.attemptRecords.map((attempt, index) =>
      index < job.attemptRecords.length - RESPONSES_SHOWN
        ? { ...attempt, response: null }
        : attempt,
    ),
  }
}

/** `runAndNotify`: runs calls that make a job due. */
export const memoryDeliveries = (
  outbox: MemoryOutbox,
  runAndNotify: typeof runOrUnavailable,
): Deliveries => {
  const ofMerchant = (ref: string): readonly MemoryJob[] =>
    outbox.deliveries().filter(({ merchantRef }) => merchantRef === ref)

  const findDelivery = (merchantRef: string, id: string): E.Either<DeliveryNotFound, MemoryJob> =>
    E.fromNullable(deliveryNotFound)(
      ofMerchant(merchantRef).find(({ effect }) => effect.key === id),
    )

  return {
    list: ({ merchantRef, orderRef, state, before, limit, answerBytes }) =>
      runOrUnavailable(() => {
        const cursor = before === null ? E.right(null) : findDelivery(merchantRef, before)
        if (E.isLeft(cursor)) return cursor
        const end = cursor.right?.id ?? Number.POSITIVE_INFINITY
        const states = storedStatesOf(state)
        const matching = ofMerchant(merchantRef).filter(
          (job) =>
            job.id < end &&
            (orderRef === null || job.orderRef === orderRef) &&
            states.includes(job.state),
        )
        const newestFirst = matching.slice(-limit).reverse()
        return E.right(
          readWithinByteLimit(newestFirst, toDelivery, responseBytes, answerBytes).toReversed(),
        )
      }),
    find: (merchantRef, id) =>
      runOrUnavailable(() => E.map(toDelivery)(findDelivery(merchantRef, id))),
    resend: (merchantRef, id, at) =>
      runAndNotify(() =>
        E.map((job: MemoryJob) => outbox.resend(job, 'resend', at))(findDelivery(merchantRef, id)),
      ),
    recover: (request) =>
      runAndNotify(() => {
        const page = ofMerchant(request.merchantRef)
          .filter(({ id, state }) => id > request.after && state !== 'delivered')
          .slice(0, request.limit)
          .map((job) => ({ job, id: job.id, state: job.state, tried_at: lastTriedAt(job) }))
        const { matching, next } = selectRecoverable(page, request)
        for (const { job } of matching) outbox.resend(job, 'recover', request.at)
        return E.right({ count: matching.length, next })
      }),
  }
}
