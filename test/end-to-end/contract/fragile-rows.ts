// Rows as a host may keep them: each transaction parses a text and replaces it as a whole, so nothing
// survives between two operations but what was committed. Also rows whose writes fail, for the contract
// of durable stores.
import { mapRows, type OrderRow, type Rows, storeOver } from '@plazo/adapters/internal/rows'
import type { Store } from '@plazo/core/ports'
import { storeThrough } from './store-through.ts'

export const createJsonRows = (): Rows => {
  let text = '[]'
  const orders = new Map<string, OrderRow>()
  return {
    ...mapRows(orders),
    transaction: (run) => {
      orders.clear()
      const stored: readonly OrderRow[] = JSON.parse(text)
      for (const row of stored) orders.set(row.ref, row)
      const result = run()
      text = JSON.stringify([...orders.values()])
      return result
    },
  }
}

/** `failAt`: the n-th write from then on throws, as on a full disk. */
export const breakableRows = (rows: Rows) => {
  let writesUntilFailure = Number.POSITIVE_INFINITY
  return {
    rows: {
      ...rows,
      put: (row: OrderRow): void => {
        writesUntilFailure -= 1
        if (writesUntilFailure <= 0) throw new Error('The disk is full.')
        rows.put(row)
      },
    },
    failAt: (n: number): void => {
      writesUntilFailure = n
    },
  }
}

/**
 * Opens the store for every operation, as processes do that end after each request. Only one goes on: it
 * starts the jobs, and they tell it what they have committed.
 */
export const reopenedStore = (rows: Rows): Store => {
  const { store: worker } = storeOver(rows)
  const { claim, complete, release, nextDueAt } = worker
  const reopened = storeThrough((operate) => async () => {
    const result = await operate(storeOver({ ...rows, isGuest: true }).store)()
    worker.notifyCommitted()
    return result
  })
  return { ...reopened, claim, complete, release, nextDueAt }
}

/** For encrypted rows. */
export const MASTER_KEY = `k:${Buffer.alloc(32, 7).toString('base64')}`
