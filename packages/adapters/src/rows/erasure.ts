// Erases a shopper in rows. An order without jobs is one row, so replacing the row is the whole
// erasure; only backups and freed pages of the database still have the former one.
import { orderNotFound, type ShopperErasure } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { runInRows, type StoreRows } from './rows.ts'

/** Encrypted rows get a new data key with the erasure, so the former row is then unreadable. */
export const erasureOver = (rows: StoreRows): ShopperErasure => ({
  erase: (orderRef, decide) =>
    runInRows(rows, () => {
      const stored = rows.order(orderRef)
      if (stored === undefined) return E.left(orderNotFound)
      const isRepeated = stored.payload === null
      const hasInputs = stored.journal.some(({ input }) => input !== null)
      if (isRepeated && !hasInputs) return E.right('already_erased')
      const decided = decide(stored.order)
      if (E.isLeft(decided)) return decided
      const lanes = rows.jobs(orderRef).map(({ effect }) => effect.lane)
      if (lanes.length > 0) return E.left({ _tag: 'StillPending', lanes: lanes.toSorted() })
      const { order, journal } = decided.right
      const lines = stored.journal.map((line) => ({ ...line, input: null }))
      rows.forgetKey?.(orderRef)
      rows.putOrder({ ...stored, order, payload: null, journal: [...lines, ...journal] })
      return E.right(isRepeated ? 'already_erased' : 'erased')
    }),
})
