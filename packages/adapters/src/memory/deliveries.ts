// Deliveries of the memory store: lists them with their attempts, resends and recovers them.
import {
  type Deliveries,
  type Delivery,
  type DeliveryNotFound,
  RESPONSES_SHOWN,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { deliveryNotFound, publicDeliveryState, selectRecoverable } from '../sql/delivery-view.ts'
import { lastTriedAt, type MemoryJob, type MemoryTables, type RunInTables } from './tables.ts'

/** `write`: runs a change that makes jobs due. */
export const memoryDeliveries = (
  { deliveries, attemptsOf, resend }: MemoryTables,
  read: RunInTables,
  write: RunInTables,
): Deliveries => {
  const toDelivery = (job: MemoryJob, responses = RESPONSES_SHOWN): Delivery => {
    const { payload, key } = job.effect
    const state = publicDeliveryState(job.state)
    const attempts = attemptsOf(job)
    return {
      id: key,
      event: payload.kind === 'event' ? payload.event : 'ipn',
      orderRef: job.orderRef,
      merchantRef: job.merchantRef,
      state,
      dueAt: state === 'pending' ? job.dueAt : null,
      attempts: attempts.map((attempt, index) =>
        index < attempts.length - responses ? { ...attempt, response: null } : attempt,
      ),
    }
  }

  const ofMerchant = (ref: string): readonly MemoryJob[] =>
    deliveries().filter(({ merchantRef }) => merchantRef === ref)

  const findDelivery = (merchantRef: string, id: string): E.Either<DeliveryNotFound, MemoryJob> =>
    E.fromNullable(deliveryNotFound)(
      ofMerchant(merchantRef).find(({ effect }) => effect.key === id),
    )

  return {
    list: ({ merchantRef, orderRef, state, before, limit, responses }) =>
      read(() => {
        const cursor = before === null ? E.right(null) : findDelivery(merchantRef, before)
        if (E.isLeft(cursor)) return cursor
        const end = cursor.right?.id ?? Number.POSITIVE_INFINITY
        const matching = ofMerchant(merchantRef).filter(
          (job) =>
            job.id < end &&
            (orderRef === null || job.orderRef === orderRef) &&
            (state === null || publicDeliveryState(job.state) === state),
        )
        return E.right(matching.slice(-limit).map((job) => toDelivery(job, responses)))
      }),
    exhausted: (limit) =>
      read(() =>
        E.right(
          deliveries()
            .filter(({ state }) => state === 'exhausted')
            .slice(-limit)
            .map((job) => toDelivery(job))
            .reverse(),
        ),
      ),
    find: (merchantRef, id) =>
      read(() => E.map((job: MemoryJob) => toDelivery(job))(findDelivery(merchantRef, id))),
    resend: (merchantRef, id, at) =>
      write(() =>
        E.map((job: MemoryJob) => resend(job, 'resend', at))(findDelivery(merchantRef, id)),
      ),
    recover: (request) =>
      write(() => {
        const page = ofMerchant(request.merchantRef)
          .filter(({ id, state }) => id > request.after && state !== 'delivered')
          .slice(0, request.limit)
          .map((job) => ({
            job,
            id: job.id,
            state: job.state,
            tried_at: lastTriedAt(job, attemptsOf(job)),
          }))
        const { matching, next } = selectRecoverable(page, request)
        for (const { job } of matching) resend(job, 'recover', request.at)
        return E.right({ count: matching.length, next })
      }),
  }
}
