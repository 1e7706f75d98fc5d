// Rows of a JSON value as a host stores them: each transaction parses the text and replaces it as a
// whole, so nothing survives between two operations but what was committed. Also rows whose writes
// fail, for the contract of durable stores.
import {
  EMPTY_VALUE,
  type OrderKeys,
  type Rows,
  type RowsValue,
  valueRows,
} from '@plazo/adapters/rows'
import type { Store } from '@plazo/core/ports'
import { storeThrough } from './store-through.ts'

export const createJsonRows = <Row extends OrderKeys>(): Rows<Row> => {
  let text = JSON.stringify(EMPTY_VALUE)
  const host: { value: RowsValue<Row> } = { value: EMPTY_VALUE }
  const rows = valueRows(host)
  return {
    ...rows,
    transaction: (run) => {
      host.value = JSON.parse(text)
      const result = run()
      text = JSON.stringify(host.value)
      return result
    },
  }
}

/** `failAt`: the n-th write from then on throws, as on a full disk. */
export const breakableRows = <Row extends OrderKeys>(rows: Rows<Row>) => {
  let writesUntilFailure = Number.POSITIVE_INFINITY
  const breakable =
    <Values extends readonly unknown[]>(write: (...values: Values) => void) =>
    (...values: Values): void => {
      writesUntilFailure -= 1
      if (writesUntilFailure <= 0) throw new Error('The disk is full.')
      write(...values)
    }
  return {
    rows: {
      ...rows,
      putOrder: breakable(rows.putOrder),
      addJob: breakable(rows.addJob),
      putJob: breakable(rows.putJob),
      dropJob: breakable(rows.dropJob),
    },
    failAt: (n: number): void => {
      writesUntilFailure = n
    },
  }
}

type OpenedOnce = { readonly store: Store; readonly close: () => void }

/** Opens the store for every operation, as a host does whose process ends after each request. */
export const reopenedStore = (open: () => OpenedOnce): Store =>
  storeThrough((operate) => async () => {
    const { store, close } = open()
    const result = await operate(store)()
    close()
    return result
  })

/** For encrypted rows. */
export const MASTER_KEY = `k:${Buffer.alloc(32, 7).toString('base64')}`
