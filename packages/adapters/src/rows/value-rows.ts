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

/** `host.value` is replaced by each write, and never changed in place. */
export const valueRows = <Row extends OrderKeys = OrderRow>(host: {
  value: RowsValue<Row>
}): Rows<Row> => ({
  order: (orderRef) => host.value.orders.find((row) => row.orderRef === orderRef),
  orderHolding: (merchantRef, reference) =>
    host.value.orders.find((row) => row.merchantRef === merchantRef && row.reference === reference)
      ?.orderRef,
  putOrder: (row) => {
    const others = host.value.orders.filter(({ orderRef }) => orderRef !== row.orderRef)
    host.value = { ...host.value, orders: [...others, row] }
  },
  jobs: (orderRef) =>
    host.value.jobs.filter((job) => orderRef === undefined || job.orderRef === orderRef),
  addJob: (job) => {
    const { jobs, lastId } = host.value
    const id = lastId + 1
    host.value = { ...host.value, jobs: [...jobs, { ...job, id }], lastId: id }
  },
  putJob: (job) => {
    const jobs = host.value.jobs.map((each) => (each.id === job.id ? job : each))
    host.value = { ...host.value, jobs }
  },
  dropJob: ({ id }) => {
    host.value = { ...host.value, jobs: host.value.jobs.filter((each) => each.id !== id) }
  },
  transaction: (run) => {
    const before = host.value
    try {
      return run()
    } catch (cause) {
      host.value = before
      throw cause
    }
  },
})
