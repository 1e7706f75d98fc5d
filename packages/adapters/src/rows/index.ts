// @plazo/adapters/rows: a store over eight functions of your database, for hosts that have neither
// SQLite nor PostgreSQL.
//
// ```ts
// import { type JobRow, type OrderRow, type Rows, storeOver } from '@plazo/adapters/rows'
// import { heldReference } from '@plazo/core/ports'
//
// let orders: Readonly<Record<string, OrderRow>> = {}
// let jobs: readonly JobRow[] = []
// let lastId = 0
// const rows: Rows = {
//   order: (orderRef) => orders[orderRef],
//   orderHolding: (merchantRef, reference) =>
//     Object.values(orders).find(
//       ({ order }) =>
//         order.placed.merchant.ref === merchantRef && heldReference(order) === reference,
//     ),
//   putOrder: (row) => {
//     orders = { ...orders, [row.order.placed.orderRef]: row }
//   },
//   jobs: (orderRef) =>
//     orderRef === undefined ? jobs : jobs.filter((job) => job.orderRef === orderRef),
//   addJob: (job) => {
//     lastId += 1
//     jobs = [...jobs, { ...job, id: lastId }]
//   },
//   putJob: (job) => {
//     jobs = jobs.map((each) => (each.id === job.id ? job : each))
//   },
//   dropJob: ({ id }) => {
//     jobs = jobs.filter((each) => each.id !== id)
//   },
//   transaction: (run) => {
//     const before = { orders, jobs, lastId }
//     try {
//       return run()
//     } catch (cause) {
//       ;({ orders, jobs, lastId } = before)
//       throw cause
//     }
//   },
// }
// const store = storeOver(rows, Date.now)
// console.log(await store.nextDueAt()()) // Right: null, because no job waits
// ```

export type { AttemptRows, JobRow, OrderRow, Rows } from './rows.ts'
export { storeOver } from './store-over.ts'
