// Lists of orders in memory: filters go over all orders, and nothing has to be indexed.
import type { OperatorTask, OrderFilter } from '@plazo/core'
import {
  matchesFilter,
  type OrderLists,
  type OrderModel,
  operatorTaskOf,
  queueNameOf,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { OrderRow } from '../rows/rows.ts'
import type { MemoryJob, MemoryTables, RunInTables } from './tables.ts'

const waitsSince = ({ journal }: OrderRow, task: OperatorTask, model: OrderModel): number =>
  journal.findLast(
    ({ from, to }) => operatorTaskOf(from, model) !== task && operatorTaskOf(to, model) === task,
  )?.at ?? 0

export const memoryOrders = (
  tables: MemoryTables,
  run: RunInTables,
  model: OrderModel,
): OrderLists => {
  const isFailing = (job: MemoryJob): boolean => {
    const failures = tables.attemptsOf(job).length
    const isIpn = queueNameOf(job.effect.payload.kind) === 'ipn'
    if (job.state === 'exhausted') return true
    if (job.state === 'stopped' && !isIpn) return false
    return failures > 0 && ['pending', 'claimed', 'stopped'].includes(job.state)
  }

  const numberOrders = () =>
    tables.orders().map((listed, index) => ({ number: index + 1, ...listed }))

  const findMatching = (filter: OrderFilter) =>
    numberOrders().filter(
      ({ order }) =>
        matchesFilter(order, filter, model) &&
        (!filter.isFailing || tables.deliveries(order.placed.orderRef).some(isFailing)),
    )

  const waitingFor = (merchantRef: string | null) =>
    numberOrders().flatMap((listed) => {
      const task = operatorTaskOf(listed.order.state, model)
      const isOfMerchant = merchantRef === null || listed.order.placed.merchant.ref === merchantRef
      return task === null || !isOfMerchant
        ? []
        : [{ ...listed, task, since: waitsSince(listed, task, model) }]
    })

  return {
    search: (filter, from, limit) =>
      run(() => {
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

    count: (filter) => run(() => E.right({ count: findMatching(filter).length, isExact: true })),

    waiting: (task, merchantRef, after, limit) =>
      run(() =>
        E.right(
          waitingFor(merchantRef)
            .filter((each) => each.task === task && each.number > (after ?? 0))
            .slice(0, limit)
            .map(({ order, since, number }) => ({ order, since, position: number })),
        ),
      ),

    countWaiting: (merchantRef, max) =>
      run(() =>
        E.right(
          [...Map.groupBy(waitingFor(merchantRef), ({ task }) => task)].map(([task, listed]) => ({
            task,
            count: Math.min(listed.length, max),
            isExact: listed.length <= max,
            since: Math.min(...listed.map(({ since }) => since)),
          })),
        ),
      ),
  }
}
