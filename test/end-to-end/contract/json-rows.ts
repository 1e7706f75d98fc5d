// A database that is one JSON text. Each transaction reads the text and replaces it as a whole, so
// nothing survives between two operations but what was committed.
import { type JobRow, type OrderRow, type Rows, storeOver } from '@plazo/adapters/rows'
import { heldReference, type Store } from '@plazo/core/ports'

type Database = {
  readonly orders: Record<string, OrderRow>
  jobs: JobRow[]
  lastId: number
}

export const createJsonRows = () => {
  let text = JSON.stringify({ orders: {}, jobs: [], lastId: 0 })
  let data: Database = JSON.parse(text)
  let writesUntilFailure = Number.POSITIVE_INFINITY

  const countWrite = (): void => {
    writesUntilFailure -= 1
    if (writesUntilFailure <= 0) throw new Error('The disk is full.')
  }

  const rows: Rows = {
    order: (orderRef) => data.orders[orderRef],
    orderHolding: (merchantRef, reference) =>
      Object.values(data.orders).find(
        ({ order }) =>
          order.placed.merchant.ref === merchantRef && heldReference(order) === reference,
      ),
    putOrder: (row) => {
      countWrite()
      data.orders[row.order.placed.orderRef] = row
    },
    jobs: (orderRef) =>
      data.jobs.filter((job) => orderRef === undefined || job.orderRef === orderRef),
    addJob: (job) => {
      countWrite()
      data.lastId += 1
      data.jobs.push({ ...job, id: data.lastId })
    },
    putJob: (job) => {
      countWrite()
      data.jobs = data.jobs.map((each) => (each.id === job.id ? job : each))
    },
    dropJob: ({ id }) => {
      countWrite()
      data.jobs = data.jobs.filter((each) => each.id !== id)
    },
    transaction: (run) => {
      data = JSON.parse(text)
      const result = run()
      text = JSON.stringify(data)
      return result
    },
  }
  return {
    rows,
    failAt: (n: number): void => {
      writesUntilFailure = n
    },
  }
}

/** Opens the store for every operation, as a host does whose process ends after each request. */
export const reopenedStore = (rows: Rows, realNow: () => number): Store => {
  const open = () => storeOver(rows, realNow)
  return {
    place: (...args) => open().place(...args),
    read: (...args) => open().read(...args),
    findByReference: (...args) => open().findByReference(...args),
    journal: (...args) => open().journal(...args),
    step: (...args) => open().step(...args),
    claim: (...args) => open().claim(...args),
    complete: (...args) => open().complete(...args),
    release: (...args) => open().release(...args),
    nextDueAt: () => open().nextDueAt(),
    stuckJobs: () => open().stuckJobs(),
    retryStuckJob: (...args) => open().retryStuckJob(...args),
  }
}
