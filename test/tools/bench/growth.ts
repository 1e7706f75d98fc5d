// Measures whole orders per second with few and with many stored orders: what a server loses after
// a long time.
import { fillWithOrders } from './copy-orders.ts'
import { plazoHost, TIMES, watchOrders } from './orders.ts'
import { waitUntilDrained } from './plazo.ts'
import { startSink } from './processes.ts'
import {
  inRounds,
  type Part,
  type PartOptions,
  type PartResult,
  type Rounds,
  type Sample,
} from './rounds.ts'
import { called, type StoreName, type Stores } from './stores.ts'

const STORED = { full: [1000, 100_000, 1_000_000], small: [40, 80, 120] } as const

const KEPT_FROM = 10_000

const storedName = (orders: number): string => `${orders.toLocaleString('en')} orders stored`

/** Small databases are created again each time, because each run adds orders. */
export const storedOrders = (stores: Stores, store: StoreName, orders: number): Promise<string> =>
  stores.lasting(store, `orders_${orders}`, orders < KEPT_FROM)

const measureOn = async (
  store: StoreName,
  { stores, rounds, size, say }: PartOptions,
): Promise<Rounds> => {
  const { warm, firstWarm, ...times } = TIMES[size]
  const sink = await startSink()
  const contenders: Record<string, () => Promise<Sample>> = {}
  const stops: (() => Promise<unknown>)[] = []
  try {
    for (const orders of STORED[size]) {
      const url =
        size === 'small' ? await stores.fresh(store) : await storedOrders(stores, store, orders)
      await fillWithOrders(url, orders, sink, stores.folder)
      const host = await plazoHost([url], sink)
      stops.push(host.stop)
      // Pending jobs of other parts.
      for (const port of host.ports) await waitUntilDrained(port)
      let wait: number = firstWarm
      contenders[`${called[store]}, ${storedName(orders)}`] = async () => {
        const sample = await watchOrders(host, stores.folder, wait, times)
        wait = warm
        return sample
      }
    }
    return await inRounds(contenders, { rounds, size, say })
  } finally {
    for (const stop of stops) await stop()
    await sink.stop()
  }
}

// One store after the other, because memory cannot hold the files of both.
const measure = async (options: PartOptions): Promise<PartResult> => {
  const measured: Rounds[] = []
  for (const store of options.on) measured.push(await measureOn(store, options))
  const [first, ...others] = measured
  return {
    rounds: (first?.rounds ?? []).map((round, n) =>
      Object.assign({}, round, ...others.map(({ rounds }) => rounds[n])),
    ),
    dropped: measured.reduce((sum, { dropped }) => sum + dropped, 0),
  }
}

export const growth: Part = {
  name: 'growth',
  about: 'whole orders a second with 1,000, 100,000 and 1,000,000 orders stored',
  measure,
}
