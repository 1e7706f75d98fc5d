// The rows of the memory store: maps of values that are never changed in place, so that a failed
// transaction is undone by putting the former values back.
import { heldReference } from '@plazo/core/ports'
import type { JobRow, OrderRow, Rows } from '../rows/rows.ts'

/** Rows that end with the process. */
export const memoryRows = (): Rows => {
  const orders = new Map<string, OrderRow>()
  const jobsByOrder = new Map<string, readonly JobRow[]>()
  let lastId = 0
  let undo: (() => void)[] = []

  const put = <A>(map: Map<string, A>, key: string, value: A): void => {
    const before = map.get(key)
    undo.push(() => (before === undefined ? map.delete(key) : map.set(key, before)))
    map.set(key, value)
  }

  const jobsOf = (orderRef: string): readonly JobRow[] => jobsByOrder.get(orderRef) ?? []

  return {
    order: (orderRef) => orders.get(orderRef),
    orderHolding: (merchantRef, reference) =>
      [...orders.values()].find(
        ({ order }) =>
          order.placed.merchant.ref === merchantRef && heldReference(order) === reference,
      ),
    putOrder: (row) => put(orders, row.order.placed.orderRef, row),
    jobs: (orderRef) =>
      orderRef === undefined
        ? [...jobsByOrder.values()].flat().sort((a, b) => a.id - b.id)
        : jobsOf(orderRef),
    addJob: (job) => {
      lastId += 1
      put(jobsByOrder, job.orderRef, [...jobsOf(job.orderRef), { ...job, id: lastId }])
    },
    putJob: (job) =>
      put(
        jobsByOrder,
        job.orderRef,
        jobsOf(job.orderRef).map((each) => (each.id === job.id ? job : each)),
      ),
    dropJob: ({ id, orderRef }) =>
      put(
        jobsByOrder,
        orderRef,
        jobsOf(orderRef).filter((each) => each.id !== id),
      ),
    transaction: (run) => {
      undo = []
      try {
        return run()
      } catch (cause) {
        for (const putBack of undo.toReversed()) putBack()
        throw cause
      }
    },
  }
}
