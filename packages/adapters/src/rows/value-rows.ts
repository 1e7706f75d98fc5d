// Rows of one JSON value, for hosts that keep an order as a value, such as a workflow engine.
import type { JobRow, OrderKeys, OrderRow, Rows } from './rows.ts'

/** JSON. Its orders and jobs are the host's to store, not to change. */
export type RowsValue<Row extends OrderKeys = OrderRow> = {
  readonly orders: readonly Row[]
  readonly jobs: readonly JobRow[]
  readonly lastId: number
}

/** Of a host that has stored nothing yet. */
export const EMPTY_VALUE: RowsValue<never> = { orders: [], jobs: [], lastId: 0 }

/** `value()`: what the last transaction has left. Values are replaced, never changed in place. */
export const valueRows = <Row extends OrderKeys = OrderRow>(
  initial: RowsValue<Row> = EMPTY_VALUE,
): Rows<Row> & { readonly value: () => RowsValue<Row> } => {
  let value = initial
  return {
    value: () => value,
    order: (orderRef) => value.orders.find((row) => row.orderRef === orderRef),
    orderHolding: (merchantRef, reference) =>
      value.orders.find((row) => row.merchantRef === merchantRef && row.reference === reference),
    putOrder: (row) => {
      const others = value.orders.filter(({ orderRef }) => orderRef !== row.orderRef)
      value = { ...value, orders: [...others, row] }
    },
    jobs: (orderRef) =>
      value.jobs.filter((job) => orderRef === undefined || job.orderRef === orderRef),
    addJob: (job) => {
      const id = value.lastId + 1
      value = { ...value, jobs: [...value.jobs, { ...job, id }], lastId: id }
    },
    putJob: (job) => {
      value = { ...value, jobs: value.jobs.map((each) => (each.id === job.id ? job : each)) }
    },
    dropJob: ({ id }) => {
      value = { ...value, jobs: value.jobs.filter((each) => each.id !== id) }
    },
    transaction: (run) => {
      const before = value
      try {
        return run()
      } catch (cause) {
        value = before
        throw cause
      }
    },
  }
}
