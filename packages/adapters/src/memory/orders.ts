// Lists of orders in memory: filters go over all orders, and nothing has to be indexed.
import type { JournalLine, OperatorTask, Order, OrderFilter } from '@plazo/core'
import { matchesFilter, type OrderLists, operatorTaskOf } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { MemoryJob } from './job-table.ts'
import { type MemoryOutbox, runOrUnavailable } from './outbox.ts'

type ListedOrder = { readonly order: Order; readonly journal: readonly JournalLine[] }

const isFailing = (job: MemoryJob): boolean => {
  if (job.queue === 'work' || job.resendOf !== null) return false
  const failures = job.attempts - (job.state === 'claimed' ? 1 : 0)
  return (
    job.state === 'exhausted' ||
    (failures > 0 &&
      (job.state === 'pending' ||
        job.state === 'claimed' ||
        (job.state === 'stopped' && job.queue === 'ipn')))
  )
}

const waitsSince = ({ journal }: ListedOrder, task: OperatorTask): number =>
  journal.findLast(({ from, to }) => operatorTaskOf(from) !== task && operatorTaskOf(to) === task)
    ?.at ?? 0

/** `all`: in the order in which they were placed. */
export const memoryOrders = (
  { ofOrder }: MemoryOutbox,
  all: () => readonly ListedOrder[],
): OrderLists => {
  const numberOrders = () => all().map((listed, index) => ({ number: index + 1, ...listed }))

  const findMatching = (filter: OrderFilter) =>
    numberOrders().filter(
      ({ order }) =>
        matchesFilter(order, filter) &&
        (!filter.isFailing || ofOrder(order.placed.orderRef).some(isFailing)),
    )

  const waitingFor = (merchantRef: string | null) =>
    numberOrders().flatMap((listed) => {
      const task = operatorTaskOf(listed.order.state)
      const isOfMerchant = merchantRef === null || listed.order.placed.merchant.ref === merchantRef
      return task === null || !isOfMerchant
        ? []
        : [{ ...listed, task, since: waitsSince(listed, task) }]
    })

  return {
    search: (filter, from, limit) =>
      runOrUnavailable(() => {
        const older = findMatching(filter)
          .filter(({ number }) => from === null || number < from)
          .reverse()
        const page = older.slice(0, limit)
        return E.right({
          orders: page.map(({ order }) => order),
          next: older.length > limit ? (page.at(-1)?.number ?? null) : null,
          lookedBackTo: null,
        })
      }),

    count: (filter) =>
      runOrUnavailable(() => E.right({ count: findMatching(filter).length, isExact: true })),

    waiting: (task, merchantRef, after, limit) =>
      runOrUnavailable(() =>
        E.right(
          waitingFor(merchantRef)
            .filter((each) => each.task === task && each.number > (after ?? 0))
            .slice(0, limit)
            .map(({ order, since, number }) => ({ order, since, position: number })),
        ),
      ),

    countWaiting: (merchantRef) =>
      runOrUnavailable(() =>
        E.right(
          [...Map.groupBy(waitingFor(merchantRef), ({ task }) => task)].map(([task, listed]) => ({
            task,
            count: listed.length,
            isExact: true,
            since: Math.min(...listed.map(({ since }) => since)),
          })),
        ),
      ),

    unindexedCount: () => runOrUnavailable(() => E.right(0)),
    indexBatch: () => runOrUnavailable(() => E.right({ count: 0, next: null })),
  }
}
