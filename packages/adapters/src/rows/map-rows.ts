// Rows in a map, which ends with the process.
import type { OrderRow, Rows } from './rows.ts'

/** Replaces rows of the map, and never changes one in place. By their `ref`. */
export const mapRows = (orders: Map<string, OrderRow>): Rows => {
  const all = (): readonly OrderRow[] => [...orders.values()]
  return {
    read: (by) => {
      if ('ref' in by) return orders.get(by.ref)
      return 'id' in by
        ? all().find(({ id }) => id === by.id)
        : all().find(
            ({ merchantRef, reference }) =>
              merchantRef === by.merchantRef && reference === by.reference,
          )
    },
    lastId: () => orders.size,
    list: (which) =>
      all().filter(({ dueAt, isStuck }) =>
        which === 'stuck' ? isStuck : dueAt !== null && dueAt <= which.until,
      ),
    put: (row) => void orders.set(row.ref, row),
    transaction: (run) => {
      const before = new Map(orders)
      try {
        return run()
      } catch (cause) {
        orders.clear()
        for (const [ref, row] of before) orders.set(ref, row)
        throw cause
      }
    },
  }
}
