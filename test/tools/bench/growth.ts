// Measures whole orders per second with few and with many stored orders: what a server loses after
// a long time.
import { manyOrder } from '../../harness/many-orders.ts'
import { openStoreAt } from './open-store.ts'
import { measureOrders } from './orders.ts'
import type { Part, PartOptions } from './rounds.ts'
import { called } from './stores.ts'

const STORED = { full: [1000, 100_000, 1_000_000], small: [40, 80, 120] } as const
const TOGETHER = 500

/** Stores orders that wait for nothing. */
const fill = async (url: string, count: number): Promise<void> => {
  const { store, close } = await openStoreAt(url)
  const now = Date.now()
  for (let first = 0; first < count; first += TOGETHER)
    await Promise.all(
      Array.from({ length: Math.min(TOGETHER, count - first) }, (_, n) =>
        store.place({ ...manyOrder(first + n, count, now), effects: [] }, '{}')(),
      ),
    )
  await close()
}

const measure = async (options: PartOptions) => {
  // One store after the other, because memory cannot hold the files of both.
  for (const store of options.on) {
    const nameOf = (count: number): string =>
      `${called[store]}, ${count.toLocaleString('en')} orders stored`
    const databases: Record<string, string> = {}
    for (const count of STORED[options.size]) {
      const url = await options.stores.fresh(store)
      await fill(url, count)
      databases[nameOf(count)] = url
    }
    await measureOrders(options, databases, [nameOf(STORED[options.size][0])])
  }
}

export const growth: Part = {
  about: 'whole orders a second with 1,000, 100,000 and 1,000,000 orders stored',
  measure,
}
